// `diffusion_lb`: what goes in and what comes out.
#include "algorithms/diffusion_lb/variants.hpp"
#include "algorithms/diffusion_lb/parameters.hpp"
#include "core/chunking.hpp"

namespace parallax::engine {
namespace {

using namespace diffusion_lb;

ArrayDescs infer(const Problem& problem) {
    const ArrayDesc& image = problem.inputs.at("image");
    planes_of(image);
    if (!problem.wants("image")) return {};
    return {{"image", image}};
}

/// Slices by themselves; rows with as many neighbours as the steps reach: one a step, and the window of the gradient where a
/// step looks at it.
Division ways_to_cut(const Problem& problem) {
    const ArrayDesc& image = problem.inputs.at("image");
    const auto& p = problem.parameters.as<LbParameters>();
    Division division = along_stack(image, image.find('c') ? 3 : 2);
    if (p.stop_below > 0) {
        if (division.ways.empty()) division.why_not = "stop_below looks at whole slices";
        return division;
    }
    const auto gradient = static_cast<std::int64_t>(gaussian(p.sigma).size());   // its radius, and one for the difference
    const std::int64_t looks = (p.iterations + p.update_edges_every - 1) / p.update_edges_every;
    division.ways.push_back({.axis = 'y', .halo = p.iterations + looks * gradient});
    return division;
}

}  // namespace

Algorithm make_diffusion_lb() {
    Algorithm a;
    a.name = "diffusion_lb";
    a.summary = "Smooths an image and keeps its edges: non-linear diffusion by lattice Boltzmann";
    a.parameters = lb_table();
    a.inputs = {
        {"image", "u8, u16 or f32 (..., y, x) or (..., y, x, c); each slice and channel by itself", true, PortKind::array}};
    a.outputs = {{"image", "of the same shape and type", true, PortKind::array},
                 {"iterations", "steps taken, a number for each slice and channel", false, PortKind::record}};
    a.infer = infer;
    a.warnings = [](const Problem& problem) { return step_warnings(problem.parameters.as<LbParameters>()); };
    a.chunking = ways_to_cut;
    a.variants = {simd_variant(),  fused_variant(),  half_variant(), in_place_variant(), image_variant(),
                  local_variant(),  global_variant(), diffusion_lb::threaded_variant(), diffusion_lb::reference_variant()};
    return a;
}

}  // namespace parallax::engine
