// The box filter by its definition: every window's elements, added one by one.
#pragma once

#include "algorithms/box_filter/parameters.hpp"

#include <cstddef>

namespace parallax::engine::box_filter {

/// Rows [first, end) of the outer * depth * middle * height rows. Floats in double precision, integers exactly.
void reference_rows(const BoxSpec&, const std::byte* in, std::byte* out, std::int64_t first, std::int64_t end);

/// floor(sum / taps + 1/2), halves to even.
std::uint64_t rounded_mean(std::uint64_t sum, std::uint64_t taps) noexcept;

}  // namespace parallax::engine::box_filter
