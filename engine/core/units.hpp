// Units of length as arrays name them. For the programs that read heavy formats, too, which link nothing of the engine.
#pragma once

#include <string_view>
#include <utility>

namespace parallax::engine {

/// How many millimetres one of our units is: "nm", "um", "mm", "cm", "m". 0: no length.
inline double millimetres(std::string_view unit) noexcept {
    constexpr std::pair<std::string_view, double> table[] = {{"nm", 1e-6}, {"um", 1e-3}, {"mm", 1}, {"cm", 10}, {"m", 1e3}};
    for (const auto& [name, value] : table) {
        if (unit == name) return value;
    }
    return 0;
}

}  // namespace parallax::engine
