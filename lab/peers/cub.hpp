#pragma once

#include "core/algorithm.hpp"

namespace parallax::engine::peers {

/// Appends `cub` where NVIDIA's CUB has the same algorithm: reduce, scan, histogram, sort; box_count by its sort.
void add_cub(Algorithm&);

}  // namespace parallax::engine::peers
