// Parameters of `diffusion_aos`, its variants, and the serial solution.
#pragma once

#include "algorithms/diffusion_lb/parameters.hpp"

namespace parallax::engine::diffusion_aos {

using diffusion_lb::EdgeFunction;

struct AosParameters {
    double tau = 1;               ///< step in time: diffusivity 1 away from edges, in pixels squared an iteration
    double threshold = 4;         ///< K, in grey levels of the image
    int iterations = 16;
    double sigma = 1;
    EdgeFunction edge_function = EdgeFunction::perona_malik_2;
    int update_edges_every = 1;
};

ParameterTable aos_table();

/// Diffuses one plane, row-major, in double precision.
void diffuse(const AosParameters&, std::int64_t width, std::int64_t height, double* image);

Variant device_variant();
Variant reference_variant();

}  // namespace parallax::engine::diffusion_aos
