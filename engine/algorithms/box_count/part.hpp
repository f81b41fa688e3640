// The slices that one rank counts, among ranks that count an array together.
#pragma once

#include "algorithms/box_count/tiles.hpp"
#include "core/part.hpp"

#include <memory>

namespace parallax::engine::box_count {

/// Ranks beyond the layers of tiles have nothing to do.
std::unique_ptr<distributed::Part> make_part(PlanBuilder&, const Problem&, Shape, int rank);

}  // namespace parallax::engine::box_count
