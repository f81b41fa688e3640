#include "core/simd.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace parallax::engine {

namespace {

/// The first number of rusticl's driver version, which is Mesa's: "25.0.7-2+deb13u1" is 25. 0 where there is none.
int mesa_of(const host::DeviceInfo& device) { return std::atoi(device.driver.c_str()); }

}  // namespace

std::string simd_why_not(const host::DeviceInfo& device, OnMesa mesa) {
    if (device.backend != host::Backend::opencl)
        return fmt::format("simd needs OpenCL; the device is {}", host::to_string(device.backend));
    if (device.type != host::DeviceType::cpu)
        return fmt::format("simd is for CPUs; the device is a {}", host::to_string(device.type));
    if (device.platform != "rusticl") return {};
    // Measured: a minute and more for any plan with 22.3; with 25.0 a second or two, and minutes for transforms.
    constexpr int compiles_fast = 25;
    if (mesa == OnMesa::never || mesa_of(device) < compiles_fast)
        return fmt::format("rusticl's compiler (Mesa {}) takes minutes for {} of 16", device.driver,
                           mesa == OnMesa::never ? "transforms in vectors" : "vectors");
    return mesa == OnMesa::slowly ? "rusticl takes vectors of 16 apart: other variants are twice as fast" : "";
}

}  // namespace parallax::engine
