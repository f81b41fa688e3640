// The rows of an image that one rank has, among ranks that diffuse it together.
#pragma once

#include "algorithms/diffusion_lb/steps.hpp"
#include "core/part.hpp"

#include <memory>

namespace parallax::engine::diffusion_lb {

/// Throws ConfigError for what cannot be shared: stacks, stop_below, and fewer rows a rank than it must lend its neighbours.
std::unique_ptr<distributed::Part> make_part(PlanBuilder&, const Problem&, const Policy&, int rank, std::int64_t margin, PaceOf,
                                             const MakeSteps&);

}  // namespace parallax::engine::diffusion_lb
