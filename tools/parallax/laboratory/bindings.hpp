// Interfaces of other languages, written out from the algorithms' own tables.
#pragma once

#include "core/algorithm.hpp"

#include <string>
#include <vector>

namespace parallax::cli {

/// "box_filter" -> "BoxFilter"
std::string camel_case(const std::string& name);
/// engine/include/parallax/algorithms.hpp
std::string cpp_bindings(const std::vector<engine::Algorithm>&);
/// python/parallax/_algorithms.pyi
std::string python_bindings(const std::vector<engine::Algorithm>&);

}  // namespace parallax::cli
