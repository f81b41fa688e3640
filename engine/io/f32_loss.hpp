// What becomes of numbers that f32 does not hold.
#pragma once

#include <string>

#include "parallax/array.hpp"

namespace parallax::io {

/// What of a real array's elements f32 does not hold, in words that follow "are combined"; empty: it holds each of them. A NaN is
/// held.
std::string loss_in_f32(const HostArray&);

}   // namespace parallax::io
