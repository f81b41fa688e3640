// Where numbers come from: machine, system, build. Written into every report.
#pragma once

#include "parallax/host/json.hpp"

#include <string>

namespace parallax::engine::compare {

/// Processor and its threads, memory, system, engine version, git revision, compiler, build type, frequency governor where known.
Json environment();
/// UTC, ISO 8601.
std::string utc_now();

}  // namespace parallax::engine::compare
