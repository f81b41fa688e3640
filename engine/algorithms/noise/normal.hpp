// Random numbers by counter, in integers alone: kernels_cl/noise/normal.clh in C++, bit for bit.
#pragma once

#include "algorithms/hologram_simulate/random.hpp"

#include <bit>
#include <cstdint>

namespace parallax::engine::noise {

using hologram_simulate::splitmix64;

/// -2 ln u in units of 2^-32, u = (bits / 2^11 + .5) / 2^53: u = m 2^e, m from sqrt(1/2) to sqrt(2), ln m = 2 artanh z.
constexpr std::uint64_t minus_two_log(std::uint64_t bits) {
    std::uint64_t m = (bits >> 11) * 2 + 1;                               // u in units of 2^-54
    const int leading = std::countl_zero(m);
    m <<= leading;                                                  // in units of 2^-63, from 1 to 2
    const bool halved = m > 0xB504F333F9DE6484;                      // above sqrt(2)
    const int e = 9 - leading + (halved ? 1 : 0);
    const std::int64_t one = std::int64_t{1} << 61, value = static_cast<std::int64_t>(halved ? m >> 3 : m >> 2);
    const std::int64_t z = (value - one) / ((value + one) >> 32);         // units of 2^-32, below .172
    const std::int64_t w = (z * z) >> 32;
    std::int64_t series = 330382100;                                      // 2^32 / 13, 11, 9, 7, 5, 3, 1
    series = 390451572 + ((series * w) >> 32);
    series = 477218588 + ((series * w) >> 32);
    series = 613566757 + ((series * w) >> 32);
    series = 858993459 + ((series * w) >> 32);
    series = 1431655765 + ((series * w) >> 32);
    series = 4294967296 + ((series * w) >> 32);
    const std::int64_t logarithm = z * series / 2147483648;
    return static_cast<std::uint64_t>(-2 * (e * std::int64_t{2977044472} + logarithm));    // ln 2 in units of 2^-32
}

constexpr std::uint64_t whole_sqrt(std::uint64_t x) {
    std::uint64_t root = 0;
    for (int bit = 31; bit >= 0; --bit) {
        const std::uint64_t trial = root + (std::uint64_t{1} << bit);
        if (trial * trial <= x) root = trial;
    }
    return root;
}

/// cos(2 pi bits / 2^64) in units of 2^-32.
constexpr std::int64_t cos_turn(std::uint64_t bits) {
    const std::uint64_t one = std::uint64_t{1} << 32;
    std::uint64_t t = bits >> 32;
    if (t >= one / 2) t = one - t;                                  // the second half mirrors the first
    const bool negative = t > one / 4;
    if (negative) t = one / 2 - t;
    const std::uint64_t angle = (t * 3373259426) >> 29;                   // 2 pi in units of 2^-29
    const std::uint64_t half_angle = angle >> 1, w = (half_angle * half_angle) >> 32;   // units of 2^-30, below 2.47
    std::uint64_t c = one - ((w << 2) / 240);
    c = one - ((w * c) >> 30) / 182;
    c = one - ((w * c) >> 30) / 132;
    c = one - ((w * c) >> 30) / 90;
    c = one - ((w * c) >> 30) / 56;
    c = one - ((w * c) >> 30) / 30;
    c = one - ((w * c) >> 30) / 12;
    const std::int64_t value = static_cast<std::int64_t>(one) - static_cast<std::int64_t>(((w * c) >> 30) / 2);
    return negative ? -value : value;
}

/// Normal deviate number i of `seed` in units of 2^-27, within 8.7: sqrt(-2 ln u1) cos(2 pi u2).
constexpr int normal(std::uint64_t i, std::uint64_t seed) {
    const std::uint64_t radius = whole_sqrt(minus_two_log(splitmix64(2 * i + (seed << 32))) << 24);   // units of 2^-28
    const std::int64_t c = cos_turn(splitmix64(2 * i + 1 + (seed << 32)));
    const std::uint64_t magnitude = (radius * static_cast<std::uint64_t>(c < 0 ? -c : c) + (std::uint64_t{1} << 32)) >> 33;
    return static_cast<int>(c < 0 ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude));
}

}  // namespace parallax::engine::noise
