// A path as somebody has given it.
#pragma once

#include <string>

namespace parallax::host {

/// The same. Throws ConfigError for one with a byte 0: the system would take what stands before it for all of it.
std::string check_path(const std::string& given, const std::string& pointer);

}   // namespace parallax::host
