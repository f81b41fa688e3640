// What a device is: plain data.
#pragma once

#include "parallax/export.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::host {

enum class Backend : std::uint8_t { opencl, cuda, native };
enum class DeviceType : std::uint8_t { gpu, cpu, accelerator, other };

PARALLAX_API std::string_view to_string(Backend) noexcept;
PARALLAX_API std::string_view to_string(DeviceType) noexcept;

/// Properties that a driver reports without compiling anything. Sizes in bytes.
struct PARALLAX_API DeviceInfo {
    Backend backend = Backend::native;
    DeviceType type = DeviceType::other;
    std::string name;              ///< as the driver says, trimmed
    std::string vendor;            ///< as the driver says
    std::string platform;          ///< OpenCL platform name, "CUDA" or "native"
    std::string version;           ///< device version string, e.g. "OpenCL 3.0 CUDA"
    std::string driver;            ///< driver version string
    std::string uuid;              ///< lower-case hex with dashes, empty if unknown
    std::string pci;               ///< "0000:3b:00.0", empty if unknown
    int index = 0;                 ///< position among all devices of enumerate()
    int platform_index = 0;        ///< position of its platform
    int index_in_platform = 0;

    std::uint64_t global_memory = 0;
    std::uint64_t max_allocation = 0;
    std::uint64_t local_memory = 0;
    std::uint32_t compute_units = 1;
    std::uint32_t max_work_group = 1;
    std::uint32_t clock_mhz = 0;
    std::uint32_t base_align = 128;      ///< alignment of sub-buffers
    std::uint32_t timer_ns = 1;          ///< profiling timer resolution
    bool unified_memory = false;
    bool images = false;
    std::vector<std::string> extensions;

    /// What a JSON rule may require: "images", "fp64", "int64_atomics", "unified_memory", "subgroups".
    /// Reported ones only; Context::capabilities() adds what was probed by running a kernel.
    std::vector<std::string> capabilities;

    bool has(std::string_view capability) const noexcept;
};

}  // namespace parallax::host
