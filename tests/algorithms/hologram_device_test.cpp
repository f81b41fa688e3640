// Every device variant of `hologram` against the double-precision reference: all methods, paddings and outputs, odd, even
// and prime sizes, off-axis, and what is drawn at random.
#include "hologram_bench.hpp"

#include <array>
#include <cstdlib>
#include <span>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;
using namespace parallax::tests::holograms;

namespace {

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
    {"stack of columns that leave work-items without a butterfly", 3, 1920,
     R"({"method": "angular_spectrum", "distance_um": [300, -150], "padding": "none"})"},
    {"such a stack among mirror images", 3, 1080,
     R"({"method": "angular_spectrum", "distance_um": [300, -150], "padding": "reflect"})"},
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

TEST_CASE("H made of what its axes say, at wavelengths, pixels and distances drawn at random") {
    const auto seed = parallax::tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const auto between = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    struct Drawn { Json job; std::int64_t width, height; };
    std::vector<Drawn> draws;
    // Of 60 every case below beside every other; fewer begin anywhere among them.
    const int first = static_cast<int>(seed % 60), count = parallax::tests::drawn_count(2);
    for (int draw = first; draw < first + count; ++draw) {
        const double wavelength = between(380, 750);
        // Four, five and seven terms of the second phase, and what is made otherwise.
        const double pixel =
            wavelength / 1000 * std::array{6.2, 3.6, 1.45, 0.9}[static_cast<std::size_t>(draw % 4)] * between(1, 1.1);
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

TEST_CASE("drawn at random: every variant against the reference, and against light itself") {
    const auto seed = static_cast<unsigned>(parallax::tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    const int draws = parallax::tests::drawn_count(12);
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
