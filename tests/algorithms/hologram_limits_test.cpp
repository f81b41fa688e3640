// Which method is right where: both families against Hankel's integral, pixels below half a wavelength, and an autofocus whose
// planes lie on both sides of the limit. Mathematics: docs/theory/holography.md#which-method-is-right-where
#include <doctest/doctest.h>
#include <math.h>  // j0

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include "algorithms/hologram/physics.hpp"
#include "algorithms/hologram/reference.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "peers/peers.hpp"
#include "seed.hpp"

namespace parallax::engine {
Algorithm make_hologram();
}

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;

namespace {

using Image = std::vector<double>;

constexpr double um = 1e-6, two_pi = 2 * std::numbers::pi, lambda = .532 * um;

HologramParameters parameters(Method method, double pixel_um, std::vector<double> distances, Padding padding = Padding::zero) {
    HologramParameters p;
    p.method = method;
    p.wavelength = lambda;
    p.pixel = {pixel_um * um, pixel_um * um};
    p.padding = padding;
    p.distance.values = std::move(distances);
    return p;
}

/// exp(-r^2 / w0^2) about the middle pixel (n / 2, n / 2).
Image gaussian(std::int64_t n, double pixel_um, double w0_um) {
    Image image;
    for (std::int64_t y = 0; y < n; ++y)
        for (std::int64_t x = 0; x < n; ++x) {
            const double u = static_cast<double>(x - n / 2) * pixel_um, v = static_cast<double>(y - n / 2) * pixel_um;
            image.push_back(std::exp(-(u * u + v * v) / (w0_um * w0_um)));
        }
    return image;
}

/// The same at distance d and radius rho: the waves that its spectrum is made of, those that travel.
Complex hankel(double w0, double rho, double d) {
    constexpr int steps = 20000;  // Simpson's rule over the angle
    Complex sum = 0;
    for (int i = 0; i <= steps; ++i) {
        const double angle = std::numbers::pi / 2 * i / steps, f = std::sin(angle) / lambda;
        const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
        const double turns = d * std::cos(angle) / lambda;
        const double amplitude = std::numbers::pi * w0 * w0 * std::exp(-std::numbers::pi * std::numbers::pi * w0 * w0 * f * f) *
                                 j0(two_pi * f * rho) * two_pi * f * std::cos(angle) / lambda;
        sum += weight * amplitude * std::polar(1.0, -two_pi * (turns - std::floor(turns)));
    }
    return sum * (std::numbers::pi / 2 / steps / 3);
}

std::vector<std::vector<Complex>> planes_of(const HologramParameters& p, std::int64_t n, const Image& image) {
    std::vector<std::vector<Complex>> planes;
    reference_reconstruct(p, resolve(p, n, n), image, 0,
                          [&](std::size_t, const std::vector<Complex>& field) { planes.push_back(field); });
    return planes;
}

double relative(const std::vector<Complex>& is, const std::vector<Complex>& should) {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < is.size(); ++i) {
        error += std::norm(is[i] - should[i]);
        norm += std::norm(should[i]);
    }
    return std::sqrt(error / norm);
}

/// Of every eighth pixel of the row through the middle.
double row_error(const std::vector<Complex>& field, std::int64_t n, double pixel_um, double w0_um, double d) {
    std::vector<Complex> is, should;
    for (std::int64_t x = n % 8; x < n; x += 8) {
        is.push_back(field[static_cast<std::size_t>(n / 2 * n + x)]);
        should.push_back(hankel(w0_um * um, std::fabs(static_cast<double>(x - n / 2)) * pixel_um * um, d));
    }
    return relative(is, should);
}

/// 1024 x 1024 opaque discs of radius 10 um, seen 1000 um away in-line; the middle half of it over its mean.
Image discs() {
    constexpr int n = 1024, half = n / 2;
    const double centres[][2] = {{-140, -120}, {120, -160}, {-180, 150}, {170, 130}, {10, 20}, {220, 0}, {-200, -20}};
    std::vector<Complex> t(static_cast<std::size_t>(n) * n, 1.0);
    for (const auto& c : centres) {
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                const double u = (x - half) * 1.4 - c[0], v = (y - half) * 1.4 - c[1];
                if (std::hypot(u, v) > 13) continue;
                int inside = 0;
                for (int sy = 0; sy < 4; ++sy)
                    for (int sx = 0; sx < 4; ++sx) inside += std::hypot(u + (sx - 1.5) * .35, v + (sy - 1.5) * .35) <= 10;
                t[static_cast<std::size_t>(y * n + x)] -= inside / 16.0;
            }
    }
    propagate_angular_spectrum(t, n, n, 1.4 * um, 1.4 * um, lambda, -1000 * um, true, 0);
    Image image;
    double mean = 0;
    for (int y = 0; y < half; ++y)
        for (int x = 0; x < half; ++x) {
            image.push_back(std::norm(t[static_cast<std::size_t>((y + half / 2) * n + x + half / 2)]));
            mean += image.back() / (half * half);
        }
    for (double& v : image) v /= mean;
    return image;
}

}  // namespace

TEST_CASE("auto is right on both sides of the limit, for pixels below half a wavelength, too") {
    struct Row {
        double pixel_um, w0_um, limit_um, near, far, very_far;  // errors, with room for a third of their last digit
    };
    const Row rows[] = {
        {.04, 1, 2.56, 4e-9, 5e-9, 2e-8},
        {.04, .4, 2.56, 1.3e-4, 3e-5, 6e-6},  // the truth leaves out evanescent waves
        {.25, 2, 16, 3e-8, 4e-8, 1.5e-7},
        {.27, 2, 24.1, 3e-8, 5e-8, 2e-7},
    };
    constexpr int n = 512;
    for (const Row& row : rows) {
        CAPTURE(row.pixel_um);
        CAPTURE(row.w0_um);
        const Image image = gaussian(n, row.pixel_um, row.w0_um);
        const double limit = switch_distance(resolve(parameters(Method::automatic, row.pixel_um, {1}), n, n));
        CHECK(limit / um == doctest::Approx(row.limit_um).epsilon(2e-3));
        const std::vector<double> distances{limit / 2, 2 * limit, 32 * limit};
        const auto p = parameters(Method::automatic, row.pixel_um, distances);
        CHECK(resolve(p, n, n).methods ==
              std::vector<Method>{Method::angular_spectrum, Method::rayleigh_sommerfeld, Method::rayleigh_sommerfeld});
        const auto planes = planes_of(p, n, image);
        CHECK(row_error(planes[0], n, row.pixel_um, row.w0_um, distances[0]) < row.near);
        CHECK(row_error(planes[1], n, row.pixel_um, row.w0_um, distances[1]) < row.far);
        CHECK(row_error(planes[2], n, row.pixel_um, row.w0_um, distances[2]) < row.very_far);
    }
}

TEST_CASE("among mirror images a frame of one brightness keeps it, at any distance") {
    const auto seed = tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const auto between = [&](double least, double most) {   // each order of magnitude as likely as any other
        return std::exp(std::uniform_real_distribution<double>(std::log(least), std::log(most))(random));
    };
    for (int draw = 0; draw < 40; ++draw) {
        const std::int64_t width = static_cast<std::int64_t>(between(2, 120)),
                           height = static_cast<std::int64_t>(between(2, 120));
        HologramParameters p = parameters(Method::automatic, between(.05, 12), {}, Padding::reflect);
        p.pixel[1] *= between(.5, 2);
        p.wavelength = between(.2, 1.5) * um;
        for (int i = 0; i < 4; ++i) p.distance.values.push_back((i % 2 == 0 ? 1 : -1) * between(1, 1e6) * um);
        const Geometry g = resolve(p, width, height);
        CAPTURE(width);
        CAPTURE(height);
        CAPTURE(p.pixel[0]);
        CAPTURE(p.pixel[1]);
        CAPTURE(p.wavelength);
        CHECK(sampling_warnings(p, g).empty());
        const Image image(static_cast<std::size_t>(width * height), 7.0);
        reference_reconstruct(p, g, image, 0, [&](std::size_t plane, const std::vector<Complex>& field) {
            CAPTURE(p.distance.values[plane]);
            CHECK(g.methods[plane] == Method::angular_spectrum);
            const auto far = std::max_element(field.begin(), field.end(), [](Complex a, Complex b) {
                return std::fabs(std::abs(a) - 7) < std::fabs(std::abs(b) - 7);
            });
            CHECK(std::abs(*far) == doctest::Approx(7).epsilon(1e-9));
        });
    }
    // An impulse response ends where mirror images go on.
    const auto p = parameters(Method::rayleigh_sommerfeld, 1.4, {8000 * um}, Padding::reflect);
    const auto plane = planes_of(p, 512, Image(512 * 512, 100.0))[0];
    CHECK(std::abs(plane[0]) > 102);
    CHECK(sampling_warnings(p, resolve(p, 512, 512)).size() == 1);
}

TEST_CASE("among mirror images a beam that stays in the frame is as in free space, above the limit, too") {
    struct Row {
        double pixel_um, w0_um, times, most;   // the distance over the limit; errors, with room for a third of their last digit
    };
    const Row rows[] = {{.25, 2, 2, 3e-8}, {.25, 2, 4, 3e-4}, {1.4, 14, 2, 1e-6}};
    constexpr int n = 512;
    for (const Row& row : rows) {
        CAPTURE(row.pixel_um);
        CAPTURE(row.times);
        const double d = row.times * switch_distance(resolve(parameters(Method::automatic, row.pixel_um, {1}), n, n));
        const auto plane = planes_of(parameters(Method::automatic, row.pixel_um, {d}, Padding::reflect), n,
                                     gaussian(n, row.pixel_um, row.w0_um))[0];
        CHECK(row_error(plane, n, row.pixel_um, row.w0_um, d) < row.most);
    }
}

TEST_CASE("among mirror images discs come out nearer to light by the angular spectrum than by an impulse response") {
    // Light: a field three times as wide as the camera, of which the middle is what the camera would have seen.
    constexpr std::int64_t wide = 768, n = 256, first = (wide - n) / 2;
    const auto seed = tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> place(20, wide - 20), size(3, 6);
    Image light(wide * wide, 100.0);
    for (int disc = 0; disc < 80; ++disc) {
        const double x0 = place(random), y0 = place(random), r = size(random);
        for (std::int64_t y = 0; y < wide; ++y)
            for (std::int64_t x = 0; x < wide; ++x)
                light[static_cast<std::size_t>(y * wide + x)] -=
                    50 *
                    std::exp(-(std::pow(static_cast<double>(x) - x0, 2) + std::pow(static_cast<double>(y) - y0, 2)) / (r * r));
    }
    Image image;
    for (std::int64_t y = first; y < first + n; ++y)
        for (std::int64_t x = first; x < first + n; ++x) image.push_back(light[static_cast<std::size_t>(y * wide + x)]);

    const double limit = switch_distance(resolve(parameters(Method::automatic, 1.4, {1}), n, n));
    for (const double times : {1.05, 2.0, 4.0}) {
        CAPTURE(times);
        const double d = times * limit;
        const auto truth = planes_of(parameters(Method::angular_spectrum, 1.4, {d}, Padding::reflect), wide, light)[0];
        const auto error = [&](Method method) {
            const auto plane = planes_of(parameters(method, 1.4, {d}, Padding::reflect), n, image)[0];
            double error = 0;
            for (std::int64_t y = 0; y < n; ++y)
                for (std::int64_t x = 0; x < n; ++x)
                    error += std::norm(plane[static_cast<std::size_t>(y * n + x)] -
                                       truth[static_cast<std::size_t>((y + first) * wide + x + first)]);
            return std::sqrt(error / (n * n));
        };
        const double by_default = error(Method::automatic), by_response = error(Method::rayleigh_sommerfeld);
        CAPTURE(by_response);
        CHECK(by_default < by_response);
    }
}

TEST_CASE("40 nm pixels at 200 um: the angular spectrum is a fifth wrong, the impulse response is not") {
    constexpr int n = 512;
    const Image image = gaussian(n, .04, 1);
    const auto far = planes_of(parameters(Method::automatic, .04, {200 * um}), n, image)[0];
    const auto spectrum = planes_of(parameters(Method::angular_spectrum, .04, {200 * um}), n, image)[0];
    constexpr std::size_t middle = n / 2 * n + n / 2;
    CHECK(std::abs(far[middle]) == doctest::Approx(.029513).epsilon(2e-5));
    CHECK(std::abs(spectrum[middle]) == doctest::Approx(.021663).epsilon(2e-5));
    CHECK(relative(spectrum, far) == doctest::Approx(.203).epsilon(.005));
}

TEST_CASE("an impulse response far below the limit is wrong, not imprecise") {
    constexpr int n = 256;
    const Image image = gaussian(n, 1.4, 6);
    const double d = .11 * 1851.955 * um;
    const auto spectrum = planes_of(parameters(Method::automatic, 1.4, {d}), n, image)[0];
    const auto response = planes_of(parameters(Method::rayleigh_sommerfeld, 1.4, {d}), n, image)[0];
    CHECK(row_error(spectrum, n, 1.4, 6, d) < 1e-6);
    CHECK(relative(response, spectrum) == doctest::Approx(2.8).epsilon(.05));
}

TEST_CASE("autofocus over planes on both sides of the limit finds the objects") {
    constexpr int n = 512;
    const Image image = discs();
    const auto sweep = [](int step) {
        std::vector<double> distances;
        for (int d = 200; d <= 4000; d += step) distances.push_back(d * um);
        auto p = parameters(Method::automatic, 1.4, distances, Padding::mean);
        p.autofocus = Autofocus{};
        return p;
    };

    const auto tenengrad = [&](const std::vector<Complex>& field) {
        Image amplitude(field.size());
        std::transform(field.begin(), field.end(), amplitude.begin(), [](Complex u) { return std::abs(u); });
        return focus_metric(Metric::tenengrad, amplitude, n, n, {0, 0, n, n});
    };
    // Rayleigh-Sommerfeld for all planes, as it was: 200 um would win.
    const auto responses =
        planes_of(parameters(Method::rayleigh_sommerfeld, 1.4, {200 * um, 1000 * um}, Padding::mean), n, image);
    CHECK(tenengrad(responses[0]) == doctest::Approx(.462).epsilon(.01));
    CHECK(tenengrad(responses[1]) == doctest::Approx(.088).epsilon(.01));

    for (const auto& device : tests::devices_under_test()) {
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        Session session(engine);
        const Algorithm& algorithm = engine.registry().get("hologram");
        HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', n}, {'x', n}}));
        std::transform(image.begin(), image.end(), array.as<float>(), [](double v) { return static_cast<float>(v); });
        Call call;
        call.algorithm = &algorithm;
        const auto values = [&](const HologramParameters& p) {
            return Parameters(&algorithm.parameters, std::make_shared<HologramParameters>(p));
        };
        call.parameters = values(sweep(100));
        call.outputs = {"focus"};
        call.inputs.emplace("hologram", session.upload(array));
        CAPTURE(engine.device().name);
        for (const Variant& variant : algorithm.variants) {
            if (std::find(variant.backends.begin(), variant.backends.end(), engine.device().backend) == variant.backends.end())
                continue;
            if (variant.name == "reference") continue;  // what `threaded` computes, and slowly
            const Problem problem{{{"hologram", array.desc}}, call.parameters, call.outputs};
            if (!variant.supports(problem, engine.context())) continue;
            CAPTURE(variant.name);
            call.variant = variant.name;
            // Every plane by the reference's arithmetic; a few by each variant, on both sides of the limit.
            call.parameters = values(sweep(variant.name == "threaded" ? 100 : 400));
            const CallResult result = session.run(call);
            const Json& focus = result.records.at("focus");
            CHECK(focus.at("plane_distance_um").get<double>() == doctest::Approx(1000));
            CHECK(focus.at("method").front() == "angular_spectrum");
            CHECK(focus.at("method").back() == "rayleigh_sommerfeld");
            CHECK(focus.at("at_end") == false);
        }
    }
}

TEST_CASE("autofocus of in-line holograms is warned of planes that are less than a wavelength away") {
    const Algorithm algorithm = make_hologram();
    const auto told = [&](const Json& distance, const char* index, const Json& off_axis) {
        const Json parameters{{"wavelength_nm", 532},
                              {"pixel_um", 1.4},
                              {"distance_um", distance},
                              {"refractive_index", std::stod(index)},
                              {"autofocus", {{"object", "amplitude"}}},
                              {"off_axis", off_axis}};
        const Problem problem{{{"hologram", ArrayDesc::dense(ElementType::u8, {{'y', 64}, {'x', 64}})}},
                              algorithm.parameters.parse(parameters, ""),
                              {"focus"}};
        std::string near;
        for (const std::string& warning : algorithm.warnings(problem))
            if (warning.starts_with("autofocus:")) near += warning;
        return near;
    };
    const std::string one = told({{"from", 0.1}, {"to", 10}, {"step", 1}}, "1", nullptr);
    CHECK(one.starts_with("autofocus: 1 of 10 planes, 100 nm, is less than a wavelength (532 nm) away"));
    CHECK(one.find("unit") == std::string::npos);
    const std::string all = told(Json::array({0.1, 0.2, 0.3}), "1", nullptr);
    CHECK(all.starts_with("autofocus: 3 of 3 planes, 100 nm to 300 nm, are less than a wavelength (532 nm) away"));
    CHECK(all.find("Is the unit of the distance right?") != std::string::npos);
    CHECK(told({{"from", 0.6}, {"to", 10}, {"step", 1}}, "1", nullptr).empty());
    CHECK(told({{"from", 0.45}, {"to", 10}, {"step", 1}}, "1.33", nullptr).empty());   // 400 nm in water
    CHECK(told({{"from", -2}, {"to", 2}, {"step", 1}}, "1", {{"x", 20}, {"y", -15}}).empty());   // an image may be there
}
