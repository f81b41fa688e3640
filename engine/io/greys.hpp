// The range of many elements, and their greys of 8 or 16 bits.
#pragma once

#include "io/io.hpp"

namespace parallax::io {

/// Of the finite elements, 0 and 0 where there are none; `lost`: how many are not finite.
struct FiniteRange {
    double low = 0, high = 0;
    std::int64_t lost = 0;
};

/// Of a dense array of real numbers.
FiniteRange finite_range(const HostArray& dense);
/// The greys of a dense array of real numbers, u8 or u16, with its metadata: black at the window's first value and below, white
/// at its second and above, NaN black. The same on every processor.
HostArray greys_of(const HostArray& dense, std::array<double, 2> window, ElementType type);
/// Both of them, in one pass through memory: of f32 that no cache holds any more half the time.
HostArray greys_of(const HostArray& dense, std::array<double, 2> window, ElementType type, FiniteRange&);

}   // namespace parallax::io
