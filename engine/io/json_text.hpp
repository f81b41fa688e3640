#pragma once

#include "parallax/host/json.hpp"

#include <string>

namespace parallax::io {

/// As write_json() writes it. Bytes that are no UTF-8 (from a file's name) become U+FFFD rather than the loss of a report.
inline std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

}  // namespace parallax::io
