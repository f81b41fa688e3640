#include "program/backends.hpp"

#include "support/text.hpp"

#include <algorithm>

namespace parallax::host {

bool opencl_only(std::string_view flat_text) {
    bool first = true;
    for (std::size_t begin = 0; begin < flat_text.size();) {
        const std::size_t end = std::min(flat_text.find('\n', begin), flat_text.size());
        const std::string_view line = flat_text.substr(begin, end - begin);
        begin = end + 1;
        const bool marks_file = first && line.starts_with("#line");   // where the flattened text begins
        first = false;
        if (marks_file) continue;
        if (!line.starts_with("//")) return false;
        if (trim(line.substr(2)) == "backends: opencl") return true;
    }
    return false;
}

}  // namespace parallax::host
