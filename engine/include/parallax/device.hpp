// What devices there are.
#pragma once

#include "parallax/export.hpp"
#include "parallax/host/device_info.hpp"

#include <string>
#include <vector>

namespace parallax {

using host::Backend;
using host::DeviceInfo;
using host::DeviceType;

/// Every device of every backend, and what went wrong with the platforms that gave none.
struct PARALLAX_API Devices {
    std::vector<DeviceInfo> devices;
    std::vector<std::string> problems;   ///< a sentence each, with what to try
};

/// Enumerates; cheap, compiles nothing, and throws for no platform's fault.
PARALLAX_API Devices devices();
/// "0.1.0"
PARALLAX_API const char* version() noexcept;

}  // namespace parallax
