// Variants called `lanes` are for processors: wide vectors, a chunk of the work for each work-item, no barriers.
#pragma once

#include "parallax/host/device.hpp"

#include <string>

namespace parallax::engine {

/// Empty, or why such a variant does not run on a device.
std::string lanes_why_not(const host::DeviceInfo&);

}  // namespace parallax::engine
