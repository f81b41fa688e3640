// What channels are that go by their number: three are colours, four have alpha behind them, and two are grey and alpha.
#pragma once

#include <array>
#include <string_view>

namespace parallax::engine {

inline constexpr std::array<std::string_view, 4> colour_names{"red", "green", "blue", "alpha"};
inline constexpr std::array<std::string_view, 2> grey_names{"grey", "alpha"};

}  // namespace parallax::engine
