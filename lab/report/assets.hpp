// Files of lab/report/assets and third_party that are part of the program.
#pragma once

#include <string_view>

namespace parallax::engine::compare {

/// "report.css". Throws std::out_of_range for a name that was not embedded.
std::string_view asset(std::string_view name);

}  // namespace parallax::engine::compare
