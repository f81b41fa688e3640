// Finds out by running small kernels (kernels_cl/probe) what a device can really do.
#pragma once

#include "parallax/host/context.hpp"

namespace parallax::host::opencl {

class ClContext;

/// By vendor and platform, for what no probe can find out.
bool is_nvidia(const DeviceInfo&);
/// Remembered in the context's program cache for each device, driver and version of the probes.
Capabilities probe(ClContext&);

}  // namespace parallax::host::opencl
