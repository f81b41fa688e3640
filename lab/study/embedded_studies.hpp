// The files configs/studies/*.json and configs/images/*.png as part of the program.
#pragma once

#include "program/embedded.hpp"

#include <vector>

namespace parallax::engine::compare {

const std::vector<host::EmbeddedFile>& embedded_studies();

}  // namespace parallax::engine::compare
