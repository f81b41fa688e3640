// Where numbers come from: machine, system, build. Written into every report.
#pragma once

#include "parallax/host/json.hpp"

namespace parallax::engine::compare {

/// Processor and its threads, memory, system, engine version, git revision, compiler, build type, frequency governor where known.
Json environment();

}  // namespace parallax::engine::compare
