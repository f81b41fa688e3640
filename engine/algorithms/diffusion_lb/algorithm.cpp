// `diffusion_lb`: what goes in and what comes out.
#include "algorithms/diffusion_lb/variants.hpp"
#include "algorithms/diffusion_lb/parameters.hpp"

namespace parallax::engine {
namespace {

using namespace diffusion_lb;

ArrayDescs infer(const Problem& problem) {
    const ArrayDesc& image = problem.inputs.at("image");
    planes_of(image);
    if (!problem.wants("image")) return {};
    return {{"image", image}};
}

}  // namespace

Algorithm make_diffusion_lb() {
    Algorithm a;
    a.name = "diffusion_lb";
    a.summary = "Smooths an image and keeps its edges: non-linear diffusion by lattice Boltzmann";
    a.parameters = lb_table();
    a.inputs = {{"image", "u8, u16 or f32 (..., y, x) or (..., y, x, c); each slice and channel by itself", true, PortKind::array}};
    a.outputs = {{"image", "of the same shape and type", true, PortKind::array},
                 {"iterations", "steps taken, a number for each slice and channel", false, PortKind::record}};
    a.infer = infer;
    a.chunking = [](const Problem&) { return Chunking{}; };
    a.variants = {lanes_variant(),  fused_variant(),  half_variant(), in_place_variant(), image_variant(),
                  local_variant(),  global_variant(), diffusion_lb::threaded_variant(), diffusion_lb::reference_variant()};
    return a;
}

}  // namespace parallax::engine
