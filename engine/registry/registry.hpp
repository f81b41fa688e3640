// The one list of algorithms: engine/algorithms.cmake.
#pragma once

#include "core/algorithm.hpp"

#include <vector>

namespace parallax::engine {

/// All of them, as make_<name>() of each algorithm's folder makes them. An engine is opened with a Registry of these.
std::vector<Algorithm> all_algorithms();

}  // namespace parallax::engine
