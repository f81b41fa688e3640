// The variants of `diffusion_lb`, each in the file of its technique.
#pragma once

#include "core/plan.hpp"

namespace parallax::engine::diffusion_lb {

Variant simd_variant();       ///< for CPUs
Variant fused_variant();
Variant half_variant();
Variant in_place_variant();
Variant image_variant();       ///< the source paper's three
Variant local_variant();
Variant global_variant();
Variant threaded_variant();
Variant reference_variant();

}  // namespace parallax::engine::diffusion_lb
