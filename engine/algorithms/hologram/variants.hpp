// The variants of `hologram`, in the order in which they are preferred (algorithm.cpp).
#pragma once

#include "core/algorithm.hpp"

namespace parallax::engine::hologram {

Variant fused_variant();        ///< GPU: half spectrum, columns forward x H x back in one kernel (fused.cpp)
Variant fused_mirrored_variant();   ///< the same for padding by reflection, on cosine transforms (fused_mirrored.cpp)
Variant fused_simd_variant();  ///< the same for CPUs, on wide vectors (fused_simd_variant.cpp)
Variant mirrored_simd_variant();    ///< reflection by cosine transforms for CPUs (mirrored_simd.cpp)
Variant mirrored_variant();     ///< reflection by cosine transforms, any FFT library (mirrored.cpp)
Variant staged_variant();       ///< every method, any FFT library, a kernel a step (staged.cpp)
Variant paper_variant();        ///< the source paper's convolution, step by step (paper.cpp)
Variant threaded_variant();     ///< native, all threads (reference_variant.cpp)
Variant reference_variant();    ///< native, serial, double precision: the oracle

}  // namespace parallax::engine::hologram
