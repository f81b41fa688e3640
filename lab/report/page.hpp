// Pages that need nothing but a browser: data, style and script in one file.
#pragma once

#include "parallax/host/json.hpp"

#include <string>
#include <vector>

namespace parallax::engine::compare {

/// `scripts` are assets, run one after another in a scope of their own; they read `data` from the page's element "data".
std::string page_of(const std::string& title, const std::vector<std::string>& scripts, const Json& data);

}  // namespace parallax::engine::compare
