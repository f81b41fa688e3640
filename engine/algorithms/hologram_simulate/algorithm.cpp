// `hologram_simulate`: in-line holograms with known truth.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algorithms/hologram/optics.hpp"
#include "algorithms/hologram/physics.hpp"
#include "algorithms/hologram_simulate/variants.hpp"

namespace parallax::engine {
namespace {

using namespace hologram_simulate;

ArrayDescs infer(const Problem& problem) {
    const auto& p = problem.parameters.as<SimulateParameters>();
    ArrayDescs outputs;
    if (!problem.wants("hologram")) return outputs;
    const ElementType type = p.type == PixelType::u8    ? ElementType::u8
                             : p.type == PixelType::u16 ? ElementType::u16
                                                        : ElementType::f32;
    outputs.emplace("hologram", ArrayDesc::dense(type, {{'y', p.height}, {'x', p.width}})
                                    .with_unit("um")
                                    .with_spacing('x', p.pixel[0] * 1e6)
                                    .with_spacing('y', p.pixel[1] * 1e6));
    return outputs;
}

std::vector<std::string> warnings(const Problem& problem) {
    const auto& p = problem.parameters.as<SimulateParameters>();
    hologram::Geometry g;
    g.padded_width = p.width;
    g.padded_height = p.height;
    g.wavelength = p.wavelength / p.refractive_index;
    g.dx = p.pixel[0];
    g.dy = p.pixel[1];
    std::vector<std::string> warnings =
        hologram::setup_warnings({p.wavelength, p.pixel, std::fabs(p.distance), p.refractive_index});
    hologram::warn_of_radius(warnings, p.radius, p.wavelength, std::min(p.width * p.pixel[0], p.height * p.pixel[1]));
    const double limit = hologram::switch_distance(g);
    if (p.distance > limit) {
        warnings.push_back(fmt::format(
            "distance {:.6g} um is above the sampling limit of {:.6g} um for {} x {} pixels: fine fringes are left out; "
            "take more pixels",
            p.distance * 1e6, limit * 1e6, p.width, p.height));
    }
    return warnings;
}

}  // namespace

Algorithm make_hologram_simulate() {
    Algorithm a;
    a.name = "hologram_simulate";
    a.summary = "Makes the in-line hologram of opaque or transparent beads, with known truth";
    a.parameters = simulate_table();
    a.outputs = {
        {"hologram", "intensity (y, x), f32 with 1 for the light alone, or grey levels u8, u16", true, PortKind::array},
        {"beads", "where the beads are, from the centre of pixel (0, 0), their radius and distance", false, PortKind::record}};
    a.infer = infer;
    a.warnings = warnings;
    a.chunking = [](const Problem&) { return Division::no("every pixel depends on all beads"); };
    a.variants = {device_variant(), hologram_simulate::reference_variant()};
    return a;
}

}  // namespace parallax::engine
