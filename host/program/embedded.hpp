// The kernel sources that cmake/embed_files.cmake put into the library.
#pragma once

#include <string_view>
#include <vector>

namespace parallax::host {

struct EmbeddedFile {
    std::string_view name;   // relative to the folder that was embedded: kernels_cl
    std::string_view text;
};
const std::vector<EmbeddedFile>& embedded_files();

}  // namespace parallax::host
