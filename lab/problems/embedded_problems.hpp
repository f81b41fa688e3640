// The files engine/algorithms/<name>/problems.json as part of the program.
#pragma once

#include "program/embedded.hpp"

#include <vector>

namespace parallax::engine::problems {

const std::vector<host::EmbeddedFile>& embedded_problems();

}  // namespace parallax::engine::problems
