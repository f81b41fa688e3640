// Variants called `simd` are for processors: wide vectors, a work-item for each core or chunk of the work, no barriers.
#pragma once

#include "parallax/host/device.hpp"

#include <string>

namespace parallax::engine {

/// How such a variant does with Mesa's rusticl, from version 25 on, which takes vectors of 16 apart into scalars: as well as the
/// others, at half their speed or less, or not before minutes of compiling.
enum class OnMesa { well, slowly, never };

/// Empty, or why such a variant does not run on a device.
std::string simd_why_not(const host::DeviceInfo&, OnMesa);

}  // namespace parallax::engine
