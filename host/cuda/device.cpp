#include "cuda/device.hpp"

#include "cuda/context.hpp"
#include "cuda/errors.hpp"
#include "cuda/info.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

namespace parallax::host::cuda {
namespace {

class CudaDevice final : public Device {
public:
    CudaDevice(DeviceInfo info, std::shared_ptr<const Driver> driver, CUdevice device, std::shared_ptr<const Compiler> compiler)
        : info_(std::move(info)), driver_(std::move(driver)), device_(device), compiler_(std::move(compiler)) {}
    const DeviceInfo& info() const noexcept override { return info_; }
    std::shared_ptr<Context> open(const ContextOptions& options) const override {
        return std::make_shared<CudaContext>(info_, std::make_shared<PrimaryContext>(driver_, device_, info_.name), device_,
                                             compiler_, options);
    }

private:
    DeviceInfo info_;
    std::shared_ptr<const Driver> driver_;
    CUdevice device_;
    std::shared_ptr<const Compiler> compiler_;
};

void add_device(Inventory& inventory, const std::shared_ptr<const Driver>& driver, int ordinal, int platform_index,
                bool counted) {
    CUdevice device = 0;
    check(*driver, driver->device_get(&device, ordinal), "cuDeviceGet", fmt::format("list CUDA device {}", ordinal));
    DeviceInfo info = describe(*driver, device);
    if (device_value(*driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT) == CU_COMPUTEMODE_PROHIBITED) {
        inventory.problems.push_back({"CUDA", fmt::format("{} takes no programs (compute mode \"prohibited\")", info.name),
                                      "the administrator can change it: nvidia-smi --compute-mode=0"});
        return;
    }
    std::string problem, hint;
    auto compiler = Compiler::open(driver->version, architecture_of(*driver, device), problem, hint);
    if (!compiler) {
        inventory.problems.push_back({"CUDA", fmt::format("{}: {}", info.name, problem), hint});
        return;
    }
    info.index = counted ? static_cast<int>(inventory.devices.size()) : -1;
    info.platform_index = platform_index;
    info.index_in_platform = ordinal;
    inventory.devices.push_back(std::make_shared<CudaDevice>(std::move(info), driver, device, std::move(compiler)));
}

}  // namespace

void add_devices(Inventory& inventory, bool counted) {
    std::string problem, hint;
    const auto driver = Driver::load(problem, hint);
    if (!problem.empty()) inventory.problems.push_back({"CUDA", problem, hint});
    if (!driver) return;
    const int platform_index = inventory.devices.empty() ? 0 : inventory.devices.back()->info().platform_index + 1;
    try {
        int count = 0;
        check(*driver, driver->device_get_count(&count), "cuDeviceGetCount", "list the CUDA devices");
        for (int ordinal = 0; ordinal < count; ++ordinal) {
            try {
                add_device(inventory, driver, ordinal, platform_index, counted);
            } catch (const Error& error) {
                inventory.problems.push_back({"CUDA", error.what(), "check nvidia-smi"});
            }
        }
    } catch (const Error& error) {
        inventory.problems.push_back({"CUDA", error.what(), "check nvidia-smi"});
    }
}

}  // namespace parallax::host::cuda
