// Numbers whose sum does not depend on the order.
#pragma once

#include <cmath>
#include <cstdint>

namespace parallax::engine::series {

/// A number in units of 2^-72, in two's complement: to 2^54 in size.
struct Fixed {
    static constexpr int unit = 72;

    std::uint64_t low = 0;
    std::int64_t high = 0;        ///< units of 2^-8

    void add(const Fixed& other) {
        const std::uint64_t sum = low + other.low;
        high += other.high + (sum < low ? 1 : 0);
        low = sum;
    }
    /// Of less than 2^54 in size; bits below 2^-72 are cut off. By size and sign, which is exact: 1 - 1e-20 would not be.
    static Fixed of(double value) {
        const double size = std::abs(value) * 256;
        const auto whole = static_cast<std::int64_t>(size);
        const double upper =
            (size - static_cast<double>(whole)) * 0x1p32;   // by halves: conversions to 64 bits without sign are slow
        const auto upper_bits = static_cast<std::int64_t>(upper);
        const auto lower_bits = static_cast<std::int64_t>((upper - static_cast<double>(upper_bits)) * 0x1p32);
        const Fixed found{(static_cast<std::uint64_t>(upper_bits) << 32) + static_cast<std::uint64_t>(lower_bits), whole};
        return value < 0 ? found.negative() : found;
    }
    Fixed negative() const { return {~low + 1, ~high + (low == 0 ? 1 : 0)}; }
    /// count * 2^-bits, bits being 0 to 72.
    static Fixed of(std::int64_t count, int bits) {
        const int shift = unit - bits;
        if (shift == 0) return {static_cast<std::uint64_t>(count), count < 0 ? -1 : 0};
        if (shift >= 64) return {0, count << (shift - 64)};
        return {static_cast<std::uint64_t>(count) << shift, count >> (64 - shift)};
    }
    double value() const {
        if (high < 0) return -negative().value();
        return (static_cast<double>(high) + static_cast<double>(low) * 0x1p-64) / 256;
    }
};

}  // namespace parallax::engine::series
