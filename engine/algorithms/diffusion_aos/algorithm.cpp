// `diffusion_aos`: what goes in and what comes out.
#include "algorithms/diffusion_aos/parameters.hpp"
#include "core/chunking.hpp"

namespace parallax::engine {
namespace diffusion_aos {
namespace {

ArrayDescs infer(const Problem& problem) {
    const ArrayDesc& image = problem.inputs.at("image");
    diffusion_lb::planes_of(image);
    return {{"image", image}};
}

}  // namespace

ParameterTable aos_table() {
    using P = AosParameters;
    return TableBuilder<P>()
        .number("tau", &P::tau, {.min = 0, .max = 1e6},
                "Step in time, in pixels squared where there are no edges. Stable for any; accurate for small ones.")
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
        .build();
}

}  // namespace diffusion_aos

Algorithm make_diffusion_aos() {
    Algorithm a;
    a.name = "diffusion_aos";
    a.summary = "Smooths an image and keeps its edges: non-linear diffusion by additive operator splitting";
    a.parameters = diffusion_aos::aos_table();
    a.inputs = {
        {"image", "u8, u16 or f32 (..., y, x) or (..., y, x, c); each slice and channel by itself", true, PortKind::array}};
    a.outputs = {{"image", "of the same shape and type", true, PortKind::array}};
    a.infer = diffusion_aos::infer;
    a.chunking = [](const Problem& problem) {
        const ArrayDesc& image = problem.inputs.at("image");
        Division slices = along_stack(image, image.find('c') ? 3 : 2);
        if (slices.ways.empty()) slices.why_not = "its lines are solved from end to end; only slices can be taken by themselves";
        return slices;
    };
    a.variants = {diffusion_aos::device_variant(), diffusion_aos::reference_variant()};
    return a;
}

}  // namespace parallax::engine
