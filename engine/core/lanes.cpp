#include "core/lanes.hpp"

#include <fmt/format.h>

namespace parallax::engine {

std::string lanes_why_not(const host::DeviceInfo& device) {
    if (device.backend != host::Backend::opencl) return fmt::format("lanes needs OpenCL; the device is {}", host::to_string(device.backend));
    if (device.type != host::DeviceType::cpu) return fmt::format("lanes is for CPUs; the device is a {}", host::to_string(device.type));
    // Measured with Mesa 22.3: its compiler takes vectors of 16 apart into scalars, a minute and more for a plan.
    if (device.platform == "rusticl") return "rusticl's compiler takes minutes for vectors of 16";
    return {};
}

}  // namespace parallax::engine
