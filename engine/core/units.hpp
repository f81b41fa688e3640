// Units of length as arrays name them.
#pragma once

#include <string_view>

namespace parallax::engine {

/// How many millimetres one of our units is: "nm", "um", "mm", "cm", "m". 0: no length.
double millimetres(std::string_view unit) noexcept;

}  // namespace parallax::engine
