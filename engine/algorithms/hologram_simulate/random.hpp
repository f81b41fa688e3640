// Random numbers that are the same on every machine: a counter goes in, a number comes out.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace parallax::engine::hologram_simulate {

/// Steele, Lea, Flood 2014.
constexpr std::uint64_t splitmix64(std::uint64_t x) noexcept {
    x += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

/// In (0, 1), never an end.
constexpr double uniform(std::uint64_t bits) noexcept { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

/// Number `i` of the standard normal deviates of `seed` (Box and Muller; docs/theory/numbers.md#random-numbers).
inline double normal(std::uint64_t i, std::uint64_t seed) noexcept {
    const double u1 = uniform(splitmix64(2 * i + (seed << 32))), u2 = uniform(splitmix64(2 * i + 1 + (seed << 32)));
    return std::sqrt(-2 * std::log(u1)) * std::cos(2 * std::numbers::pi * u2);
}

}  // namespace parallax::engine::hologram_simulate
