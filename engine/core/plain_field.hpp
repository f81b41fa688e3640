// A parameter with one key, which is its name.
#pragma once

#include "core/parameters.hpp"

#include <string>

namespace parallax::engine::detail {

ParameterField plain_field(std::string name, std::string type, Json schema, std::string doc);

}  // namespace parallax::engine::detail
