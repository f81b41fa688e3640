// Documents that anybody may have written, before their values are copied or compared: that is done by functions that call
// themselves, and a megabyte of brackets would take the stack.
#pragma once

#include "parallax/host/json.hpp"

#include <optional>
#include <string_view>

namespace parallax {

/// Nothing where a text is no JSON, or is nested deeper than any of our files.
std::optional<Json> parse_shallow(std::string_view text);

}  // namespace parallax
