// Which backends a kernel file is written for.
#pragma once

#include <string_view>

namespace parallax::host {

/// Whether the banner of a flattened file (the comment lines before anything else) holds the line "// backends: opencl".
bool opencl_only(std::string_view flat_text);

}  // namespace parallax::host
