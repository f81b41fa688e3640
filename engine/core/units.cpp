#include "core/units.hpp"

#include <utility>

namespace parallax::engine {

double millimetres(std::string_view unit) noexcept {
    constexpr std::pair<std::string_view, double> table[] = {{"nm", 1e-6}, {"um", 1e-3}, {"mm", 1}, {"cm", 10}, {"m", 1e3}};
    for (const auto& [name, value] : table) {
        if (unit == name) return value;
    }
    return 0;
}

}  // namespace parallax::engine
