// What `threshold` finds by itself: Otsu's level, on the host and on a device.
#pragma once

#include "core/plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace parallax::engine::threshold {

/// The level that parts a histogram best into a lower and an upper class, the level itself belonging to the lower (Otsu 1979);
/// exact; of equals the lowest. The only level that occurs where there is one, 0 where there is none.
std::int64_t otsu_level(std::span<const std::uint32_t> counts);

/// The edges of 256 equal parts from low to high, as numpy.histogram makes them for an f32 array without a range.
std::vector<float> range_edges(float low, float high);

}  // namespace parallax::engine::threshold
