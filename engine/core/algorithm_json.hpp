// Algorithms as JSON: `parallax algorithms --json`, Engine::algorithms_json().
#pragma once

#include "core/algorithm.hpp"

namespace parallax::engine {

/// Inputs, outputs, parameters with keys, types and defaults, variants with policies.
Json to_json(const Algorithm&);

}  // namespace parallax::engine
