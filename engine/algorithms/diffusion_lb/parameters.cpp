#include "algorithms/diffusion_lb/parameters.hpp"

#include "core/hints.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace parallax::engine::diffusion_lb {

ParameterTable lb_table() {
    using P = LbParameters;
    return TableBuilder<P>()
        .choice("lattice", &P::lattice, {{"D2Q5", Lattice::d2q5}, {"D2Q9", Lattice::d2q9}},
                "D2Q5: a node sends to its 4 neighbours; D2Q9: to 8, which is closer to the same in every direction.")
        .number("step", &P::step, {.min = 0, .max = 1e6},
                "C: diffusivity away from edges, in pixels squared an iteration. Nothing grows for any C; stripes of single "
                "pixels fade where steps are small or many.")
        .number("threshold", &P::threshold, {.min = 1e-12, .max = 1e12},
                "K: gradients above it are edges, in grey levels of the image as it is stored (0 to 255, 0 to 65535, or those of "
                "f32).")
        .integer("iterations", &P::iterations, {.min = 0, .max = 1000000}, "Number of steps.")
        .number("sigma", &P::sigma, {.min = 0, .max = 32},
                "Standard deviation, in pixels, of the Gaussian before the gradient is taken; 0: none.")
        .choice("edge_function", &P::edge_function,
                {{"perona_malik_1", EdgeFunction::perona_malik_1},
                 {"perona_malik_2", EdgeFunction::perona_malik_2},
                 {"charbonnier", EdgeFunction::charbonnier},
                 {"weickert", EdgeFunction::weickert}},
                "Diffusivity for r = |gradient|^2 / K^2: exp(-r), 1 / (1 + r), (1 + r)^-1/2, or 1 - exp(-3.31488 / r^4).")
        .integer("update_edges_every", &P::update_edges_every, {.min = 1, .max = 1000000},
                 "Steps from one look at the gradients to the next.")
        .number("stop_below", &P::stop_below, {.min = 0, .below = 1},
                "Stops a slice early once a step changes it by less than this, |I' - I| / |I| in the L2 norm; 0: never.")
        .build();
}

Planes planes_of(const ArrayDesc& image) {
    const char* const port = "/inputs/image";
    Planes p;
    p.type = image.type;
    if (p.type != ElementType::u8 && p.type != ElementType::u16 && p.type != ElementType::f32)
        throw ConfigError(port, image.describe(), "elements of type u8, u16 or f32", how_to_convert(image));
    if (!image.is_dense()) throw ConfigError(port, image.describe() + " with gaps", "a dense array");
    const bool has_channels = !image.axes.empty() && image.axes.back().name == 'c';
    const std::size_t plane_axes = has_channels ? 3 : 2, axes = image.axes.size();
    if (axes < plane_axes || image.axes[axes - plane_axes].name != 'y' || image.axes[axes - plane_axes + 1].name != 'x')
        throw ConfigError(port, image.describe(), "an image (y, x), channels (c) after them, stacks before");
    if (image.count() == 0) throw ConfigError(port, image.describe(), "an image with at least one pixel");
    p.height = image.size('y');
    p.width = image.size('x');
    if (p.width > std::numeric_limits<std::int32_t>::max() / 4 || p.height > std::numeric_limits<std::int32_t>::max() / 4)
        throw ConfigError(port, image.describe(), "at most 536870911 rows and columns");
    p.channels = has_channels ? static_cast<int>(image.axes.back().size) : 1;
    p.slices = image.count() / (p.pixels() * p.channels);
    return p;
}

double left_of_finest(const LbParameters& p) noexcept {
    return std::pow(std::abs(1 - 2 / (1 + coupling(p))), p.iterations / 2.0);
}

std::vector<std::string> step_warnings(const LbParameters& p) {
    const double b = coupling(p), left = left_of_finest(p);
    if (!(b > 1 && left > .005) || p.iterations == 0) return {};
    // 5.3 b C iterations are always enough: ln((b C + 1) / (b C - 1)) >= 2 / (b C), and 2 ln 200 / 2 is 5.3.
    const double time = p.step * p.iterations, enough = std::ceil(5.3 * b),
                 small = std::floor(1000 * std::sqrt(time / (5.3 * b / p.step))) / 1000;
    std::string text = fmt::format(
        "{} iterations of step {:g} leave {:.2g} of the finest patterns, which show as stripes and checkerboards: {:.0f} "
        "iterations of that step are enough",
        p.iterations, p.step, left, enough);
    if (small > 0)
        text += fmt::format(", and {:.0f} of step {:g} smooth as much as was asked for", std::ceil(time / small), small);
    return {text};
}

std::vector<double> gaussian(double sigma) {
    const int radius = static_cast<int>(3 * sigma + 0.5);
    std::vector<double> weights(static_cast<std::size_t>(radius) + 1, 1.0);
    double sum = 1;
    for (int k = 1; k <= radius; ++k) {
        weights[static_cast<std::size_t>(k)] = std::exp(-0.5 * k * k / (sigma * sigma));
        sum += 2 * weights[static_cast<std::size_t>(k)];
    }
    for (double& w : weights) w /= sum;
    return weights;
}

}  // namespace parallax::engine::diffusion_lb
