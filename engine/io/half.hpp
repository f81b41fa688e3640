// Floating-point numbers of 16 bits, which become f32 where they are read.
#pragma once

#include <algorithm>
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

/// The nearest one to a number, of two as near the even one.
inline std::uint16_t narrow_half(double number) noexcept {
    const auto sign = static_cast<std::uint16_t>(std::signbit(number) ? 0x8000 : 0);
    if (std::isnan(number)) return 0x7e00;
    if (number == 0) return sign;
    constexpr double to_infinity = 65520;   // half-way between the largest and what would come next
    if (std::abs(number) >= to_infinity) return static_cast<std::uint16_t>(sign | 0x7c00);
    int exponent = 0;
    std::frexp(number, &exponent);
    const int step = std::max(exponent - 11, -24);   // halves lie 2^step apart there
    const double steps = std::nearbyint(std::ldexp(std::abs(number), -step));
    return static_cast<std::uint16_t>(sign | (((step + 24) << 10) + static_cast<int>(steps)));
}

}   // namespace parallax::io
