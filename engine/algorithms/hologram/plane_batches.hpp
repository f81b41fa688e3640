// How many planes of a stack `fused` and `fused_mirrored` make by one launch of each kernel. A small frame alone does not fill
// the device; of a large one, planes that a work-group makes one after the other share the transform forward of its columns.
#pragma once

#include "algorithms/hologram/optics.hpp"
#include "core/plan.hpp"
#include "core/policy.hpp"

#include <cstddef>
#include <cstdint>

namespace parallax::engine::hologram {

PolicyField planes_at_once_field();     ///< of a launch
PolicyField planes_together_field();    ///< of a work-group

/// Of a launch: as the policy says, else as many as fill the device and share enough; fewer where they take more than a sixteenth
/// of the memory, half of what the arrays leave of it, or more than an allocation can hold. 1 where a table of H is made for each plane, or kept for the only one. Launches are alike, but for rounding.
/// groups: work-groups of the column pass for one plane. bytes: what a plane takes between the passes.
std::int64_t planes_at_once(const PlanBuilder&, const Problem&, const Geometry&, const Policy&, std::int64_t groups,
                            std::size_t bytes);
/// Of these a work-group makes so many: all, where the groups of one plane fill the device, else as many as leave it full.
std::int64_t planes_together(const PlanBuilder&, const Policy&, std::int64_t groups, std::int64_t at_once);

}  // namespace parallax::engine::hologram
