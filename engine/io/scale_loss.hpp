// What f32 does not hold of numbers that a file's header scales. For the programs that read heavy formats, too: without fmt.
#pragma once

#include <cfloat>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace parallax::io {

/// The words of a warning, by what the header says: numbers stored as `type` ("u16", "i32", "f64"), times a slope and plus an
/// intercept, are read as f32. Empty: there is nothing to warn of.
inline std::string loss_by_scale(std::string_view type, double slope, double intercept) {
    const bool floats = type[0] == 'f';
    int bits = 0;
    std::from_chars(type.data() + 1, type.data() + type.size(), bits);
    // Of floats, which may be any, such as are usual; integers up to the largest.
    const double largest = std::exp2(floats ? 32 : bits);
    if (std::abs(slope) * largest + std::abs(intercept) > FLT_MAX)
        return "its slope and intercept lead beyond 3.4e38, the largest number of f32, as which its scaled values are read: "
               "those beyond become infinite";
    if (bits <= (floats ? 32 : 24)) return {};
    return "its values are stored as " + std::string(type) + " and scaled, and read as f32, which keeps 7 digits of each";
}

}   // namespace parallax::io
