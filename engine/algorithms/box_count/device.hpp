// What the variants of kernels share.
#pragma once

#include "algorithms/box_count/box_count.hpp"
#include "core/plan.hpp"

#include <functional>
#include <span>

namespace parallax::engine::box_count {

/// ELEMENT_BYTES, IS_FLOAT, FLIP, UP_TO_MAX and DIMS of voxels.clh.
host::Defines voxel_defines(const BoxCountSpec&);
/// The bands as the kernels compare them: pairs of floats or of u32.
host::Buffer band_buffer(PlanBuilder&, const BoxCountSpec&);
/// Leaves `counts`, and `plot` where it is wanted, made of what `counts_in` finds in the first bytes of a buffer.
void record_counts(Execution&, const Problem&, const BoxCountSpec&, const host::Buffer&, std::size_t bytes,
                   std::function<Counted(std::span<const std::byte>)> counts_in);

}  // namespace parallax::engine::box_count
