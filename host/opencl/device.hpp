// Every device of every OpenCL platform.
#pragma once

#include "parallax/host/device.hpp"

namespace parallax::host::opencl {

/// Appends the devices of all platforms, and what went wrong beside them. Throws for no platform's fault.
void add_devices(Inventory&);

}  // namespace parallax::host::opencl
