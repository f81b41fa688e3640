// Finds the place of the first error in a compiler's log.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace parallax::host {

struct LogPlace {
    std::string file;
    int line = 0;   ///< 0: the log names no line
};

/// `files` are those of the program, the main one first. Logs name them as #line told the compiler, or with a
/// path of the driver's in front, or (drivers that ignore #line's name) as <kernel>, which counts as the first.
LogPlace first_error(std::string_view log, std::span<const std::string> files);

}  // namespace parallax::host
