#include "opencl/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>

#include "opencl/context.hpp"
#include "opencl/errors.hpp"
#include "opencl/info.hpp"
#include "opencl/loader.hpp"
#include "opencl/registration.hpp"
#include "parallax/host/error.hpp"
#include "support/platform.hpp"
#include "support/text.hpp"

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
        return "rusticl runs only drivers that are asked for: set RUSTICL_ENABLE=llvmpipe (processor) or radeonsi, iris, nouveau "
               "(GPU)";
    if (contains_nocase(platform, "clover"))
        return "Mesa's Clover is always registered beside rusticl and finds few devices; nothing needs to be done";
    if (contains_nocase(platform, "nvidia"))
        return "the NVIDIA driver sees no GPU: check nvidia-smi, and that the container or user may open /dev/nvidia*";
    if (contains_nocase(platform, "amd"))
        return "the AMD driver sees no GPU: check that the user belongs to the groups video and render";
    if (contains_nocase(platform, "intel"))
        return "the Intel driver sees no GPU: check that the user belongs to the group render";
    if (const auto asked = host::platform::environment("POCL_DEVICES"); asked && contains_nocase(platform, "portable"))
        return fmt::format("POCL_DEVICES asks for \"{}\": unset it, or let it name devices that PoCL has, such as pthread",
                           *asked);
    if (contains_nocase(platform, "portable"))
        return "PoCL has none where the folder of its cache cannot be made: let POCL_CACHE_DIR name one that can be written";
    return "its driver is installed but sees no hardware";
}

/// Where a driver is registered twice the loader lists its platform twice, as one handle if the library is one file. A copy of
/// the file is a platform of its own, of the same name and version, with the same devices.
bool is_same(const DeviceInfo& a, const DeviceInfo& b) {
    return a.name == b.name && a.vendor == b.vendor && a.version == b.version && a.driver == b.driver && a.uuid == b.uuid &&
           a.pci == b.pci && a.platform == b.platform && a.global_memory == b.global_memory;
}

bool is_known(const Inventory& inventory, const std::vector<DeviceInfo>& devices) {
    if (devices.empty()) return false;
    std::vector<DeviceInfo> other;   // devices of one platform lie together
    for (std::size_t i = 0; i <= inventory.devices.size(); ++i) {
        const DeviceInfo* const info = i < inventory.devices.size() ? &inventory.devices[i]->info() : nullptr;
        if (!other.empty() && (info == nullptr || info->platform_index != other.front().platform_index)) {
            if (std::equal(other.begin(), other.end(), devices.begin(), devices.end(), is_same)) return true;
            other.clear();
        }
        if (info != nullptr) other.push_back(*info);
    }
    return false;
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
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr), "clGetDeviceIDs",
          "list the devices of " + name);

    std::vector<DeviceInfo> found;
    std::vector<cl_device_id> handles;
    for (cl_uint i = 0; i < count; ++i) {
        DeviceInfo info = describe(devices[i], name);
        if (device_value<cl_bool>(devices[i], CL_DEVICE_AVAILABLE, CL_TRUE) == CL_FALSE) {
            inventory.problems.push_back(
                {name, fmt::format("{} is not available", info.name), "another program may hold it for itself"});
            continue;
        }
        if (device_value<cl_bool>(devices[i], CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE) == CL_FALSE) {
            inventory.problems.push_back(
                {name, fmt::format("{} has no compiler for OpenCL C", info.name), "install the driver's complete package"});
            continue;
        }
        info.platform_index = platform_index;
        info.index_in_platform = static_cast<int>(i);
        found.push_back(std::move(info));
        handles.push_back(devices[i]);
    }
    if (is_known(inventory, found)) {
        inventory.problems.push_back(
            {name, "its driver is registered twice; its devices are listed once", "take one of the registrations away"});
        return;
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        found[i].index = static_cast<int>(inventory.devices.size());
        inventory.devices.push_back(std::make_shared<ClDevice>(std::move(found[i]), platform, handles[i]));
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
    if (!loader_problem().empty()) {   // nor is any driver touched, which only the loader would load
        inventory.problems.push_back({"OpenCL", "its loader is not there: " + loader_problem(),
                                      "install it and a driver: ocl-icd-libopencl1, and pocl-opencl-icd for this machine's "
                                      "processor, or the GPU vendor's"});
        return;
    }
    const std::vector<LeftOut>& left_out = load_drivers();
    static std::mutex one;   // while PoCL 3.1 makes its devices for the first who asks, it has none, or half of them, for others
    const std::lock_guard lock(one);
    try {
        int index = 0;
        for (const cl_platform_id platform : platforms(inventory)) {
            try {
                add_platform(inventory, platform, index);
            } catch (const Error& error) {
                inventory.problems.push_back(
                    {platform_string(platform, CL_PLATFORM_NAME), error.what(), "reinstall or remove its driver"});
            }
            ++index;
        }
    } catch (const Error& error) {
        inventory.problems.push_back({"OpenCL", error.what(), "reinstall the OpenCL loader (ocl-icd-libopencl1)"});
    }
    add_registration_problems(inventory, left_out);
}

}  // namespace parallax::host::opencl
