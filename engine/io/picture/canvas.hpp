// Drawing into a picture of 8 bits: rectangles, and numbers with their units.
#pragma once

#include "io/picture/colour_map.hpp"

namespace parallax::io::picture {

/// One picture in memory that somebody else owns: rows of pixels of 1 (grey) or 3 (red, green, blue) bytes. What is drawn outside
/// of it is left out.
struct Canvas {
    std::uint8_t* pixels = nullptr;
    std::int64_t width = 0, height = 0, channels = 1;

    void fill(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, Rgb colour) const;
    /// Letters of 5 x 7 dots, each `scale` pixels wide and high, with the upper left corner at (x, y). A letter that there is
    /// none of is a blank.
    void text(std::int64_t x, std::int64_t y, std::int64_t scale, std::string_view letters, Rgb colour) const;
};

inline constexpr std::int64_t letter_height = 7;
/// Dots that a text is wide; "µ" is written as "u".
constexpr std::int64_t text_width(std::string_view letters) {
    return letters.empty() ? 0 : 6 * static_cast<std::int64_t>(letters.size()) - 1;
}

}   // namespace parallax::io::picture
