#include "opencl/device.hpp"

#include "opencl/context.hpp"
#include "opencl/errors.hpp"
#include "opencl/info.hpp"
#include "opencl/registration.hpp"
#include "parallax/host/error.hpp"
#include "text.hpp"

#include <fmt/format.h>

namespace parallax::host::opencl {
namespace {

class ClDevice final : public Device {
public:
    ClDevice(DeviceInfo info, cl_platform_id platform, cl_device_id device)
        : info_(std::move(info)), platform_(platform), device_(device) {}
    const DeviceInfo& info() const noexcept override { return info_; }
    std::shared_ptr<Context> open(const ContextOptions& options) const override {
        return std::make_shared<ClContext>(info_, platform_, device_, options);
    }

private:
    DeviceInfo info_;
    cl_platform_id platform_;
    cl_device_id device_;
};

// Mesa registers its drivers even where none of them may run.
std::string hint_for_empty(const std::string& platform) {
    if (contains_nocase(platform, "rusticl"))
        return "rusticl runs only drivers that are asked for: set RUSTICL_ENABLE=llvmpipe (processor) or radeonsi, iris, nouveau (GPU)";
    if (contains_nocase(platform, "clover")) return "Mesa's Clover is always registered beside rusticl and finds few devices; nothing needs to be done";
    if (contains_nocase(platform, "nvidia")) return "the NVIDIA driver sees no GPU: check nvidia-smi, and that the container or user may open /dev/nvidia*";
    if (contains_nocase(platform, "amd")) return "the AMD driver sees no GPU: check that the user belongs to the groups video and render";
    if (contains_nocase(platform, "intel")) return "the Intel driver sees no GPU: check that the user belongs to the group render";
    return "its driver is installed but sees no hardware";
}

void add_platform(Inventory& inventory, cl_platform_id platform, int platform_index) {
    const std::string name = platform_string(platform, CL_PLATFORM_NAME);
    cl_uint count = 0;
    const cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && count == 0)) {
        inventory.problems.push_back({name, "it has no devices (CL_DEVICE_NOT_FOUND)", hint_for_empty(name)});
        return;
    }
    check(status, "clGetDeviceIDs", "list the devices of " + name);
    std::vector<cl_device_id> devices(count);
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr), "clGetDeviceIDs", "list the devices of " + name);

    for (cl_uint i = 0; i < count; ++i) {
        DeviceInfo info = describe(devices[i], name);
        if (device_value<cl_bool>(devices[i], CL_DEVICE_AVAILABLE, CL_TRUE) == CL_FALSE) {
            inventory.problems.push_back({name, fmt::format("{} is not available", info.name), "another program may hold it for itself"});
            continue;
        }
        if (device_value<cl_bool>(devices[i], CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE) == CL_FALSE) {
            inventory.problems.push_back({name, fmt::format("{} has no compiler for OpenCL C", info.name), "install the driver's complete package"});
            continue;
        }
        info.index = static_cast<int>(inventory.devices.size());
        info.platform_index = platform_index;
        info.index_in_platform = static_cast<int>(i);
        inventory.devices.push_back(std::make_shared<ClDevice>(std::move(info), platform, devices[i]));
    }
}

std::vector<cl_platform_id> platforms(Inventory& inventory) {
    cl_uint count = 0;
    const cl_int status = clGetPlatformIDs(0, nullptr, &count);
    if (status == CL_SUCCESS && count > 0) {
        std::vector<cl_platform_id> found(count);
        check(clGetPlatformIDs(count, found.data(), nullptr), "clGetPlatformIDs", "list the OpenCL platforms");
        return found;
    }
    const bool none = status == CL_SUCCESS || status == CL_PLATFORM_NOT_FOUND_KHR;
    inventory.problems.push_back({"OpenCL",
                                  none ? "no platform is registered (CL_PLATFORM_NOT_FOUND_KHR)"
                                       : fmt::format("clGetPlatformIDs failed with {} ({})", code_name(status), status),
                                  "install a driver: pocl-opencl-icd for this machine's processor, or the GPU vendor's"});
    return {};
}

}  // namespace

void add_devices(Inventory& inventory) {
    try {
        int index = 0;
        for (const cl_platform_id platform : platforms(inventory)) {
            try {
                add_platform(inventory, platform, index);
            } catch (const Error& error) {
                inventory.problems.push_back({platform_string(platform, CL_PLATFORM_NAME), error.what(), "reinstall or remove its driver"});
            }
            ++index;
        }
    } catch (const Error& error) {
        inventory.problems.push_back({"OpenCL", error.what(), "reinstall the OpenCL loader (ocl-icd-libopencl1)"});
    }
    add_registration_problems(inventory);
}

}  // namespace parallax::host::opencl
