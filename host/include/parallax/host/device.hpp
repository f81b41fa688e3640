// What devices there are and what they can do. Enumerating is cheap and never throws because of one
// broken platform: what went wrong is listed beside what was found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::host {

class Context;
class ProgramCache;

enum class Backend : std::uint8_t { opencl, cuda, native };
enum class DeviceType : std::uint8_t { gpu, cpu, accelerator, other };

std::string_view to_string(Backend) noexcept;
std::string_view to_string(DeviceType) noexcept;

/// Properties that a driver reports without compiling anything. Sizes in bytes.
struct DeviceInfo {
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

/// How a context is opened.
struct ContextOptions {
    std::shared_ptr<ProgramCache> cache;   ///< null: programs are kept in memory only
};

/// One enumerated device of any backend.
class Device {
public:
    virtual ~Device() = default;
    virtual const DeviceInfo& info() const noexcept = 0;
    /// Opens the device. Throws DeviceError with the driver's code.
    virtual std::shared_ptr<Context> open(const ContextOptions&) const = 0;
};

/// A platform that gave no device, and why ("no devices", "CL_DEVICE_NOT_FOUND", "libX.so: cannot open").
struct PlatformProblem {
    std::string platform;
    std::string reason;
    std::string hint;
};

struct Inventory {
    std::vector<std::shared_ptr<const Device>> devices;
    std::vector<PlatformProblem> problems;
};

/// Every device of every backend that was built in: OpenCL platforms in the loader's order, then CUDA,
/// then the native device (always present, always last).
Inventory enumerate();

}  // namespace parallax::host
