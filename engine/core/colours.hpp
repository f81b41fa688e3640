// What channels are that go by their number: one is grey, two are grey and alpha, three are colours, and four have
// alpha behind them.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace parallax::engine {

inline constexpr std::array<std::string_view, 4> colour_names{"red", "green", "blue", "alpha"};
inline constexpr std::array<std::string_view, 2> grey_names{"grey", "alpha"};

/// What readers take so many channels for; no more than four.
inline std::span<const std::string_view> usual_names(std::size_t channels) {
    if (channels <= 2) return std::span(grey_names).first(channels);
    return std::span(colour_names).first(std::min(channels, colour_names.size()));
}

}  // namespace parallax::engine
