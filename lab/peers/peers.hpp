// Vendors' libraries as rows of our algorithms, so that they run on the same arrays, through the same session, under the
// same clock. Each library is reached through a module that is opened at run time; where it is missing, the row says so.
#pragma once

#include "core/algorithm.hpp"

#include <vector>

namespace parallax::engine::peers {

/// Appends the peers to the variants of their algorithms, the same in every build: one that a build or a machine lacks is refused
/// with the reason. A peer runs only where it is asked for by name.
void add_to(std::vector<Algorithm>&);

}  // namespace parallax::engine::peers

namespace parallax::engine {

/// Our algorithms with others' libraries among their variants: what the program, the laboratory and the tests run with.
Registry registry_with_peers();

}  // namespace parallax::engine
