// Whose OpenCL a device has, for what no probe can find out.
#pragma once

namespace parallax::host {

struct DeviceInfo;

/// PoCL, whose compiler works when a kernel is launched, too, and which puts what it compiles for before a device's name.
bool is_pocl(const DeviceInfo&) noexcept;

}  // namespace parallax::host
