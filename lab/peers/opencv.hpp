#pragma once

#include "core/algorithm.hpp"

namespace parallax::engine::peers {

/// Appends `opencv` where OpenCV has the same algorithm: box_filter, equalize, histogram.
void add_opencv(Algorithm&);

}  // namespace parallax::engine::peers
