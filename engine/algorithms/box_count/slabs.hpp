// The pyramid of an array that comes slab by slab.
#pragma once

#include "algorithms/box_count/tiles.hpp"
#include "core/plan.hpp"

#include <memory>

namespace parallax::engine::box_count {

std::unique_ptr<Plan> make_slab_plan(PlanBuilder&, const Problem&, Shape);

}  // namespace parallax::engine::box_count
