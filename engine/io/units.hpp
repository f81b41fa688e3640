// Units of length: by the names that programs write, and in millimetres.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/units.hpp"

namespace parallax::io {

/// A unit of length by the names that programs write; ours, and how many of ours one of theirs is. Empty: none that is known.
std::pair<std::string, double> unit_from(std::string_view name);
using engine::millimetres;

}   // namespace parallax::io
