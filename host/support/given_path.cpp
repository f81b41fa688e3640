#include "support/given_path.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

namespace parallax::host {

std::string check_path(const std::string& given, const std::string& pointer) {
    if (const std::size_t end = given.find('\0'); end != given.npos)
        throw ConfigError(pointer, fmt::format("the path \"{}\" with \\u0000 behind it", given.substr(0, end)),
                          "a path without \\u0000");
    return given;
}

}   // namespace parallax::host
