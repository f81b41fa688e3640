#include "native/device.hpp"

#include "native/context.hpp"
#include "parallax/host/context.hpp"
#include "support/platform.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::host::native {
namespace {

class NativeDevice final : public Device {
public:
    explicit NativeDevice(DeviceInfo info) : info_(std::move(info)) {}
    const DeviceInfo& info() const noexcept override { return info_; }
    std::shared_ptr<Context> open(const ContextOptions&) const override { return std::make_shared<NativeContext>(info_); }

private:
    DeviceInfo info_;
};

}  // namespace

void add_device(Inventory& inventory, bool counted) {
    DeviceInfo info;
    info.backend = Backend::native;
    info.type = DeviceType::cpu;
    info.name = fmt::format("native ({})", platform::processor_name());
    info.vendor = "native";
    info.platform = "native";
    info.version = "C++20";
    info.driver = platform::system_version();
    info.index = counted ? static_cast<int>(inventory.devices.size()) : -1;
    info.platform_index = inventory.devices.empty() ? 0 : inventory.devices.back()->info().platform_index + 1;
    info.global_memory = info.max_allocation = platform::physical_memory();
    info.compute_units = static_cast<std::uint32_t>(platform::processors());
    info.base_align = 64;
    info.unified_memory = true;
    info.capabilities = {"fp64", "int64_atomics", "unified_memory"};
    inventory.devices.push_back(std::make_shared<NativeDevice>(std::move(info)));
}

}  // namespace parallax::host::native
