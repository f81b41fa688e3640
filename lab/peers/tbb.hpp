#pragma once

#include "core/algorithm.hpp"

namespace parallax::engine::peers {

/// Appends `tbb` where oneTBB has the same algorithm: reduce, scan, sort.
void add_tbb(Algorithm&);

}  // namespace parallax::engine::peers
