// Floating-point numbers of 16 bits, which become f32 where they are read.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace parallax::io {

inline float widen_half(std::uint16_t half) noexcept {
    const int exponent = (half >> 10) & 31;
    const int fraction = half & 1023;
    const float value = exponent == 31
                            ? (fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity())
                        : exponent ? std::ldexp(static_cast<float>(fraction + 1024), exponent - 25)
                                   : std::ldexp(static_cast<float>(fraction), -24);
    return half & 0x8000 ? -value : value;
}

}   // namespace parallax::io
