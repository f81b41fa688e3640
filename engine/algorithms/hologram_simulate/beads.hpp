// Beads and the light that passes them, in double precision: what every variant starts from.
#pragma once

#include <complex>
#include <vector>

#include "algorithms/hologram_simulate/parameters.hpp"

namespace parallax::engine::hologram_simulate {

/// Centre in pixels; whole numbers are centres of pixels.
struct Bead {
    double x = 0, y = 0;
};

/// Throws ConfigError where `count` beads do not fit: each keeps a pixel's diagonal from the others and from the edges.
std::vector<Bead> place_beads(const SimulateParameters&);

/// Complex transmission of the beads' plane, row-major, 1 where there is no bead. Opaque: 1 - coverage by the disc, of
/// 16 x 16 samples a pixel; phase: exp(i 2 pi delta_n 2 sqrt(a^2 - r^2) / lambda) at the pixel's centre, lambda in vacuum.
std::vector<std::complex<double>> transmission(const SimulateParameters&, const std::vector<Bead>&);

/// Noise of every pixel, scaled; empty without noise.
std::vector<float> noise_of(const SimulateParameters&);

/// Record `beads`: {"distance_um", "radius_um", "position_um": [[x, y], ...]}, from the centre of pixel (0, 0).
Json beads_record(const SimulateParameters&, const std::vector<Bead>&);

}  // namespace parallax::engine::hologram_simulate
