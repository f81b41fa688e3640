// Tables and journals by their lines.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "jobs/support.hpp"

namespace parallax::tests {

inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::vector<std::string> lines;
    std::istringstream text(read_text(file));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

}   // namespace parallax::tests
