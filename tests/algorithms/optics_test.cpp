// Which method, size and limit a hologram gets, before any light is propagated.
#include "algorithms/hologram/physics.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "parallax/host/error.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;

namespace {

constexpr double um = 1e-6;

HologramParameters parameters(Method method, std::vector<double> distances_um, double pixel_um = 1.4,
                              Padding padding = Padding::none) {
    HologramParameters p;
    p.method = method;
    p.padding = padding;
    p.wavelength = 532e-9;
    p.pixel = {pixel_um * um, pixel_um * um};
    for (double& d : distances_um) d *= um;
    p.distance.values = distances_um;
    return p;
}

}  // namespace

TEST_CASE("sampling limit: z_c, 0 for pixels up to half a wavelength") {
    CHECK(sampling_limit(512, 1.4 * um, .532 * um) / um == doctest::Approx(1851.955).epsilon(1e-6));
    CHECK(sampling_limit(512, .266 * um, .532 * um) == 0);
    CHECK(sampling_limit(512, .2661 * um, .532 * um) > 0);
    CHECK(sampling_limit(512, .0388007 * um, .532 / 1.52 * um) == 0);
}

TEST_CASE("where impulse responses take over") {
    const auto limit = [](double pixel, std::int64_t width, std::int64_t height, Padding padding) {
        return switch_distance(resolve(parameters(Method::automatic, {1}, pixel, padding), width, height)) / um;
    };
    CHECK(limit(.04, 512, 512, Padding::zero) == doctest::Approx(2.56));    // a sixteenth of the frame
    CHECK(limit(.25, 512, 512, Padding::zero) == doctest::Approx(16));
    CHECK(limit(.27, 512, 512, Padding::zero) == doctest::Approx(24.1).epsilon(2e-3));   // z_c
    CHECK(limit(1.4, 256, 256, Padding::zero) == doctest::Approx(1851.955).epsilon(1e-6));
    CHECK(limit(1.4, 256, 64, Padding::none) == doctest::Approx(std::sqrt(926.0 * 231.5)).epsilon(1e-3));
    CHECK(limit(1.4, 128, 32, Padding::zero) == doctest::Approx(std::sqrt(926.0 * 231.5)).epsilon(1e-3));
    CHECK(limit(.04, 16, 16, Padding::none) == doctest::Approx(.32));       // eight pixels, for the peak of g
}

TEST_CASE("auto chooses for each plane by itself") {
    const auto methods = [](std::vector<double> distances, double pixel = 1.4) {
        std::string text;
        for (const Method m : resolve(parameters(Method::automatic, std::move(distances), pixel), 512, 512).methods)
            text += m == Method::angular_spectrum ? 'a' : 'r';
        return text;
    };
    CHECK(methods({1851.9}) == "a");
    CHECK(methods({1852.0}) == "r");
    CHECK(methods({100, 200, 1852}) == "aar");
    CHECK(methods({-1852, 100, 0, -1851}) == "raaa");
    CHECK(methods({0, 1e6}) == "ar");
    CHECK(methods({1e6, 1}, .2) ==
          "ra");   // pixels below half a wavelength: the angular spectrum is for the nearest planes alone
    CHECK(methods({7.2822}, .0388007) == "r");
}

TEST_CASE("the mean of both sides' limits decides, and the padded size") {
    const Geometry none = resolve(parameters(Method::angular_spectrum, {1000}), 512, 256);
    CHECK(switch_distance(none) / um == doctest::Approx(1851.955 / std::sqrt(2)).epsilon(1e-6));
    const Geometry padded = resolve(parameters(Method::angular_spectrum, {1000}, 1.4, Padding::zero), 512, 256);
    CHECK(switch_distance(padded) / um == doctest::Approx(1851.955 * std::sqrt(2)).epsilon(1e-6));
}

TEST_CASE("padding doubles the sizes and rounds them up; a single transform keeps its size by default") {
    struct Row {
        Method method;
        Padding padding;
        std::int64_t width, height, padded_width, padded_height;
    };
    const Row rows[] = {
        {Method::angular_spectrum, Padding::mean, 512, 300, 1024, 600},
        {Method::angular_spectrum, Padding::reflect, 1, 1, 2, 2},
        {Method::fresnel, Padding::zero, 509, 521, 1024, 1050},  // 1018 and 1042 have large prime factors
        {Method::convolution, Padding::none, 509, 521, 509, 521},
        {Method::fresnel_single_fft, Padding::mean, 512, 300, 512, 300},
        {Method::fresnel_single_fft, Padding::none, 512, 300, 512, 300},
        {Method::fresnel_single_fft, Padding::zero, 512, 300, 1024, 600},
    };
    for (const Row& row : rows) {
        CAPTURE(static_cast<int>(row.method));
        CAPTURE(row.width);
        const Geometry g = resolve(parameters(row.method, {1000}, 1.4, row.padding), row.width, row.height);
        CHECK(g.padded_width >= (row.padding == Padding::none ? row.width : 1));
        CHECK(g.padded_width == row.padded_width);
        CHECK(g.padded_height == row.padded_height);
        const bool centred = row.method == Method::fresnel_single_fft;   // the chirp is about the middle: so is the hologram
        CHECK(g.left == (centred ? g.padded_width / 2 - row.width / 2 : 0));
        CHECK(g.top == (centred ? g.padded_height / 2 - row.height / 2 : 0));
    }
}

TEST_CASE("a medium shortens the wavelength; a single transform has a pixel of its own") {
    HologramParameters p = parameters(Method::fresnel_single_fft, {-649000}, 5);
    p.wavelength = 633e-9;
    const Geometry g = resolve(p, 1280, 1024);
    CHECK(output_pixel(g, 0)[0] / um == doctest::Approx(.633 * 649000 / (1280 * 5)));
    CHECK(output_pixel(g, 0)[1] / um == doctest::Approx(.633 * 649000 / (1024 * 5)));
    p.refractive_index = 1.5;
    CHECK(resolve(p, 1280, 1024).wavelength == doctest::Approx(422e-9));
    p.method = Method::angular_spectrum;
    CHECK(output_pixel(resolve(p, 1280, 1024), 0) == p.pixel);
}

TEST_CASE("a distance on the wrong side of the limit is said, with the numbers") {
    struct Row {
        Method method;
        std::vector<double> distances;
        const char* expected;
    };
    const Row rows[] = {
        {Method::angular_spectrum, {1851}, nullptr},
        {Method::angular_spectrum,
         {4000, 100},
         "distance 4000 um is above the sampling limit of 1851.95 um for angular_spectrum (512 x 512 pixels of 1.4 x 1.4 um"},
        {Method::fresnel, {4000}, "above the sampling limit of 1886.32 um for fresnel ("},
        {Method::rayleigh_sommerfeld, {4000}, nullptr},
        {Method::rayleigh_sommerfeld,
         {4000, -1000},
         "distance 1000 um is below the sampling limit of 1851.95 um for rayleigh_sommerfeld"},
        {Method::convolution, {1000}, "below the sampling limit of 1851.95 um for convolution"},
        {Method::fresnel_single_fft, {1000}, "below the sampling limit of 1886.32 um for fresnel_single_fft"},
        {Method::automatic, {1000}, nullptr},
        {Method::automatic, {4000}, nullptr},
        {Method::automatic, {4000, 100}, nullptr},   // each plane by what suits it
        {Method::automatic, {0, 1e7}, nullptr},
    };
    for (const Row& row : rows) {
        const HologramParameters p = parameters(row.method, row.distances);
        const auto warnings = sampling_warnings(p, resolve(p, 512, 512));
        if (row.expected == nullptr) {
            CHECK(warnings.empty());
        } else {
            REQUIRE(warnings.size() == 1);
            INFO(warnings[0]);
            CHECK(warnings[0].find(row.expected) != std::string::npos);
        }
    }
    // Pixels below half a wavelength: 512 of 40 nm, 15% and 58% wrong by the angular spectrum.
    for (const double d : {200.0, 1000.0}) {
        const HologramParameters p = parameters(Method::angular_spectrum, {d}, .04);
        CHECK(sampling_warnings(p, resolve(p, 512, 512)).size() == 1);
        const HologramParameters far = parameters(Method::rayleigh_sommerfeld, {d}, .04);
        CHECK(sampling_warnings(far, resolve(far, 512, 512)).empty());
    }
}

TEST_CASE("a distance of 0 is an identity, or an error where the method divides by it") {
    CHECK_NOTHROW(resolve(parameters(Method::angular_spectrum, {0}), 8, 8));
    CHECK_NOTHROW(resolve(parameters(Method::fresnel, {0}), 8, 8));
    for (const Method method : {Method::convolution, Method::rayleigh_sommerfeld, Method::fresnel_single_fft})
        CHECK_THROWS_AS(resolve(parameters(method, {100, 0}), 8, 8), ConfigError);
    CHECK_NOTHROW(resolve(parameters(Method::automatic, {0, 1e6}), 8, 8));
    CHECK_THROWS_AS(resolve(parameters(Method::angular_spectrum, {}), 8, 8), ConfigError);
    CHECK_THROWS_AS(resolve(parameters(Method::angular_spectrum, {1}), 0, 8), ConfigError);
}

TEST_CASE("the table reads what a job writes") {
    const ParameterTable table = hologram_table();
    const Parameters values =
        table.parse(Json::parse(R"({"method": "fresnel", "wavelength_nm": 633, "pixel_um": [6.9, 5], "distance_mm": [649, -3],
        "off_axis": {"x": -308, "y": -238, "radius": 116}, "autofocus": {"metric": "dubois", "object": "phase", "region": [1, 2,
            3, 4]}, "planes": "best"})"),
                    "");
    const auto& p = values.as<HologramParameters>();
    CHECK(p.method == Method::fresnel);
    CHECK(p.wavelength == doctest::Approx(633e-9));
    CHECK(p.pixel[0] == doctest::Approx(6.9e-6));
    CHECK(p.pixel[1] == doctest::Approx(5e-6));
    REQUIRE(p.distance.values.size() == 2);
    CHECK(p.distance.values[0] == doctest::Approx(.649));
    REQUIRE(p.off_axis);
    CHECK_FALSE(p.off_axis->is_searched());
    CHECK(p.off_axis->radius == 116);
    REQUIRE(p.autofocus);
    CHECK(p.autofocus->metric == Metric::dubois);
    CHECK(*p.autofocus->region == std::array<int, 4>{1, 2, 3, 4});
    CHECK(p.planes == Planes::best);

    const Parameters word = table.parse(Json::parse(R"({"wavelength_nm": 532, "distance_um": 1, "off_axis": "auto"})"), "");
    REQUIRE(word.as<HologramParameters>().off_axis);
    CHECK(word.as<HologramParameters>().off_axis->is_searched());
    CHECK(word.to_json()["off_axis"] == "auto");
    CHECK(word.to_json()["pixel_um"] == 0);
    CHECK_FALSE(word.to_json_for_plan().contains("distance_um"));
    const Parameters side =
        table.parse(Json::parse(R"({"wavelength_nm": 532, "distance_um": 1, "off_axis": {"side": "lower"}})"), "");
    CHECK(side.as<HologramParameters>().off_axis->is_searched());
    CHECK(side.as<HologramParameters>().off_axis->side == Side::lower);
    const Parameters again = table.parse(side.to_json(), "");
    CHECK(again.as<HologramParameters>().off_axis == side.as<HologramParameters>().off_axis);
}

TEST_CASE("what nobody can guess has no default") {
    const ParameterTable table = hologram_table();
    const auto missing = [&](const char* text) {
        try {
            table.parse(Json::parse(text), "/steps/0");
        } catch (const ConfigError& error) {
            return error.pointer + ": " + error.found + ", " + error.expected;
        }
        return std::string();
    };
    CHECK(missing(R"({"distance_um": 1})").starts_with("/steps/0/wavelength_nm: no wavelength, one of wavelength_nm | "));
    CHECK(missing(R"({"wavelength_um": 0.5})").starts_with("/steps/0/distance_um: no distance, one of distance_nm | "));
    CHECK(missing(R"({"wavelength_um": 0.5, "distance_mm": 1})").empty());   // the pixel may be the file's
}

namespace {

Problem problem_of(const std::string& text, double spacing, const std::string& unit) {
    static const ParameterTable table = hologram_table();
    const ArrayDesc image = ArrayDesc::dense(ElementType::u8, {{'y', 64}, {'x', 64}})
                                .with_spacing('x', spacing)
                                .with_spacing('y', spacing)
                                .with_unit(unit);
    return {{{"hologram", image}}, table.parse(Json::parse(text), ""), {"amplitude"}};
}

}  // namespace

TEST_CASE("the pixel is the file's where the job states none") {
    const char* const silent = R"({"wavelength_nm": 532, "distance_um": 500})";
    CHECK(resolve(problem_of(silent, 3.45, "um")).dx == doctest::Approx(3.45e-6));
    CHECK(resolve(problem_of(silent, .0014, "mm")).dy == doctest::Approx(1.4e-6));
    CHECK_THROWS_AS(resolve(problem_of(silent, 1, "")), ConfigError);        // no unit
    CHECK_THROWS_AS(resolve(problem_of(silent, 352.8, "um")), ConfigError);  // 72 dpi: a screen's, not a camera's
    CHECK_THROWS_AS(resolve(problem_of(silent, 25400 / 300.0, "um")), ConfigError);
    CHECK(resolve(problem_of(silent, 85, "um")).dx == doctest::Approx(85e-6));
    const char* const stated = R"({"wavelength_nm": 532, "distance_um": 500, "pixel_um": 1.4})";
    CHECK(resolve(problem_of(stated, 3.45, "um")).dx == doctest::Approx(1.4e-6));
    REQUIRE(physics_warnings(problem_of(stated, 3.45, "um")).size() == 1);
    CHECK(physics_warnings(problem_of(stated, 3.45, "um"))[0].find("1.4 um, the hologram's file 3.45 um") != std::string::npos);
    CHECK(physics_warnings(problem_of(stated, 1.41, "um")).empty());         // within 1%
    CHECK(physics_warnings(problem_of(stated, 352.8, "um")).empty());
    CHECK(physics_warnings(problem_of(silent, 3.45, "um")).empty());
}

TEST_CASE("values that no light and no camera has are told, with the likelier unit") {
    struct Row {
        const char *members, *warning;
    };
    const Row rows[] = {
        {R"("wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000)", nullptr},
        {R"("wavelength_nm": 532e-9, "pixel_um": 1.4, "distance_um": 1000)", "532 nm is likelier"},
        {R"("wavelength_um": 532, "pixel_um": 1.4, "distance_um": 1000)", "532 nm is likelier"},
        {R"("wavelength_nm": 0.532, "pixel_um": 1.4, "distance_um": 1000)", "532 nm is likelier"},
        {R"("wavelength_um": 10.6, "pixel_um": 25, "distance_mm": 300)", nullptr},       // a carbon dioxide laser
        {R"("wavelength_nm": 532, "pixel_um": 1120, "distance_um": 1000)", "1.12 um is likelier"},
        {R"("wavelength_nm": 532, "pixel_nm": 1.4, "distance_um": 1000)", "1.4 um is likelier"},
        {R"("wavelength_nm": 532, "pixel_um": [1.4, 1400], "distance_um": 1000)", "pixel in y 1.4 mm"},
        {R"("wavelength_nm": 532, "pixel_nm": 38.8, "distance_um": 7.3)", nullptr},
        {R"("wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 0.02)", "20 um is likelier"},
        {R"("wavelength_nm": 532, "pixel_um": 1.4, "distance_m": 649)", "649 mm is likelier"},
        {R"("wavelength_nm": 532, "pixel_um": 1.4, "distance_m": -649)", "649 mm is likelier"},
        {R"("wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 0)", nullptr},
        {R"("wavelength_nm": 532, "pixel_um": 1.4, "distance_um": {"from": -1, "to": 1, "step": 0.1})", nullptr},
        {R"("wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000, "refractive_index": 133)", "refractive_index 133"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.members);
        const auto warnings = physics_warnings(problem_of("{" + std::string(row.members) + "}", 1, ""));
        CAPTURE(warnings.size());
        if (row.warning == nullptr) {
            CHECK(warnings.empty());
            continue;
        }
        REQUIRE_FALSE(warnings.empty());
        CAPTURE(warnings[0]);
        CHECK(warnings[0].find(row.warning) != std::string::npos);
    }
}
