// The serial histogram: the oracle of the others.
#pragma once

#include "algorithms/histogram/parameters.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parallax::engine::histogram {

/// Counts of the elements of pixels [first, end), [channels][bins]; `mask` null: every pixel counts.
/// `image` holds elements of spec.type, `mask` one byte a pixel, non-zero where it counts.
std::vector<std::uint32_t> reference_histogram(const HistogramSpec& spec, const std::byte* image, const std::byte* mask,
                                               std::int64_t first, std::int64_t end);

}  // namespace parallax::engine::histogram
