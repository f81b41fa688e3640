// The tuning files that cmake/embed_files.cmake put into the library: configs/tuning/*.json.
#pragma once

#include "program/embedded.hpp"

namespace parallax::engine {

const std::vector<host::EmbeddedFile>& embedded_tuning();

}  // namespace parallax::engine
