// `hologram`: what goes in, what comes out, which shapes; the variants are in files of their own.
#include "algorithms/hologram/carrier.hpp"
#include "algorithms/hologram/physics.hpp"
#include "algorithms/hologram/steps.hpp"
#include "algorithms/hologram/variants.hpp"
#include "core/turned.hpp"

#include <fmt/format.h>

#include <cmath>

namespace parallax::engine {

namespace {

using namespace hologram;

void check_image(const Problem& problem, const std::string& port) {
    const auto found = problem.inputs.find(port);
    if (found == problem.inputs.end()) return;
    const ArrayDesc& desc = found->second;
    const std::string pointer = "/inputs/" + port;
    if (desc.size('x') * desc.size('y') != desc.count()) {
        throw ConfigError(pointer, desc.describe(), "one image (y, x)",
                          "choose a page with {\"file\": ..., \"page\": 0}, or combine several with \"combine\": \"mean\"");
    }
    if (is_turned(desc)) throw ConfigError(pointer, desc.describe(), "y before x");
    if (is_complex(desc.type)) throw ConfigError(pointer, desc.describe(), "a real image");
    if (desc.count() == 0) throw ConfigError(pointer, desc.describe(), "an image with at least one pixel");
    if (desc.size('x') > 32768 || desc.size('y') > 32768) {
        throw ConfigError(pointer, desc.describe(), "at most 32768 pixels in x and in y", "cut the hologram into parts");
    }
    const ArrayDesc& image = problem.inputs.at("hologram");
    if (desc.size('x') != image.size('x') || desc.size('y') != image.size('y')) {
        throw ConfigError(pointer, desc.describe(),
                          fmt::format("the hologram's size, {} x {}", image.size('x'), image.size('y')));
    }
}

/// The order that a job states lies inside the hologram's spectrum and leaves out the middle; a background is no reference.
void check_off_axis(const Problem& problem, const OffAxis& order, const Geometry& g) {
    if (!order.is_searched()) {
        check_carrier(stated_carrier(order), g.width, g.height);
        check_side(order);
    }
    if (problem.inputs.count("background") == 0) return;
    throw ConfigError(
        "/inputs/background", "a background beside off_axis",
        "a hologram alone: dividing intensities also divides the fringes, and bends the phase",
        "leave background out: the order is apart from the uneven light already. A hologram taken without the object corrects "
        "the "
        "phase as a field: reconstruct both with the same off_axis numbers, and divide one output `field` by the other");
}

/// Planes that are equally far apart, or 0.
double plane_spacing(const std::vector<double>& distances) {
    const double step = distances[1] - distances[0];
    for (std::size_t i = 1; i < distances.size(); ++i) {
        if (std::fabs(distances[i] - distances[i - 1] - step) > 1e-6 * std::fabs(step)) return 0;
    }
    return std::fabs(step);
}

/// Axes, and a spacing where all planes have the same and are equally far apart.
ArrayDesc describe_planes(const Geometry& g, bool stack, ElementType type) {
    std::vector<ArrayDesc::Extent> extents;
    if (stack) extents.push_back({'z', static_cast<std::int64_t>(g.distances.size())});
    extents.push_back({'y', output_height(g)});
    extents.push_back({'x', output_width(g)});
    const ArrayDesc d = ArrayDesc::dense(type, extents);
    if (!has_one_output_pixel(g)) return d;
    const auto pixel = output_pixel(g, 0);
    const ArrayDesc image = d.with_unit("um").with_spacing('x', pixel[0] * 1e6).with_spacing('y', pixel[1] * 1e6);
    if (!stack) return image;
    const double step = plane_spacing(g.distances);
    return step > 0 ? image.with_spacing('z', step * 1e6) : d;
}

std::vector<std::string> warnings_of(const Problem& problem) {
    const auto& p = problem.parameters.as<HologramParameters>();
    const Geometry g = resolve(problem);
    std::vector<std::string> all;
    const auto add = [&](std::vector<std::string> some) { all.insert(all.end(), some.begin(), some.end()); };
    add(physics_warnings(problem));
    add(sampling_warnings(p, g));
    add(pixel_warnings(p, g));
    if (p.off_axis && !p.off_axis->is_searched()) add(carrier_warnings(stated_carrier(*p.off_axis), g.width, g.height));
    if (p.planes == Planes::all && g.distances.size() > 1 && has_one_output_pixel(g) && plane_spacing(g.distances) == 0) {
        all.push_back(
            "the distances are not equally far apart, so their stack carries no spacing; the record `planes` has the distance "
            "of each");
    }
    return all;
}

/// What kernels of a plan depend on beside the parameters that stay: how many planes, and which families of methods.
std::string plan_key(const Problem& problem) {
    const Geometry g = resolve(problem);
    return fmt::format("{} planes{}{}", g.distances.size(), has_transfer_function(g) ? ", transfer functions" : "",
                       has_impulse_response(g) ? ", impulse responses" : "");
}

ArrayDescs infer(const Problem& problem) {
    for (const char* port : {"hologram", "background", "dark"}) check_image(problem, port);
    const auto& p = problem.parameters.as<HologramParameters>();
    const Geometry g = resolve(problem);
    if (p.off_axis) check_off_axis(problem, *p.off_axis, g);
    if (p.planes == Planes::best && !p.autofocus) {
        throw ConfigError("/planes", "\"best\"", "autofocus with it", "add \"autofocus\": {\"object\": \"amplitude\"}");
    }
    if (problem.wants("focus") && !p.autofocus) {
        throw ConfigError("/outputs/focus", "the output \"focus\"", "autofocus in the step",
                          "add \"autofocus\": {\"object\": \"amplitude\"}");
    }
    if (problem.wants("carrier") && !p.off_axis) {
        throw ConfigError("/outputs/carrier", "the output \"carrier\"", "off_axis in the step", "add \"off_axis\": \"auto\"");
    }
    if (p.autofocus && p.autofocus->region) {
        const auto& r = *p.autofocus->region;
        if (r[0] < 0 || r[1] < 0 || r[2] < 3 || r[3] < 3 || r[0] + std::int64_t{r[2]} > output_width(g) ||
            r[1] + std::int64_t{r[3]} > output_height(g)) {
            throw ConfigError("/autofocus/region", fmt::format("[{}, {}, {}, {}]", r[0], r[1], r[2], r[3]),
                              fmt::format("[x, y, width, height] of at least 3 x 3 pixels inside the {} x {} image",
                                          output_width(g), output_height(g)));
        }
    }
    if (p.autofocus && (output_width(g) < 3 || output_height(g) < 3)) {
        throw ConfigError("/autofocus", fmt::format("an image of {} x {}", output_width(g), output_height(g)),
                          "at least 3 x 3 pixels");
    }

    const bool stack = g.distances.size() > 1 && p.planes == Planes::all;
    ArrayDescs outputs;
    for (const char* port : {"amplitude", "phase", "intensity"}) {
        if (problem.wants(port)) outputs.emplace(port, describe_planes(g, stack, ElementType::f32));
    }
    if (problem.wants("field")) outputs.emplace("field", describe_planes(g, stack, ElementType::c64));
    return outputs;
}

}  // namespace

/// The carrier of off-axis holograms.
static Finding carrier_finding() {
    return {
        .record = "carrier",
        .needed =
            [](const Parameters& parameters) {
                const auto& p = parameters.as<hologram::HologramParameters>();
                return p.off_axis && p.off_axis->is_searched();
            },
        .fix =
            [](const Json& parameters, const Json& record) {
                Json fixed = parameters;
                fixed["off_axis"] = Json{{"x", record.at("x")}, {"y", record.at("y")}, {"radius", record.at("radius")}};
                return fixed;
            },
        .input = "hologram",
        .strength = [](const Json& record,
                       const HostArray& hologram) { return fringes_at(hologram, record.at("x"), record.at("y")); },
        .doubt =
            [](const Json& record, const std::string& item) {
                return fmt::format(
                    "off_axis: at the carrier ({:.6g}, {:.6g}), which was found in {}, this hologram has less than a tenth "
                    "of that one's fringes: it is in-line, or its carrier is another one; leave it out of the series, or run it "
                    "by itself",
                    record.at("x").get<double>(), record.at("y").get<double>(), item);
            }};
}

Algorithm make_hologram() {
    Algorithm a;
    a.name = "hologram";
    a.summary = "Reconstructs a digital hologram at one or many distances, with autofocus";
    a.parameters = hologram_table();
    a.inputs = {{"hologram", "the recorded intensity, one image (y, x) of any real type", true, PortKind::array},
                {"background", "the same view without the object; h = (H - D) / (B - D), and 1 where B is not above D", false,
                 PortKind::array},
                {"dark", "the camera's image without light", false, PortKind::array}};
    a.outputs = {
        {"amplitude", "|U|, f32 (y, x), or (z, y, x) for several distances", true, PortKind::array},
        {"phase", "arg U in radians, f32", false, PortKind::array},
        {"intensity", "|U|^2, f32", false, PortKind::array},
        {"field", "U, complex64", false, PortKind::array},
        {"focus",
         "the metric of every plane, the best plane, the best distance refined by a parabola, and whether to trust it: at_end, "
         "flat, "
         "symmetric",
         false, PortKind::record},
        {"carrier", "off_axis: the order that was isolated, in pixels of the hologram's spectrum, and how sure the search is",
         false, PortKind::record},
        {"planes", "of every plane its distance, the method that made it, and its pixel", false, PortKind::record}};
    a.infer = infer;
    a.warnings = warnings_of;
    a.chunking = [](const Problem&) {
        return Division::no(
            "every pixel depends on the whole hologram; ask for fewer distances or outputs at once, or for the best plane alone");
    };
    a.plan_key = plan_key;
    a.finding = carrier_finding();
    a.variants = {mirrored_simd_variant(),  fused_simd_variant(), fused_variant(), fused_mirrored_variant(), mirrored_variant(),
                  staged_variant(),         paper_variant(),      threaded_variant(), reference_variant()};
    return a;
}

}  // namespace parallax::engine
