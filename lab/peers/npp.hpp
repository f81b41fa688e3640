#pragma once

#include "core/algorithm.hpp"

namespace parallax::engine::peers {

/// Appends `npp` to box_filter: NVIDIA's NPP on CUDA devices.
void add_npp(Algorithm&);

}  // namespace parallax::engine::peers
