// Lattice-Boltzmann diffusion as it is written down, in double precision: the oracle of the other variants.
#pragma once

#include "algorithms/diffusion_lb/parameters.hpp"

namespace parallax::engine::diffusion_lb {

/// g of r = |gradient|^2 / K^2.
double diffusivity(EdgeFunction, double r) noexcept;

/// Diffuses one plane, row-major, and says how many steps it took. `threads` 0: as many as can run at once; the result
/// does not depend on it.
int diffuse(const LbParameters&, std::int64_t width, std::int64_t height, double* image, int threads = 1);
/// What that takes beside the plane.
std::int64_t diffusion_bytes(const LbParameters&, std::int64_t width, std::int64_t height) noexcept;

}  // namespace parallax::engine::diffusion_lb
