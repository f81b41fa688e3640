// Which method, size and limit a hologram gets, before any light is propagated.
#include "algorithms/hologram/optics.hpp"

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
    p.pixel = {pixel_um * um, pixel_um * um};
    for (double& d : distances_um) d *= um;
    p.distance.values = distances_um;
    return p;
}

}  // namespace

TEST_CASE("sampling limit: z_c of FORMULAS, infinite for microscopes") {
    CHECK(sampling_limit(512, 1.4 * um, .532 * um) / um == doctest::Approx(1851.955).epsilon(1e-6));
    CHECK(std::isinf(sampling_limit(512, .266 * um, .532 * um)));
    CHECK(std::isinf(sampling_limit(512, .0388007 * um, .532 / 1.52 * um)));
}

TEST_CASE("auto chooses once for the whole stack, by its largest |d|") {
    const auto method = [](std::vector<double> distances, double pixel = 1.4) {
        return resolve(parameters(Method::automatic, std::move(distances), pixel), 512, 512).method;
    };
    CHECK(method({1851.9}) == Method::angular_spectrum);
    CHECK(method({1852.0}) == Method::rayleigh_sommerfeld);
    CHECK(method({100, 200, 1852}) == Method::rayleigh_sommerfeld);
    CHECK(method({-1852, 100}) == Method::rayleigh_sommerfeld);
    CHECK(method({0}) == Method::angular_spectrum);
    CHECK(method({1e6}, .2) == Method::angular_spectrum);
}

TEST_CASE("the smaller side and the padded size decide the limit") {
    const Geometry none = resolve(parameters(Method::angular_spectrum, {1000}), 512, 256);
    CHECK(sampling_limit(none) / um == doctest::Approx(1851.955 / 2).epsilon(1e-6));
    const Geometry padded = resolve(parameters(Method::angular_spectrum, {1000}, 1.4, Padding::zero), 512, 256);
    CHECK(sampling_limit(padded) / um == doctest::Approx(1851.955).epsilon(1e-6));
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
    }
}

TEST_CASE("a medium shortens the wavelength; a single transform has a pixel of its own") {
    HologramParameters p = parameters(Method::fresnel_single_fft, {-649000}, 5);
    p.wavelength = 633e-9;
    const Geometry g = resolve(p, 1280, 1024);
    CHECK(g.out_dx / um == doctest::Approx(.633 * 649000 / (1280 * 5)));
    CHECK(g.out_dy / um == doctest::Approx(.633 * 649000 / (1024 * 5)));
    p.refractive_index = 1.5;
    CHECK(resolve(p, 1280, 1024).wavelength == doctest::Approx(422e-9));
    p.method = Method::angular_spectrum;
    CHECK(resolve(p, 1280, 1024).out_dx == p.pixel[0]);
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
         "distance 4000 um is above the sampling limit of 1851.95 um for angular_spectrum (512 pixels of 1.4 um"},
        {Method::fresnel, {4000}, "above the sampling limit of 1886.32 um for fresnel ("},
        {Method::rayleigh_sommerfeld, {4000}, nullptr},
        {Method::rayleigh_sommerfeld,
         {4000, -1000},
         "distance 1000 um is below the sampling limit of 1851.95 um for rayleigh_sommerfeld"},
        {Method::convolution, {1000}, "below the sampling limit of 1851.95 um for convolution"},
        {Method::fresnel_single_fft, {1000}, "below the sampling limit of 1886.32 um for fresnel_single_fft"},
        {Method::automatic, {1000}, nullptr},
        {Method::automatic, {4000}, nullptr},
        {Method::automatic, {4000, 100}, "distance 100 um is below"},
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
    for (const Method microscope : {Method::angular_spectrum, Method::rayleigh_sommerfeld}) {
        const HologramParameters p = parameters(microscope, {7.2}, .0388);
        CHECK(sampling_warnings(p, resolve(p, 512, 512)).empty());
    }
}

TEST_CASE("a distance of 0 is an identity, or an error where the method divides by it") {
    CHECK_NOTHROW(resolve(parameters(Method::angular_spectrum, {0}), 8, 8));
    CHECK_NOTHROW(resolve(parameters(Method::fresnel, {0}), 8, 8));
    for (const Method method : {Method::convolution, Method::rayleigh_sommerfeld, Method::fresnel_single_fft})
        CHECK_THROWS_AS(resolve(parameters(method, {100, 0}), 8, 8), ConfigError);
    CHECK_THROWS_AS(resolve(parameters(Method::automatic, {0, 1e6}), 8, 8), ConfigError);
    CHECK_THROWS_AS(resolve(parameters(Method::angular_spectrum, {}), 8, 8), ConfigError);
    CHECK_THROWS_AS(resolve(parameters(Method::angular_spectrum, {1}), 0, 8), ConfigError);
}

TEST_CASE("the table reads what a job writes") {
    const ParameterTable table = hologram_table();
    const Parameters values =
        table.parse(Json::parse(R"({"method": "fresnel", "wavelength_nm": 633, "pixel_um": [6.9, 5], "distance_mm": [649, -3],
        "off_axis": {"x": -308, "y": -238, "radius": 116}, "autofocus": {"metric": "dubois", "object": "phase", "region": [1, 2, 3, 4]}, "planes": "best"})"),
                    "");
    const auto& p = values.as<HologramParameters>();
    CHECK(p.method == Method::fresnel);
    CHECK(p.wavelength == doctest::Approx(633e-9));
    CHECK(p.pixel[0] == doctest::Approx(6.9e-6));
    CHECK(p.pixel[1] == doctest::Approx(5e-6));
    REQUIRE(p.distance.values.size() == 2);
    CHECK(p.distance.values[0] == doctest::Approx(.649));
    REQUIRE(p.off_axis);
    CHECK_FALSE(p.off_axis->automatic);
    CHECK(p.off_axis->radius == 116);
    REQUIRE(p.autofocus);
    CHECK(p.autofocus->metric == Metric::dubois);
    CHECK(*p.autofocus->region == std::array<int, 4>{1, 2, 3, 4});
    CHECK(p.planes == Planes::best);

    const Parameters word = table.parse(Json::parse(R"({"off_axis": "auto"})"), "");
    REQUIRE(word.as<HologramParameters>().off_axis);
    CHECK(word.as<HologramParameters>().off_axis->automatic);
    CHECK(word.to_json()["off_axis"] == "auto");
    CHECK_FALSE(word.to_json_for_plan().contains("distance_um"));
}
