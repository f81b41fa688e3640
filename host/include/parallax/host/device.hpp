// What devices there are and what they can do. Enumerating is cheap and never throws because of one
// broken platform: what went wrong is listed beside what was found.
#pragma once

#include "parallax/host/device_info.hpp"

#include <memory>
#include <string>
#include <vector>

namespace parallax::host {

class Context;
class ProgramCache;

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

    /// The device that needs no driver, of what enumerate() gave: references run there.
    std::shared_ptr<const Device> native() const { return devices.back(); }
};

/// Every device of every backend that was built in: OpenCL platforms in the loader's order, then CUDA,
/// then the native device (always present, always last).
Inventory enumerate();

}  // namespace parallax::host
