// Colours for values: 256 of them, from the least to the largest.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::io::picture {

using Rgb = std::array<std::uint8_t, 3>;
using ColourMap = std::array<Rgb, 256>;

/// "grey"; "viridis" and "magma", whose steps look alike everywhere and are told apart by the colour-blind and in print; and
/// "twilight", which ends as it begins: for phase.
inline const auto& colour_map_names = *new std::vector<std::string>{"grey", "viridis", "magma", "twilight"};

/// By one of those names; grey for any other.
ColourMap colour_map(std::string_view name);
/// Its last colour is its first: what it shows goes round, from -pi to pi unless a window is given.
constexpr bool is_cyclic(std::string_view name) { return name == "twilight"; }

}   // namespace parallax::io::picture
