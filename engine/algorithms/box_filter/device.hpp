// What the variants that run kernels have in common: types, constants of a border, divisors.
#pragma once

#include "algorithms/box_filter/parameters.hpp"
#include "core/integers.hpp"
#include "core/plan.hpp"

#include <string>

namespace parallax::engine::box_filter {

/// OpenCL C's name of the image's elements.
std::string element_name(const BoxSpec&);
/// That of sums: float, uint, or ulong64 where a window may pass 32 bits.
std::string sum_name(const BoxSpec&);
std::size_t sum_bytes(const BoxSpec&) noexcept;

/// Defines of sums.clh. `first`: the image is read, not sums; `last`: means are written, not sums.
host::Defines defines_of(const BoxSpec&, bool first, bool last);

/// The value of a constant border as an element of the image.
host::Arg element_argument(const BoxSpec&);
/// The border as kernels take it.
host::Arg border_argument(const BoxSpec&);
/// What a constant border holds where the array's elements are sums of `taps` elements.
host::Arg fill_argument(const BoxSpec&, std::int64_t taps);
/// What the last pass divides by, as result_of() takes it.
host::Arg divisor_argument(const BoxSpec&);


}  // namespace parallax::engine::box_filter
