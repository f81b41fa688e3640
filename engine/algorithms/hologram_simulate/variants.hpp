// The variants of `hologram_simulate` and what they share.
#pragma once

#include "algorithms/hologram_simulate/beads.hpp"
#include "core/algorithm.hpp"

namespace parallax::engine::hologram_simulate {

Variant device_variant();     ///< OpenCL: beads, angular spectrum, exposure (device_variant.cpp)
Variant reference_variant();  ///< native, double precision: the oracle (reference.cpp)

/// Intensity at the sensor in double precision, without quantisation: |AS(t, distance)|^2 + noise, row-major.
std::vector<double> reference_intensity(const SimulateParameters&, const std::vector<Bead>&);

/// Largest grey level: 255, 65535; 0 for f32.
int largest_level(PixelType) noexcept;

}  // namespace parallax::engine::hologram_simulate
