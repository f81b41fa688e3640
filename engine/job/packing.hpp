// Which outputs are packed when they are written, and what is written faster.
#pragma once

#include <string>
#include <vector>

#include "job/job.hpp"

namespace parallax::engine {

/// What spares the packing of files that are written item by item: "TIFF or NPY", "\"compression\": 0", ...; none where none is
/// packed. A key is named only where an output has it.
std::vector<std::string> without_packing(const std::vector<OutputSpec>&);

}   // namespace parallax::engine
