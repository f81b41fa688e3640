// Every device variant of `hologram` against the double-precision reference: all methods, paddings and outputs, odd, even
// and prime sizes, stacks, focus on the device, off-axis, and what happens from frame to frame.
#include "algorithms/hologram/physics.hpp"
#include "algorithms/hologram/reference.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "peers/peers.hpp"
#include "seed.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <vector>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;

namespace {

struct Image {
    std::int64_t width, height;
    std::vector<std::uint8_t> pixels;
};

/// A few rings on a noisy background: structure at all scales, no symmetry.
Image rings(std::int64_t width, std::int64_t height, unsigned seed = 1) {
    std::mt19937 random(seed);
    Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height))};
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            const double r = std::hypot(static_cast<double>(x) - 0.4 * static_cast<double>(width),
                                        static_cast<double>(y) - 0.55 * static_cast<double>(height));
            const double v = 120 + 60 * std::cos(0.02 * r * r) * std::exp(-r / 40) + static_cast<double>(random() % 17);
            image.pixels[static_cast<std::size_t>(y * width + x)] = static_cast<std::uint8_t>(v);
        }
    }
    return image;
}

HostArray host_array(const Image& image) {
    HostArray a = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', image.height}, {'x', image.width}}));
    std::memcpy(a.data(), image.pixels.data(), image.pixels.size());
    return a;
}

std::vector<double> to_double(const Image& image) { return {image.pixels.begin(), image.pixels.end()}; }

struct Reference {
    std::vector<std::vector<std::complex<double>>> planes;
    Geometry geometry;
};

Reference reference(const Parameters& parameters, const Image& image) {
    const auto& p = parameters.as<HologramParameters>();
    Reference r;
    r.geometry = resolve(p, image.width, image.height);
    reference_reconstruct(p, r.geometry, to_double(image), 0,
                          [&](std::size_t, const std::vector<std::complex<double>>& field) { r.planes.push_back(field); });
    return r;
}

double relative_error(const HostArray& amplitude, const std::vector<std::vector<std::complex<double>>>& planes) {
    double error = 0, norm = 0;
    const float* a = amplitude.as<float>();
    for (const auto& plane : planes) {
        for (const auto& u : plane) {
            const double expected = std::abs(u);
            error += std::pow(*a++ - expected, 2);
            norm += expected * expected;
        }
    }
    return norm > 0 ? std::sqrt(error / norm) : std::sqrt(error);
}

double relative_field_error(const HostArray& field, const std::vector<std::complex<double>>& plane) {
    double error = 0, norm = 0;
    const auto* u = field.as<std::complex<float>>();
    for (const auto& expected : plane) {
        error += std::norm(std::complex<double>(*u++) - expected);
        norm += std::norm(expected);
    }
    return std::sqrt(error / norm);
}

/// With the light, camera and distance of these tests where the text has none.
Parameters parse(const Algorithm& algorithm, const std::string& text) {
    Json all = Json::parse(text);
    const auto has = [&](const char* name) {
        for (const auto& [key, value] : all.items()) {
            if (key.starts_with(name)) return true;
        }
        return false;
    };
    if (!has("wavelength_")) all["wavelength_nm"] = 532;
    if (!has("pixel_")) all["pixel_um"] = 1.4;
    if (!has("distance_")) all["distance_um"] = 1000;
    return algorithm.parameters.parse(all, "");
}

/// Runs `check` on every device that runs kernels.
template <class F>
void on_each_device(F check) {
    for (const auto& device : parallax::tests::devices_under_test()) {
        if (device->info().backend == host::Backend::native) continue;
        CAPTURE(device->info().name);
        Engine engine(*device, registry_with_peers());
        Session session(engine);
        check(session);
    }
}

CallResult run(Session& session, const Parameters& parameters, const Image& image, const std::string& variant,
               std::vector<std::string> outputs = {}, const Json& policy = Json::object()) {
    Call call;
    call.policy = policy;
    call.algorithm = &session.engine().registry().get("hologram");
    call.parameters = parameters;
    call.variant = variant;
    call.outputs = std::move(outputs);
    call.inputs.emplace("hologram", session.upload(host_array(image)));
    return session.run(call);
}

/// The same; by another variant, which the engine chooses, where the driver's compiler ends the process that tries this one's
/// kernels (PoCL 6 does for some lengths of lines, docs/drivers.md).
CallResult run_or_another(Session& session, const Parameters& parameters, const Image& image, const std::string& variant,
                          const std::vector<std::string>& outputs, const Json& policy = Json::object()) {
    try {
        return run(session, parameters, image, variant, outputs, policy);
    } catch (const UnsupportedError& error) {
        if (std::string(error.what()).find("the driver's compiler ended the process") == std::string::npos) throw;
        MESSAGE(variant, ": ", std::string(error.what()));
        CallResult result = run(session, parameters, image, "", outputs);
        CHECK(result.variant != variant);
        return result;
    }
}

/// Variants of hologram on kernels that support the problem; checks that at least one does.
std::vector<std::string> device_variants(Session& session, const Parameters& parameters, const Image& image,
                                         std::vector<std::string> outputs) {
    const Algorithm& algorithm = session.engine().registry().get("hologram");
    Problem problem{{{"hologram", host_array(image).desc}}, parameters, std::move(outputs)};
    std::vector<std::string> names;
    for (const Variant& v : algorithm.variants) {
        if (std::find(v.backends.begin(), v.backends.end(), session.engine().device().backend) == v.backends.end()) continue;
        if (v.supports(problem, session.engine().context())) names.push_back(v.name);
    }
    CHECK_FALSE(names.empty());
    return names;
}

/// Of a step by that name, since the profiler was cleared.
std::size_t launches_of(const Profiler& profiler, const std::string& name) {
    const auto is_one = [&](const Profiler::Entry& entry) { return !entry.path.empty() && entry.path.back() == name; };
    return static_cast<std::size_t>(std::count_if(profiler.entries().begin(), profiler.entries().end(), is_one));
}

/// Ways of one variant that differ in what is kept from frame to frame.
std::vector<Json> ways_of(const Algorithm& algorithm, const std::string& variant) {
    const PolicyTable& table = algorithm.variant(variant)->policy;
    const auto keeps = [](const PolicyField& field) { return field.name == "keep_transfer"; };
    if (std::none_of(table.begin(), table.end(), keeps)) return {Json::object()};
    return {Json{{"keep_transfer", 1}}, Json{{"keep_transfer", 0}}};
}

/// A policy of one variant, half of its fields drawn from what they may be.
Json drawn_policy(const Algorithm& algorithm, const std::string& variant, std::mt19937& random) {
    Json policy = Json::object();
    for (const PolicyField& field : algorithm.variant(variant)->policy)
        if (random() % 2 == 0) policy[field.name] = field.choices[random() % field.choices.size()];
    return policy;
}

struct Case {
    const char* name;
    std::int64_t width, height;
    const char* parameters;
};

const Case cases[] = {
    {"angular spectrum", 96, 80, R"({"method": "angular_spectrum", "distance_um": 300})"},
    {"angular spectrum without band limit", 64, 64, R"({"method": "angular_spectrum", "distance_um": 150, "band_limit": false})"},
    {"angular spectrum of a microscope", 64, 48,
     R"({"method": "angular_spectrum", "wavelength_nm": 532, "refractive_index": 1.52, "pixel_nm": 38.8007,
         "distance_um": 7.2822})"},
    {"forward", 60, 70, R"({"method": "angular_spectrum", "distance_um": -300})"},
    {"distance zero", 32, 32, R"({"method": "angular_spectrum", "distance_um": 0})"},
    {"fresnel", 75, 80, R"({"method": "fresnel", "distance_um": 400})"},
    {"convolution", 80, 64, R"({"method": "convolution", "distance_um": 4000})"},
    {"convolution without padding", 128, 96, R"({"method": "convolution", "distance_um": 4000, "padding": "none"})"},
    {"rayleigh sommerfeld", 81, 64, R"({"method": "rayleigh_sommerfeld", "distance_um": 3000})"},
    {"rayleigh sommerfeld forward", 64, 81, R"({"method": "rayleigh_sommerfeld", "distance_um": -3000})"},
    {"single transform", 64, 60, R"({"method": "fresnel_single_fft", "distance_mm": 20, "padding": "none"})"},
    {"single transform of odd sizes", 63, 45, R"({"method": "fresnel_single_fft", "distance_mm": 20, "padding": "none"})"},
    {"single transform forward", 64, 60, R"({"method": "fresnel_single_fft", "distance_mm": -20, "padding": "none"})"},
    {"single transform padded", 50, 40, R"({"method": "fresnel_single_fft", "distance_mm": 20, "padding": "zero"})"},
    {"padded by reflection", 50, 37, R"({"method": "angular_spectrum", "distance_um": 300, "padding": "reflect"})"},
    {"padded by zero", 50, 37, R"({"method": "angular_spectrum", "distance_um": 300, "padding": "zero"})"},
    {"odd size without padding", 51, 39, R"({"method": "angular_spectrum", "distance_um": 200, "padding": "none"})"},
    {"prime size without padding", 101, 53, R"({"method": "rayleigh_sommerfeld", "distance_um": 2000, "padding": "none"})"},
    {"smooth size without padding", 96, 64, R"({"method": "fresnel", "distance_um": 200, "padding": "none"})"},
    {"one pixel", 1, 1, R"({"method": "angular_spectrum", "distance_um": 10})"},
    {"one pixel without padding", 1, 1, R"({"method": "angular_spectrum", "distance_um": 10, "padding": "none"})"},
    {"one row", 37, 1, R"({"method": "angular_spectrum", "distance_um": 10, "padding": "none"})"},
    {"one column", 1, 40, R"({"method": "fresnel", "distance_um": 10, "padding": "none"})"},
    {"rectangular pixels", 64, 48, R"({"method": "angular_spectrum", "pixel_um": [1.4, 2.8], "distance_um": 300})"},
    {"off axis", 96, 80, R"({"method": "angular_spectrum", "distance_um": 200, "off_axis": {"x": 12, "y": -9, "radius": 7}})"},
    {"off axis without padding", 96, 80,
     R"({"method": "fresnel", "distance_um": 200, "padding": "none", "off_axis": {"x": 12, "y": -9, "radius": 7}})"},
    {"off axis, single transform", 96, 80,
     R"({"method": "fresnel_single_fft", "distance_mm": 30, "padding": "none", "off_axis": {"x": -12, "y": -9, "radius": 7}})"},
    {"off axis between pixels", 97, 83,
     R"({"method": "angular_spectrum", "distance_um": 200, "off_axis": {"x": 12.43, "y": -9.29}})"},
    {"reflected, for wide vectors", 272, 51,
     R"({"method": "angular_spectrum", "distance_um": [300, -150], "padding": "reflect"})"},
    {"reflected, an odd number of vectors", 336, 64, R"({"method": "fresnel", "distance_um": 400, "padding": "reflect"})"},
    {"reflected impulse responses for wide vectors", 256, 34,
     R"({"method": "rayleigh_sommerfeld", "distance_um": 3000, "padding": "reflect"})"},
    {"reflected, a prime to 31 each way", 62, 57, R"({"method": "angular_spectrum", "distance_um": 300, "padding": "reflect"})"},
    {"a prime to 31 each way", 58, 46, R"({"method": "angular_spectrum", "distance_um": 300, "padding": "none"})"},
    {"off axis, padded by reflection", 50, 37,
     R"({"method": "angular_spectrum", "distance_um": 200, "padding": "reflect", "off_axis": {"x": 12.43, "y": -9.29}})"},
    {"off axis, padded by zero", 50, 37,
     R"({"method": "rayleigh_sommerfeld", "distance_um": 2000, "padding": "zero", "off_axis": {"x": 12.43, "y": -9.29}})"},
    {"off axis, single transform padded", 51, 40,
     R"({"method": "fresnel_single_fft", "distance_mm": 30, "padding": "reflect", "off_axis": {"x": -12.5, "y": -9}})"},
    {"single transform reflected, odd", 51, 39, R"({"method": "fresnel_single_fft", "distance_mm": -20, "padding": "reflect"})"},
    {"stack on both sides of the limit", 64, 50, R"({"distance_um": [100, 3000, -90, -4000, 0, 463]})"},
    {"stack on both sides of the limit, not padded", 64, 50, R"({"distance_um": [100, 3000, -90, 0, -800], "padding": "none"})"},
    {"stack of an oblong frame of 40 nm pixels", 256, 61,
     R"({"wavelength_nm": 532, "pixel_nm": 40, "distance_um": [0.3, 20, -0.5, -200], "padding": "reflect"})"},
    {"off axis on both sides of the limit", 64, 50, R"({"distance_um": [100, 3000], "off_axis": {"x": 12.4, "y": -9.2}})"},
    {"stack", 64, 50, R"({"method": "angular_spectrum", "distance_um": [100, 250, -90]})"},
    {"stack of impulse responses", 64, 50,
     R"({"method": "convolution", "distance_um": {"from": 2000, "to": 4000, "step": 1000}})"},
};

/// Sides that Rader's transforms take (fft/rader.hpp).
const Case large_primes[] = {
    {"reflected, a prime above 31 each way", 94, 82,
     R"({"method": "angular_spectrum", "distance_um": [300, -90], "padding": "reflect"})"},
    {"a prime above 31 each way", 86, 74, R"({"method": "angular_spectrum", "distance_um": 300, "padding": "none"})"},
    {"a prime each way whose convolution needs zeros", 346, 118,
     R"({"method": "fresnel", "distance_um": 300, "padding": "none"})"},
    {"reflected, and such primes", 188, 214, R"({"method": "fresnel", "distance_um": 300, "padding": "reflect"})"},
};

void check_variants(std::span<const Case> problems) {
    on_each_device([&](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        for (const Case& c : problems) {
            CAPTURE(c.name);
            const Parameters parameters = parse(algorithm, c.parameters);
            const Image image = rings(c.width, c.height);
            const Reference expected = reference(parameters, image);
            for (const std::string& variant : device_variants(session, parameters, image, {"amplitude"})) {
                CAPTURE(variant);
                if (variant == "paper" && (c.width % 2 || c.height % 2)) continue;   // one pixel off, as in the paper
                const CallResult result = run_or_another(session, parameters, image, variant, {"amplitude"});
                CHECK(relative_error(session.download(result.outputs.at("amplitude")), expected.planes) < 2e-6);
            }
        }
    });
}

}  // namespace

TEST_CASE("device variants of hologram agree with the reference") { check_variants(cases); }

TEST_CASE("device variants of hologram agree with the reference at sides with a large prime") { check_variants(large_primes); }

TEST_CASE("phase, intensity and field are those of one complex field") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const Image image = rings(96, 64);
        for (const char* text : {R"({"method": "angular_spectrum", "distance_um": 300, "padding": "none"})",
                                 R"({"method": "convolution", "distance_um": 5000, "padding": "none"})",
                                 R"({"method": "fresnel_single_fft", "distance_mm": 30, "padding": "none"})"}) {
            CAPTURE(text);
            const Parameters parameters = parse(algorithm, text);
            const Reference expected = reference(parameters, image);
            const std::vector<std::string> outputs{"amplitude", "phase", "intensity", "field"};
            for (const std::string& variant : device_variants(session, parameters, image, outputs)) {
                CAPTURE(variant);
                const CallResult result = run_or_another(session, parameters, image, variant, outputs);
                const HostArray field = session.download(result.outputs.at("field"));
                CHECK(relative_field_error(field, expected.planes[0]) < 3e-6);
                const HostArray amplitude = session.download(result.outputs.at("amplitude"));
                const HostArray phase = session.download(result.outputs.at("phase"));
                const HostArray intensity = session.download(result.outputs.at("intensity"));
                for (std::int64_t i = 0; i < field.desc.count(); ++i) {
                    const std::complex<float> u = field.as<std::complex<float>>()[i];
                    const float scale = std::abs(u) + 1e-6f;
                    REQUIRE(amplitude.as<float>()[i] == doctest::Approx(std::abs(u)).epsilon(1e-5));
                    REQUIRE(std::abs(intensity.as<float>()[i] - std::norm(u)) < 1e-5f * scale * scale);
                    REQUIRE(std::abs(std::polar(scale, phase.as<float>()[i]) - u) < 1e-4f * scale + 2e-6f);
                }
            }
        }
    });
}

TEST_CASE("planes of a stack that are made together are those of each alone") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        struct Row {
            std::int64_t width, height;
            const char *padding, *variant;
        };
        for (const Row& row : {Row{130, 98, "none", "fused"}, {50, 37, "mean", "fused"}, {61, 34, "zero", "fused"},
                               {94, 82, "reflect", "fused_mirrored"}, {75, 60, "reflect", "fused_mirrored"}}) {
            const Image image = rings(row.width, row.height);
            Json job{{"distance_um", {700, -250, 300, 450, 500, 90, 1}}, {"method", "angular_spectrum"}, {"padding", row.padding}};
            const Parameters parameters = parse(algorithm, job.dump());
            const std::vector<std::string> variants = device_variants(session, parameters, image, {"amplitude"});
            if (std::find(variants.begin(), variants.end(), row.variant) == variants.end()) continue;
            const Reference expected = reference(parameters, image);
            bool runs = true;
            for (const int at_once : {0, 1, 2, 4, 8})
                for (const int together : {0, 1, 2, 4}) {
                    if (at_once == 1 && together > 0) continue;
                    const Json policy{{"planes_at_once", at_once}, {"planes_together", together}};
                    CAPTURE(row.variant);
                    CAPTURE(policy.dump());
                    session.profiler().clear();
                    const CallResult result = run_or_another(session, parameters, image, row.variant, {"amplitude"}, policy);
                    CHECK(relative_error(session.download(result.outputs.at("amplitude")), expected.planes) < 2e-6);
                    runs = runs && result.variant == row.variant;
                    if (!runs || at_once == 0) continue;
                    const std::size_t launches = static_cast<std::size_t>((7 + at_once - 1) / at_once);
                    CHECK(launches_of(session.profiler(), "columns") == launches);
                }
            if (!runs) continue;
            // Who may take little memory makes one after the other.
            Call call;
            call.algorithm = &algorithm;
            call.parameters = parameters;
            call.variant = row.variant;
            call.outputs = {"amplitude"};
            call.memory = static_cast<std::uint64_t>(16 * 8 * row.width * row.height);
            call.inputs.emplace("hologram", session.upload(host_array(image)));
            session.profiler().clear();
            const CallResult alone = session.run(call);
            CHECK(launches_of(session.profiler(), "columns") == 7);
            CHECK(relative_error(session.download(alone.outputs.at("amplitude")), expected.planes) < 2e-6);
        }
    });
}

TEST_CASE("focus is found on the device, and the best plane is the stack's") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const Image image = rings(80, 70);
        for (const char* metric : {"tenengrad", "variance", "brenner", "laplacian", "dubois"}) {
            for (const char* object : {"amplitude", "phase"}) {
                CAPTURE(metric);
                CAPTURE(object);
                const std::string text = fmt::format(
                    R"({{"method": "angular_spectrum", "distance_um": {{"from": 100, "to": 300, "step": 50}},
                        "autofocus": {{"metric": "{}", "object": "{}", "region": [5, 6, 60, 50]}}, "planes": "PLANES"}})",
                    metric, object);
                const auto with_planes = [&](const char* planes) {
                    std::string t = text;
                    t.replace(t.find("PLANES"), 6, planes);
                    return parse(algorithm, t);
                };
                const Parameters all = with_planes("all"), best = with_planes("best");
                const auto& p = all.as<HologramParameters>();
                const Reference expected = reference(all, image);
                std::vector<double> values;
                for (const auto& plane : expected.planes) {
                    std::vector<double> amplitude;
                    for (const auto& u : plane) amplitude.push_back(std::abs(u));
                    values.push_back(focus_metric(p.autofocus->metric, amplitude, 80, 70, {5, 6, 60, 50}));
                }
                const Focus focus = best_focus(p.distance.values, values, p.autofocus->metric, p.autofocus->object);

                const CallResult stack = run(session, all, image, "", {"amplitude", "focus"});
                const Json& record = stack.records.at("focus");
                for (std::size_t i = 0; i < values.size(); ++i) {
                    CHECK(record.at("value").at(i).get<double>() == doctest::Approx(values[i]).epsilon(2e-4));
                }
                CHECK(record.at("best_index").get<std::size_t>() == focus.index);
                CHECK(record.at("best_distance_um").get<double>() == doctest::Approx(focus.distance * 1e6).epsilon(1e-3));

                const std::vector<std::string> variants = device_variants(session, all, image, {"amplitude"});
                if (std::find(variants.begin(), variants.end(), "fused_mirrored") != variants.end())
                    for (const std::size_t at_once : {1, 2, 4}) {
                        CAPTURE(at_once);
                        const Json policy{{"planes_at_once", at_once}};
                        for (const std::size_t once_more : {0, 1}) {   // the best plane
                            session.profiler().clear();
                            const CallResult batches = run_or_another(session, once_more ? best : all, image, "fused_mirrored",
                                                                      {"amplitude", "focus"}, policy);
                            if (batches.variant != "fused_mirrored") continue;
                            for (std::size_t i = 0; i < values.size(); ++i)
                                CHECK(batches.records.at("focus").at("value").at(i).get<double>() ==
                                      doctest::Approx(values[i]).epsilon(2e-4));
                            CHECK(launches_of(session.profiler(), "columns") == (5 + at_once - 1) / at_once + once_more);
                        }
                    }

                const CallResult one = run(session, best, image, "", {"amplitude", "focus"});
                const HostArray plane = session.download(one.outputs.at("amplitude"));
                CHECK(plane.desc.axes.size() == 2);
                CHECK(relative_error(plane, {expected.planes[focus.index]}) < 2e-6);
            }
        }
    });
}

TEST_CASE("a focus whose terms together pass what a float holds is found all the same") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const Image image = rings(160, 140);
        constexpr float large = 1e16f;
        HostArray scaled = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', image.height}, {'x', image.width}}));
        std::transform(image.pixels.begin(), image.pixels.end(), scaled.as<float>(), [](std::uint8_t v) { return v * large; });
        for (const char* metric : {"tenengrad", "variance", "brenner", "laplacian"}) {
            CAPTURE(metric);
            Call call;
            call.algorithm = &algorithm;
            call.parameters = parse(algorithm, fmt::format(R"({{"distance_um": [100, 150, 200], "autofocus": {{"metric": "{}"}}}})", metric));
            call.outputs = {"focus"};
            const auto values_of = [&](const HostArray& array) {
                call.inputs.clear();
                call.inputs.emplace("hologram", session.upload(array));
                return session.run(call).records.at("focus").at("value").get<std::vector<double>>();
            };
            CAPTURE(session.engine().device().name);
            const std::vector<double> expected = values_of(host_array(image)), values = values_of(scaled);
            for (std::size_t i = 0; i < values.size(); ++i)
                CHECK(values[i] / large / large == doctest::Approx(expected[i]).epsilon(1e-4));
        }
    });
}

TEST_CASE("backgrounds and dark frames of every type") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const Parameters parameters = parse(algorithm, R"({"method": "angular_spectrum", "distance_um": 200})");
        const auto& p = parameters.as<HologramParameters>();
        const Image image = rings(64, 48);
        std::vector<double> h = to_double(image), background(h.size()), dark(h.size());
        HostArray b = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', 48}, {'x', 64}}));
        HostArray d = HostArray::make(ArrayDesc::dense(ElementType::u16, {{'y', 48}, {'x', 64}}));
        for (std::size_t i = 0; i < h.size(); ++i) {
            dark[i] = d.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i % 7);
            background[i] = b.as<float>()[i] =
                i == 100 ? static_cast<float>(dark[i]) : 130.0f + static_cast<float>(i % 11);   // one dead pixel
        }
        for (int with = 0; with < 4; ++with) {
            const bool use_background = with & 1, use_dark = with & 2;
            CAPTURE(with);
            Call call;
            call.algorithm = &algorithm;
            call.parameters = parameters;
            call.inputs.emplace("hologram", session.upload(host_array(image)));
            if (use_background) call.inputs.emplace("background", session.upload(b));
            if (use_dark) call.inputs.emplace("dark", session.upload(d));
            const std::vector<double> expected_h =
                normalise({h.data(), 64, 48}, {use_background ? background.data() : nullptr, 64, 48},
                          {use_dark ? dark.data() : nullptr, 64, 48});
            Reference expected;
            reference_reconstruct(p, resolve(p, 64, 48), expected_h, 0,
                                  [&](std::size_t, const std::vector<std::complex<double>>& f) { expected.planes.push_back(f); });
            CHECK(relative_error(session.download(session.run(call).outputs.at("amplitude")), expected.planes) < 2e-6);
        }
    });
}

TEST_CASE("H made of what its axes say, at wavelengths, pixels and distances drawn at random") {
    const auto seed = parallax::tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const auto between = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    struct Drawn { Json job; std::int64_t width, height; };
    std::vector<Drawn> draws;
    for (int draw = 0; draw < 9; ++draw) {
        const double wavelength = between(380, 750);
        // Four, five and seven terms of the second phase, and what is made otherwise.
        const double pixel = wavelength / 1000 * std::array{6.2, 3.6, 1.45, 0.9}[static_cast<std::size_t>(draw % 4)] * between(1, 1.1);
        Json distances = Json::array();
        for (int plane = draw % 3 == 0 ? 1 : 3; plane > 0; --plane)
            distances.push_back(between(20, 400) * pixel * (random() % 2 == 0 ? 1 : -1));
        draws.push_back({{{"wavelength_nm", wavelength},
                          {"pixel_um", pixel},
                          {"distance_um", distances},
                          {"method", draw % 5 == 4 ? "fresnel" : "angular_spectrum"},
                          {"padding", random() % 3 == 0 ? "none" : "reflect"}},
                         std::uniform_int_distribution(24, 90)(random),
                         std::uniform_int_distribution(24, 90)(random)});
    }
    on_each_device([&](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        for (const Drawn& drawn : draws) {
            CAPTURE(drawn.job.dump());
            CAPTURE(drawn.width);
            CAPTURE(drawn.height);
            const Parameters parameters = parse(algorithm, drawn.job.dump());
            const Image image = rings(drawn.width, drawn.height);
            const Reference expected = reference(parameters, image);
            for (const std::string& variant : device_variants(session, parameters, image, {"amplitude"}))
                for (const Json& policy : ways_of(algorithm, variant)) {
                    CAPTURE(variant);
                    CAPTURE(policy.dump());
                    const CallResult result = run_or_another(session, parameters, image, variant, {"amplitude"}, policy);
                    CHECK(relative_error(session.download(result.outputs.at("amplitude")), expected.planes) < 2e-6);
                }
        }
    });
}

TEST_CASE("a new distance neither builds nor allocates, and frames do not leak into each other") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const auto check = [&](const std::string& variant, const Json& policy, const auto& at) {
            CAPTURE(variant);
            CAPTURE(policy.dump());
            const Image first = rings(64, 48, 1), second = rings(64, 48, 2);
            const CallResult warm = run(session, at(4000), first, variant, {}, policy);
            CHECK(warm.plan_seconds > 0);
            std::map<std::string, DeviceArray, std::less<>> into = warm.outputs;
            Call call;
            call.algorithm = &algorithm;
            call.variant = variant;
            call.policy = policy;
            call.inputs.emplace("hologram", session.upload(host_array(second)));
            const std::uint64_t allocated = session.engine().context().allocated();
            for (const double d : {5000.0, 4000.0}) {
                call.parameters = at(d);
                const CallResult result = session.run(call, into);
                CHECK(result.plan_seconds == 0);
                CHECK(session.engine().context().allocated() == allocated);
                CHECK(relative_error(session.download(result.outputs.at("amplitude")),
                                     reference(call.parameters, second).planes) < 2e-6);
            }
        };
        for (const char* method : {"angular_spectrum", "convolution"}) {
            for (const char* padding : {"none", "reflect"}) {
                CAPTURE(method);
                CAPTURE(padding);
                const auto at = [&](double d) {
                    return parse(algorithm, fmt::format(R"({{"method": "{}", "distance_um": {}, "padding": "{}"}})", method, d,
                                                        padding));
                };
                for (const std::string& variant : device_variants(session, at(4000), rings(64, 48), {"amplitude"}))
                    for (const Json& policy : ways_of(algorithm, variant)) check(variant, policy, at);
            }
        }
    });
}

TEST_CASE("a new distance on the other side of the limit is another plan, and more planes are, too") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const Image image = rings(64, 48);
        for (const char* distances : {"100", "2000", "[100, 2000]", "[2000, 100]", "[50, 150]", "[100, 200, 2000]"}) {
            const std::string text = fmt::format(R"({{"distance_um": {}, "autofocus": {{}}, "planes": "best"}})", distances);
            CAPTURE(text);
            const Parameters parameters = parse(algorithm, text);
            const Reference expected = reference(parameters, image);
            for (const std::string& variant : device_variants(session, parameters, image, {"amplitude", "focus"})) {
                CAPTURE(variant);
                const CallResult result = run_or_another(session, parameters, image, variant, {"amplitude", "focus", "planes"});
                const Json& focus = result.records.at("focus");
                REQUIRE(focus.at("value").size() == expected.planes.size());
                // The device chose the plane, and so the method that made it once more.
                CHECK(relative_error(session.download(result.outputs.at("amplitude")),
                                     {expected.planes[focus.at("best_index").get<std::size_t>()]}) < 2e-6);
                for (std::size_t i = 0; i < expected.planes.size(); ++i) {
                    CHECK(focus.at("method")[i] == name_of(expected.geometry.methods[i]));
                    CHECK(result.records.at("planes").at("method")[i] == name_of(expected.geometry.methods[i]));
                }
            }
        }
    });
}

namespace {

/// h = 120 + 80 cos(2 pi c.x / size + phase(x, y)).
Image fringes(std::int64_t width, std::int64_t height, double cx, double cy, double bend = 0) {
    Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height))};
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            const double u = static_cast<double>(x) / static_cast<double>(width),
                         v = static_cast<double>(y) / static_cast<double>(height);
            const double bump = bend * std::exp(-40 * ((u - .6) * (u - .6) + (v - .4) * (v - .4)));
            image.pixels[static_cast<std::size_t>(y * width + x)] =
                static_cast<std::uint8_t>(std::lround(120 + 80 * std::cos(2 * M_PI * (cx * u + cy * v) + bump)));
        }
    }
    return image;
}

}  // namespace

TEST_CASE("every frame's carrier is its own, between pixels, on the side that was asked for") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        struct Row { const char* off_axis; double sign; bool warned; };
        for (const Row& row :
             {Row{R"("auto")", -1, true}, {R"({"side": "upper"})", -1, false}, {R"({"side": "lower", "radius": 6})", 1, false}}) {
            CAPTURE(row.off_axis);
            const Parameters parameters = parse(
                algorithm, fmt::format(R"({{"method": "angular_spectrum", "distance_um": 200, "off_axis": {}}})", row.off_axis));
            for (const auto& [cx, cy] : {std::pair(20.37, 13.0), std::pair(10.0, 30.21), std::pair(-24.5, 8.12)}) {
                for (const auto& [w, h] : {std::pair(96, 80), std::pair(101, 67)}) {
                    CAPTURE(cx);
                    CAPTURE(w);
                    const Image image = fringes(w, h, cx, cy, 1.0);
                    const CallResult result = run(session, parameters, image, "staged", {"amplitude", "carrier"});
                    const Carrier expected = find_carrier(to_double(image), w, h, *parameters.as<HologramParameters>().off_axis);
                    const Json& carrier = result.records.at("carrier");
                    CHECK(carrier.at("x").get<double>() == doctest::Approx(expected.x).epsilon(1e-5));
                    CHECK(std::abs(carrier.at("x").get<double>() - expected.x) < 1e-4);
                    CHECK(std::abs(carrier.at("y").get<double>() - expected.y) < 1e-4);
                    CHECK(std::abs(expected.x - row.sign * cx) < .2);
                    CHECK(std::abs(expected.y - row.sign * cy) < .2);
                    CHECK(carrier.at("radius").get<double>() == doctest::Approx(expected.radius).epsilon(1e-4));
                    CHECK(carrier.at("confidence").get<double>() == doctest::Approx(expected.confidence).epsilon(.01));
                    CHECK(relative_error(session.download(result.outputs.at("amplitude")), reference(parameters, image).planes) <
                          2e-5);
                    const bool warned = std::any_of(result.warnings.begin(), result.warnings.end(), [](const std::string& text) {
                        return text.find("conjugate") != std::string::npos;
                    });
                    CHECK(warned == row.warned);
                }
            }
        }
        // Nothing of the sort in an in-line hologram.
        const Parameters parameters =
            parse(algorithm, R"({"method": "angular_spectrum", "distance_um": 200, "off_axis": "auto"})");
        CHECK_THROWS_AS(run(session, parameters, rings(96, 80), "staged", {"amplitude"}), ConfigError);
        CHECK_THROWS_AS(run(session, parameters, Image{40, 30, std::vector<std::uint8_t>(1200, 7)}, "staged", {"amplitude"}),
                        ConfigError);
        CHECK_THROWS_AS(run(session, parameters, Image{1, 1, {7}}, "staged", {"amplitude"}), ConfigError);
    });
}

TEST_CASE("drawn at random: every variant against the reference, and against light itself") {
    const auto seed = static_cast<unsigned>(parallax::tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    const char* const many = std::getenv("PARALLAX_TEST_DRAWS");
    const int draws = many ? std::stoi(many) : 12;
    on_each_device([&](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        std::mt19937 random(seed);
        const auto pick = [&](auto... values) {
            const std::common_type_t<decltype(values)...> list[]{values...};
            return list[random() % sizeof...(values)];
        };
        const auto between = [&](double low, double high) {
            return low * std::pow(high / low, static_cast<double>(random() % 4096) / 4096);
        };
        for (int draw = 0; draw < draws; ++draw) {
            CAPTURE(draw);
            const std::int64_t width = pick(1, 2, 3, 17, 31, 48, 61, 64, 82, 97, 100, 128, 166, 251),
                               height = pick(1, 2, 5, 13, 32, 45, 53, 64, 86, 96, 111, 127);
            const double pixel = between(.04, 6), side = 2e-6 * pixel * static_cast<double>(std::min(width, height));
            const std::string method = pick("auto", "auto", "auto", "angular_spectrum", "rayleigh_sommerfeld", "convolution",
                                            "fresnel", "fresnel_single_fft");
            const std::string padding = pick("auto", "mean", "reflect", "zero", "none");
            Json job{{"method", method},
                     {"wavelength_nm", 532},
                     {"pixel_um", pixel},
                     {"padding", padding},
                     {"band_limit", random() % 2 == 0}};
            if (random() % 3 == 0) job["pixel_um"] = {pixel, pixel * between(.5, 2)};
            Json distances = Json::array();
            const unsigned planes = random() % 4 == 0 ? 5 + random() % 8 : 1 + random() % 4;
            for (unsigned i = 0; i < planes; ++i)
                distances.push_back((random() % 3 == 0 ? -1 : 1) * between(.05, 40) * std::max(side * 1e6, 1.0));
            job["distance_um"] = distances;
            if (width > 20 && height > 20 && random() % 4 == 0) {
                job["off_axis"] = {{"x", static_cast<double>(width) / 4 + .37}, {"y", -static_cast<double>(height) / 5 - .12}};
            }
            CAPTURE(job.dump());
            CAPTURE(width);
            CAPTURE(height);
            const Parameters parameters = parse(algorithm, job.dump());
            const Image image = rings(width, height, seed + static_cast<unsigned>(draw));
            const Reference expected = reference(parameters, image);
            double norm = 0;
            for (const auto& plane : expected.planes) {
                for (const auto& u : plane) norm += std::norm(u);
            }
            if (norm < 1) continue;   // a disc that holds nothing: rounding errors alone
            // On the wrong side of its limit a method's phase runs too fast for a float to hold what is left of it.
            const double tolerance =
                sampling_warnings(parameters.as<HologramParameters>(), expected.geometry).empty() ? 1e-5 : 5e-3;
            for (const std::string& variant : device_variants(session, parameters, image, {"field"})) {
                if (variant == "paper" && (expected.geometry.padded_width % 2 || expected.geometry.padded_height % 2)) continue;
                CAPTURE(variant);
                const Json policy = drawn_policy(algorithm, variant, random);
                CAPTURE(policy.dump());
                const CallResult result = run_or_another(session, parameters, image, variant, {"field"}, policy);
                const HostArray field = session.download(result.outputs.at("field"));
                std::vector<std::complex<double>> all;
                for (const auto& plane : expected.planes) all.insert(all.end(), plane.begin(), plane.end());
                CHECK(relative_field_error(field, all) < tolerance);
            }
        }
    });
}
