// What the variants of kernels share.
#pragma once

#include "algorithms/box_count/box_count.hpp"
#include "core/plan.hpp"

namespace parallax::engine::box_count {

/// ELEMENT_BYTES, IS_FLOAT, FLIP, UP_TO_MAX and DIMS of voxels.clh.
host::Defines voxel_defines(const BoxCountSpec&);
/// The bands as the kernels compare them: pairs of floats or of u32.
host::Buffer band_buffer(PlanBuilder&, const BoxCountSpec&);
/// A variant that runs kernels.
Variant device_variant(std::string name, std::string summary, Role, std::vector<std::string> kernels, PolicyTable);

}  // namespace parallax::engine::box_count
