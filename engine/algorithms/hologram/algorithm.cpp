// `hologram`: what goes in, what comes out, which shapes; the variants are in files of their own.
#include "algorithms/hologram/steps.hpp"
#include "algorithms/hologram/variants.hpp"

#include <fmt/format.h>

#include <cmath>

namespace parallax::engine {

namespace {

using namespace hologram;

Geometry geometry_of(const Problem& problem) {
    const ArrayDesc& image = problem.inputs.at("hologram");
    return resolve(problem.parameters.as<HologramParameters>(), image.size('x'), image.size('y'));
}

void check_image(const Problem& problem, const std::string& port) {
    const auto found = problem.inputs.find(port);
    if (found == problem.inputs.end()) return;
    const ArrayDesc& desc = found->second;
    const std::string pointer = "/inputs/" + port;
    if (desc.size('x') * desc.size('y') != desc.count()) {
        throw ConfigError(pointer, desc.describe(), "one image (y, x)",
                          "choose a page with {\"file\": ..., \"page\": 0}, or combine several with \"combine\": \"mean\"");
    }
    if (is_complex(desc.type)) throw ConfigError(pointer, desc.describe(), "a real image");
    if (desc.count() == 0) throw ConfigError(pointer, desc.describe(), "an image with at least one pixel");
    if (desc.size('x') > 32768 || desc.size('y') > 32768) {
        throw ConfigError(pointer, desc.describe(), "at most 32768 pixels in x and in y", "cut the hologram into parts");
    }
    const ArrayDesc& image = problem.inputs.at("hologram");
    if (desc.size('x') != image.size('x') || desc.size('y') != image.size('y')) {
        throw ConfigError(pointer, desc.describe(), fmt::format("the hologram's size, {} x {}", image.size('x'), image.size('y')));
    }
}

/// The order lies inside the hologram's spectrum, and something of it is kept.
void check_off_axis(const OffAxis& order, const Geometry& g) {
    if (order.automatic) return;
    if (!(order.radius > 0)) {
        throw ConfigError("/off_axis/radius", fmt::format("a radius of {}", order.radius), "the radius of the disc that is kept, above 0 pixels of the spectrum",
                          "a third of the distance from the centre to the carrier is usual, and what \"off_axis\": \"auto\" takes");
    }
    const auto check = [](const char* pointer, double value, std::int64_t size, const char* axis) {
        if (std::fabs(value) * 2 <= static_cast<double>(size)) return;
        throw ConfigError(pointer, fmt::format("{}", value), fmt::format("{} to {}: the hologram's spectrum has {} pixels in {}", -(size / 2), size / 2, size, axis));
    };
    check("/off_axis/x", order.x, g.width, "x");
    check("/off_axis/y", order.y, g.height, "y");
}

ArrayDescs infer(const Problem& problem) {
    for (const char* port : {"hologram", "background", "dark"}) check_image(problem, port);
    const auto& p = problem.parameters.as<HologramParameters>();
    const Geometry g = geometry_of(problem);
    if (p.off_axis) check_off_axis(*p.off_axis, g);
    if (p.planes == Planes::best && !p.autofocus) {
        throw ConfigError("/planes", "\"best\"", "autofocus with it", "add \"autofocus\": {\"object\": \"amplitude\"}");
    }
    if (problem.wants("focus") && !p.autofocus) {
        throw ConfigError("/outputs/focus", "the output \"focus\"", "autofocus in the step", "add \"autofocus\": {\"object\": \"amplitude\"}");
    }
    if (problem.wants("carrier") && !p.off_axis) {
        throw ConfigError("/outputs/carrier", "the output \"carrier\"", "off_axis in the step", "add \"off_axis\": \"auto\"");
    }
    if (p.autofocus && p.autofocus->region) {
        const auto& r = *p.autofocus->region;
        if (r[0] < 0 || r[1] < 0 || r[2] < 3 || r[3] < 3 || r[0] + std::int64_t{r[2]} > output_width(g) || r[1] + std::int64_t{r[3]} > output_height(g)) {
            throw ConfigError("/autofocus/region", fmt::format("[{}, {}, {}, {}]", r[0], r[1], r[2], r[3]),
                              fmt::format("[x, y, width, height] of at least 3 x 3 pixels inside the {} x {} image", output_width(g), output_height(g)));
        }
    }
    if (p.autofocus && (output_width(g) < 3 || output_height(g) < 3)) {
        throw ConfigError("/autofocus", fmt::format("an image of {} x {}", output_width(g), output_height(g)), "at least 3 x 3 pixels");
    }

    const bool stack = g.distances.size() > 1 && p.planes == Planes::all;
    const auto shape = [&](ElementType type) {
        std::vector<ArrayDesc::Extent> extents;
        if (stack) extents.push_back({'z', static_cast<std::int64_t>(g.distances.size())});
        extents.push_back({'y', output_height(g)});
        extents.push_back({'x', output_width(g)});
        ArrayDesc d = ArrayDesc::dense(type, extents).with_unit("um").with_spacing('x', g.out_dx * 1e6).with_spacing('y', g.out_dy * 1e6);
        return stack ? d.with_spacing('z', std::fabs(g.distances[1] - g.distances[0]) * 1e6) : d;
    };
    ArrayDescs outputs;
    for (const char* port : {"amplitude", "phase", "intensity"}) {
        if (problem.wants(port)) outputs.emplace(port, shape(ElementType::f32));
    }
    if (problem.wants("field")) outputs.emplace("field", shape(ElementType::c64));
    return outputs;
}

}  // namespace

Algorithm make_hologram() {
    Algorithm a;
    a.name = "hologram";
    a.summary = "Reconstructs a digital hologram at one or many distances, with autofocus";
    a.parameters = hologram_table();
    a.inputs = {{"hologram", "the recorded intensity, one image (y, x) of any real type", true, PortKind::array},
                {"background", "the same view without the object; h = (H - D) / (B - D)", false, PortKind::array},
                {"dark", "the camera's image without light", false, PortKind::array}};
    a.outputs = {{"amplitude", "|U|, f32 (y, x), or (z, y, x) for several distances", true, PortKind::array},
                 {"phase", "arg U in radians, f32", false, PortKind::array},
                 {"intensity", "|U|^2, f32", false, PortKind::array},
                 {"field", "U, complex64", false, PortKind::array},
                 {"focus", "the metric of every plane, the best plane, the best distance refined by a parabola", false, PortKind::record},
                 {"carrier", "off_axis: the order that was isolated, in pixels of the hologram's spectrum", false, PortKind::record}};
    a.infer = infer;
    a.warnings = [](const Problem& problem) { return sampling_warnings(problem.parameters.as<HologramParameters>(), geometry_of(problem)); };
    a.chunking = [](const Problem&) { return Division::no("every pixel depends on the whole hologram; ask for fewer distances or outputs at once, or for the best plane alone"); };
    a.plan_key = [](const Problem& problem) { return std::to_string(static_cast<int>(geometry_of(problem).method)); };
    a.variants = {fused_lanes_variant(), fused_variant(), staged_variant(), paper_variant(), threaded_variant(), reference_variant()};
    return a;
}

}  // namespace parallax::engine
