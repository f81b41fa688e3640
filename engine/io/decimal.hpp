// Numbers as people write them: what arithmetic in doubles adds in the last places, a file has never said.
#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace parallax::io {

/// The decimal of fewest digits, and of no more than so many, that differs from `value` by that share of it at most; else
/// `value`.
inline double shortest_near(double value, double share, int most_digits) noexcept {
    if (!std::isfinite(value)) return value;
    for (int digits = 1; digits <= most_digits; ++digits) {
        char text[40];
        const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1).ptr;
        double near = 0;
        std::from_chars(text, end, near);
        if (std::abs(near - value) <= share * std::abs(value)) return near;
    }
    return value;
}

/// Of a product or a quotient: 33.3 / 1000 is .0333, where doubles give .033299999999999996.
inline double as_decimal(double computed) noexcept {
    return shortest_near(computed, 2 * std::numeric_limits<double>::epsilon(), 14);
}

/// The fewest digits that are this number again.
inline std::string shortest(double number) {
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

/// A number of a file in another unit; in its own it stays as it was said.
inline double scaled(double value, double factor) noexcept { return factor == 1 ? value : as_decimal(value * factor); }

inline double divided(double value, double divisor) noexcept { return divisor == 1 ? value : as_decimal(value / divisor); }

/// What a float was to say: .1, where the nearest float is .10000000149.
inline double as_decimal_of_float(float stored) noexcept {
    char text[40];
    double decimal = stored;
    if (std::isfinite(stored)) std::from_chars(text, std::to_chars(text, text + sizeof text, stored).ptr, decimal);
    return decimal;
}

/// Of a quotient by a float: a number of few digits where it may be one, since the float may be any near it.
inline double as_decimal_by_float(double computed) noexcept {
    const double near = shortest_near(computed, std::numeric_limits<float>::epsilon(), 6);
    return near != computed ? near : as_decimal(computed);
}

}   // namespace parallax::io
