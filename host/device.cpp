#include "parallax/host/device.hpp"
#include "parallax/host/implementation.hpp"

#include <algorithm>

namespace parallax::host {

std::string_view to_string(Backend backend) noexcept {
    switch (backend) {
        case Backend::opencl: return "opencl";
        case Backend::cuda: return "cuda";
        case Backend::native: return "native";
    }
    return "unknown";
}

std::string_view to_string(DeviceType type) noexcept {
    switch (type) {
        case DeviceType::gpu: return "gpu";
        case DeviceType::cpu: return "cpu";
        case DeviceType::accelerator: return "accelerator";
        case DeviceType::other: return "other";
    }
    return "other";
}

bool DeviceInfo::has(std::string_view capability) const noexcept {
    return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

bool is_pocl(const DeviceInfo& info) noexcept { return info.platform == "Portable Computing Language"; }

}  // namespace parallax::host
