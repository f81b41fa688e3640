// Parameters of `diffusion_lb`, the planes that an image is made of, and what they come to on a lattice.
#pragma once

#include "core/algorithm.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::engine::diffusion_lb {

enum class Lattice { d2q5, d2q9 };
enum class EdgeFunction {
    perona_malik_1,
    perona_malik_2,
    charbonnier,
    weickert
};   ///< as EDGE in kernels_cl/diffusion_lb/edges.clh

struct LbParameters {
    Lattice lattice = Lattice::d2q9;
    double step = .5;             ///< C: diffusivity where there are no edges, in pixels squared an iteration
    double threshold = 4;         ///< K, in grey levels of the image
    int iterations = 32;
    double sigma = 1;             ///< of the smoothing before the gradient, in pixels
    EdgeFunction edge_function = EdgeFunction::perona_malik_2;
    int update_edges_every = 1;
    double stop_below = 0;        ///< 0: never stops early
};

ParameterTable lb_table();

/// An image as planes of grey levels: slices by channels, each diffused by itself. Channels stand last in memory.
struct Planes {
    ElementType type = ElementType::f32;   ///< u8, u16 or f32
    std::int64_t width = 0, height = 0, slices = 1;
    int channels = 1;

    std::int64_t count() const noexcept { return slices * channels; }
    std::int64_t pixels() const noexcept { return width * height; }
};

/// Throws ConfigError under "/inputs/image" for what has no planes of grey levels.
Planes planes_of(const ArrayDesc& image);

/// Populations of a node, the one at rest included.
constexpr int populations(Lattice l) noexcept { return l == Lattice::d2q5 ? 5 : 9; }
/// b in omega = 2 / (1 + b g): C / (cs^2 / 2), and so that D = C g = cs^2 (1 / omega - 1 / 2).
constexpr double coupling(const LbParameters& p) noexcept { return p.step * (p.lattice == Lattice::d2q5 ? 5 : 6); }

/// What is left of the finest patterns, stripes and checkerboards of single pixels: |1 - omega|^(iterations / 2) without edges.
/// Of steps with b C above 1 a part of them flips its sign each time, and fades slowly where steps are large and few.
/// Mathematics: docs/theory/diffusion.md#steps-that-are-too-large
double left_of_finest(const LbParameters&) noexcept;
/// Where more than 0.005 is left: that, and what to do about it.
std::vector<std::string> step_warnings(const LbParameters&);

/// The Gaussian from its centre on, normalised over [-radius, radius], radius = int(3 sigma + .5).
std::vector<double> gaussian(double sigma);

}  // namespace parallax::engine::diffusion_lb
