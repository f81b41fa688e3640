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

/// `text` is what was compiled, `files` those that it was made of, the main one first. Logs name them as #line told the
/// compiler, perhaps with a folder of the driver's in front. Drivers that ignore #line speak of <kernel> or input.cl and
/// count the lines of the whole text.
LogPlace first_error(std::string_view log, std::string_view text, std::span<const std::string> files);

}  // namespace parallax::host
