// Where kernel text comes from and how a file and all that it includes become one text.
#pragma once

#include "parallax/host/program.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace parallax::host {

struct FlatSource {
    std::string text;
    std::vector<std::string> files;   ///< every file that went into the text, the named one first
};

FlatSource flatten(std::string_view file);

}  // namespace parallax::host
