// FITS headers: blocks of 2,880 bytes, of cards of 80 characters. The first image of a file, or the one that "dataset" names by its
// EXTNAME or its number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/format.hpp"
#include "io/text_header.hpp"

namespace parallax::io::fits {

inline constexpr const char* again = "the header is damaged or the file cut off: write or copy it again";

/// One header and what follows it.
struct Unit {
    Fields cards;
    std::uint64_t data = 0, bytes = 0;   ///< where its data begin, and how many they are
    std::vector<std::int64_t> sizes;     ///< the fastest first
    std::int64_t bits = 0;
    std::size_t number = 0;
    /// Empty: there is none.
    std::string_view card(std::string_view name) const;
    std::string name() const { return std::string(card("EXTNAME")); }
    bool is_image() const;
    /// What it is where it is no image.
    std::string kind() const;
};

/// A card that holds a whole number; empty: there is none. What is no number is an error, as what stands for none is another
/// image.
std::optional<std::int64_t> whole_card(const Source&, const Unit&, std::string_view name);
/// A card that holds a real number, whose exponent may be written with a D.
double number_card(const Source&, const Unit&, std::string_view name, double otherwise);
/// Its number, and its name where it has one.
std::string in_words(const Unit&);

/// The image that is wanted, and what else there is.
struct Document {
    Unit unit;
    std::vector<std::string> others;
    std::size_t images = 1;   ///< all of them, packed ones too
};

Document find_image(const Source&);

}   // namespace parallax::io::fits
