// The oracle's own steps: normalising, padding, the carrier, focus metrics.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "algorithms/fft/reference.hpp"
#include "algorithms/hologram/reference.hpp"
#include "parallax/host/error.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;

namespace {

/// Light and camera of these tests.
HologramParameters optics() {
    HologramParameters p;
    p.wavelength = 532e-9;
    p.pixel = {1.4e-6, 1.4e-6};
    p.distance.values = {1e-3};
    return p;
}

/// One plane.
std::vector<Complex> reconstruct(const HologramParameters& p, const std::vector<double>& h, std::int64_t width,
                                 std::int64_t height, int threads = 1) {
    std::vector<Complex> out;
    reference_reconstruct(p, resolve(p, width, height), h, threads,
                          [&](std::size_t, const std::vector<Complex>& field) { out = field; });
    return out;
}

}  // namespace

TEST_CASE("background and dark frames") {
    const std::vector<double> hologram{10, 20, 30, 40}, background{20, 5, 10, 40}, dark{0, 5, 10, 20};
    const ImageView H{hologram.data(), 2, 2}, B{background.data(), 2, 2}, D{dark.data(), 2, 2};
    CHECK(normalise(H, {}, {}) == hologram);
    CHECK(normalise(H, B, {}) == std::vector<double>{.5, 4, 3, 1});
    CHECK(normalise(H, {}, D) == std::vector<double>{10, 15, 20, 20});
    CHECK(normalise(H, B, D) == std::vector<double>{.5, 1, 1, 1});  // B = D in the middle
    CHECK_THROWS_AS(normalise(H, ImageView{background.data(), 4, 1}, {}), ConfigError);
}

TEST_CASE("what stands around the hologram") {
    // fresnel_single_fft puts out the whole padded frame, and its output has the energy of its input.
    const std::vector<double> h{1, 2, 3, 4, 5, 6};  // 3 x 2
    HologramParameters p = optics();
    p.method = Method::fresnel_single_fft;
    p.pixel = {1e-3, 1e-3};
    p.distance.values = {1.0};
    const auto energy = [&](Padding padding) {
        p.padding = padding;
        const Geometry g = resolve(p, 3, 2);
        double sum = 0;
        for (const Complex& u : reconstruct(p, h, 3, 2)) sum += std::norm(u);
        return sum * output_pixel(g, 0)[0] * output_pixel(g, 0)[1] / (g.dx * g.dy);
    };
    CHECK(energy(Padding::zero) == doctest::Approx(91));
    CHECK(energy(Padding::none) == doctest::Approx(91));
    // Frame 6 x 4: each row is 1 2 3 | 3 2 1, the rows 0 1 | 1 0.
    CHECK(energy(Padding::reflect) == doctest::Approx(4 * 91));
}

TEST_CASE("mean padding leaves a constant image constant, wherever the light goes") {
    for (const Padding padding : {Padding::mean, Padding::reflect, Padding::none}) {
        HologramParameters p = optics();
        p.padding = padding;
        p.method = Method::angular_spectrum;
        p.distance.values = {500e-6};
        for (const Complex& u : reconstruct(p, std::vector<double>(35, 3.0), 7, 5)) CHECK(std::abs(u) == doctest::Approx(3.0));
    }
}

TEST_CASE("mean padding goes on for ever for impulse responses, too: exp(-ikd) times the mean at every distance") {
    for (const Method method : {Method::rayleigh_sommerfeld, Method::convolution}) {
        for (const double d : {1e-3, 5e-3, -20e-3}) {
            HologramParameters p = optics();
            p.method = method;
            p.padding = Padding::mean;
            p.distance.values = {d};
            const double turns = d / p.wavelength;
            const Complex expected = 3.0 * std::polar(1.0, -2 * std::numbers::pi * (turns - std::floor(turns)));
            for (const Complex& u : reconstruct(p, std::vector<double>(35, 3.0), 7, 5)) CHECK(std::abs(u - expected) < 1e-9);
        }
    }
}

TEST_CASE("all threads give what one gives") {
    std::vector<double> h(61 * 47);
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = 1 + .5 * std::sin(.37 * static_cast<double>(i * i % 1009));
    for (const Method method : {Method::convolution, Method::rayleigh_sommerfeld, Method::angular_spectrum, Method::fresnel,
                                Method::fresnel_single_fft}) {
        HologramParameters p = optics();
        p.method = method;
        const auto one = reconstruct(p, h, 61, 47, 1), all = reconstruct(p, h, 61, 47, 0);
        REQUIRE(one.size() == all.size());
        double worst = 0;
        for (std::size_t i = 0; i < one.size(); ++i) worst = std::max(worst, std::abs(one[i] - all[i]));
        CHECK(worst < 1e-12);
    }
}

TEST_CASE("off-axis: the carrier is found, moved to the centre, and everything else is left out") {
    // Object wave a(x) = 1 + .3 cos(2 pi 3 x / w) on a tilted reference: |a + r|^2 carries a at +(-17, -9) and conj(a) at the
    // other side.
    const std::int64_t w = 96, h = 80;
    std::vector<double> hologram(static_cast<std::size_t>(w * h));
    std::vector<double> object(hologram.size());
    for (std::int64_t y = 0; y < h; ++y)
        for (std::int64_t x = 0; x < w; ++x) {
            const std::size_t i = static_cast<std::size_t>(y * w + x);
            object[i] = 1 + .3 * std::cos(2 * std::numbers::pi * 3 * static_cast<double>(x) / static_cast<double>(w));
            const double phase =
                2 * std::numbers::pi *
                (-27 * static_cast<double>(x) / static_cast<double>(w) - 9 * static_cast<double>(y) / static_cast<double>(h));
            hologram[i] = std::norm(object[i] + std::polar(2.0, -phase));
        }
    const Carrier found = find_carrier(hologram, w, h);
    CHECK(found.x == doctest::Approx(-27).epsilon(1e-5));
    CHECK(found.y == doctest::Approx(-9).epsilon(1e-5));
    CHECK(found.radius == doctest::Approx(std::hypot(27, 9) / 3).epsilon(1e-5));
    const Carrier other = find_carrier(hologram, w, h, {.side = Side::lower});
    CHECK(other.x == doctest::Approx(27).epsilon(1e-5));
    CHECK(other.y == doctest::Approx(9).epsilon(1e-5));

    HologramParameters p = optics();
    p.method = Method::angular_spectrum;
    p.distance.values = {0};
    p.padding = Padding::none;
    for (const OffAxis& order : {OffAxis{}, OffAxis{.x = -27, .y = -9, .radius = 8}}) {
        p.off_axis = order;
        Carrier used;
        reference_reconstruct(
            p, resolve(p, w, h), hologram, 1,
            [&](std::size_t, const std::vector<Complex>& field) {
                double worst = 0;
                for (std::size_t i = 0; i < field.size(); ++i) worst = std::max(worst, std::abs(field[i] - 2.0 * object[i]));
                CHECK(worst < (order.is_searched() ? 1e-3 : 1e-12));   // a found carrier is right to 1e-5 pixels
            },
            &used);
        CHECK(used.x == doctest::Approx(-27).epsilon(1e-5));
    }
    p.off_axis = OffAxis{.x = -27, .y = -9, .radius = 2};  // too narrow for the object's modulation
    for (const Complex& u : reconstruct(p, hologram, w, h)) CHECK(std::abs(u - 2.0) < 1e-12);

    for (const auto& [flat, side] : {std::pair(std::vector<double>(64, 1.0), 8), std::pair(std::vector<double>{1.0}, 1)}) {
        const Carrier none = find_carrier(flat, side, side);
        CHECK_THROWS_AS(judge_found_carrier(none, {}, side, side), ConfigError);
    }
}

TEST_CASE("off-axis in a padded frame: the carrier's pixels are those of the unpadded spectrum") {
    const std::int64_t w = 64, h = 48;
    std::vector<double> hologram(static_cast<std::size_t>(w * h));
    for (std::int64_t y = 0; y < h; ++y)
        for (std::int64_t x = 0; x < w; ++x)
            hologram[static_cast<std::size_t>(y * w + x)] = 1 + std::cos(2 * std::numbers::pi *
                                                                         (16 * static_cast<double>(x) / static_cast<double>(w) +
                                                                          12 * static_cast<double>(y) / static_cast<double>(h)));
    HologramParameters p = optics();
    p.method = Method::angular_spectrum;
    p.distance.values = {0};
    p.padding = Padding::zero;
    p.off_axis = OffAxis{.x = 16, .y = 12, .radius = 8};
    const auto field = reconstruct(p, hologram, w, h);
    // Half of the cosine lies in the order that is kept; away from the edges it is flat, without fringes.
    CHECK(field[static_cast<std::size_t>(24 * w + 32)].real() == doctest::Approx(.5).epsilon(.05));
    CHECK(std::abs(field[static_cast<std::size_t>(24 * w + 33)] - field[static_cast<std::size_t>(24 * w + 32)]) < .02);
}

TEST_CASE("focus metrics by hand") {
    //  0 0 0 0
    //  0 1 2 0
    //  0 0 0 5
    const std::vector<double> a{0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 5};
    const std::array<int, 4> whole{0, 0, 4, 3};
    // Sobel at (1,1): gx = 2 * 2 - 0 = 4, gy = 0. At (2,1): gx = (2 * 0 + 5) - 2 * 1 = 3, gy = 5 - 0 = 5.
    CHECK(focus_metric(Metric::tenengrad, a, 4, 3, whole) == doctest::Approx((16 + 9 + 25) / 2.0));
    // Laplacian at (1,1): 4 - 2 = 2; at (2,1): 8 - 1 = 7.
    CHECK(focus_metric(Metric::laplacian, a, 4, 3, whole) == doctest::Approx((4 + 49) / 2.0));
    // Two columns apart: row 1: 2 - 0, 0 - 1; row 2: 0 - 0, 5 - 0.
    CHECK(focus_metric(Metric::brenner, a, 4, 3, whole) == doctest::Approx((4 + 1 + 25) / 6.0));
    CHECK(focus_metric(Metric::dubois, a, 4, 3, whole) == doctest::Approx(8 / 12.0));
    CHECK(focus_metric(Metric::variance, a, 4, 3, whole) == doctest::Approx(30 / 12.0 - (8 / 12.0) * (8 / 12.0)));
    CHECK(focus_metric(Metric::dubois, a, 4, 3, {1, 1, 2, 1}) == doctest::Approx(1.5));
    CHECK(focus_metric(Metric::brenner, a, 4, 3, {1, 0, 3, 2}) == doctest::Approx(.5));
    for (const Metric metric : {Metric::tenengrad, Metric::laplacian, Metric::brenner})
        CHECK(focus_metric(metric, a, 4, 3, {0, 0, 2, 2}) == 0);  // no stencil fits
}

TEST_CASE("best plane and its refinement") {
    const auto parabola = [](const std::vector<double>& z, double top) {
        std::vector<double> v;
        for (const double d : z) v.push_back(7 - (d - top) * (d - top));
        return v;
    };
    const std::vector<double> even{1, 2, 3, 4, 5}, shuffled{5, 1, 3.5, 2, 4.25};
    for (const auto& z : {even, shuffled}) {
        auto v = parabola(z, 3.3);
        Focus f = best_focus(z, v, Metric::tenengrad, ObjectKind::amplitude);
        CHECK(std::abs(z[f.index] - 3.3) < .5);
        CHECK(f.distance == doctest::Approx(3.3));
        CHECK(best_focus(z, v, Metric::dubois, ObjectKind::phase).distance == doctest::Approx(3.3));
        for (double& x : v) x = -x;
        CHECK(best_focus(z, v, Metric::dubois, ObjectKind::amplitude).distance == doctest::Approx(3.3));
        CHECK(best_focus(z, v, Metric::variance, ObjectKind::phase).distance == doctest::Approx(3.3));
    }
    CHECK(best_focus(even, parabola(even, 9), Metric::tenengrad, ObjectKind::amplitude).distance == 5);  // at the end
    CHECK(best_focus({2}, {1}, Metric::tenengrad, ObjectKind::amplitude).distance == 2);
    CHECK(best_focus({2, 2, 2}, {1, 3, 1}, Metric::tenengrad, ObjectKind::amplitude).distance == 2);  // no parabola
    CHECK(best_focus({1, 2, 3}, {4, 4, 4}, Metric::tenengrad, ObjectKind::amplitude).distance == 1);
    const double nan = std::nan("");
    CHECK(best_focus({1, 2, 3}, {nan, 1, 2}, Metric::tenengrad, ObjectKind::amplitude).index == 2);
    CHECK(best_focus({1, 2, 3}, {nan, nan, nan}, Metric::tenengrad, ObjectKind::amplitude).index == 0);
}

TEST_CASE("how far a focus can be trusted") {
    const Autofocus opaque, clear{.object = ObjectKind::phase, .region = {}};
    const auto flags = [](std::vector<double> z, std::vector<double> v, const Autofocus& autofocus, bool in_line = true) {
        const FocusFlags f = focus_flags(z, v, autofocus, in_line);
        return std::string(f.at_end ? "end " : "") + (f.flat ? "flat " : "") + (f.symmetric ? "both" : "");
    };
    const std::vector<double> z{1, 2, 3, 4, 5, 6, 7, 8, 9};
    CHECK(flags(z, {1, 2, 1, 2, 9, 2, 1, 2, 1}, opaque) == "");
    CHECK(flags({9, 2, 7, 4, 5, 6, 3, 8, 1}, {1, 2, 1, 2, 9, 2, 1, 2, 1}, opaque) == "");        // in any order
    CHECK(flags(z, {1, 2, 1, 2, 9, 2, 1, 2, 1}, clear) == "end flat ");                          // the other kind of object
    CHECK(flags(z, {1, 2, 1, 2, 1, 2, 1, 2, 9}, opaque) == "end ");
    CHECK(flags(z, {1, 2, 1, 2, 9, 2, 1, 8.9, 1}, opaque) == "flat ");                           // two tops
    CHECK(flags(z, {1, 8, 1, 8, 9, 8, 1, 8, 1}, opaque) == "flat ");                             // no higher than its scatter
    CHECK(flags(z, {5, 5, 5, 5, 5, 5, 5, 5, 5}, opaque) == "end flat ");
    CHECK(flags({-2, -1, 0, 1, 2}, {1, 1.1, 9, 1.1, 1}, opaque) == "both");
    CHECK(flags({-2, -1, 0, 1, 2}, {1, 1.1, 9, 1.1, 1}, opaque, false) == "");                   // off-axis: they differ
    CHECK(flags({0, 1, 2, 3, 4}, {1, 1.1, 9, 1.1, 1}, opaque) == "");
    CHECK(flags({3}, {1}, opaque) == "");                                                        // one plane: nothing was chosen
    CHECK(flags({3, 4}, {1, 2}, opaque) == "end ");
    const double nan = std::nan("");
    CHECK(flags({1, 2, 3}, {nan, nan, nan}, opaque) == "end flat ");
    CHECK(flags(z, {nan, 2, 1, 2, 9, 2, 1, 2, 1}, opaque) == "");
    FocusRecorder recorder{opaque, resolve([] {
        HologramParameters p = optics();
        p.distance.values = {-1e-3, 1e-3};
        return p;
    }(), 8, 8), true};
    CHECK(recorder.judge({1, 2}).size() == 2);
    CHECK(recorder.record({1, 2}).at("symmetric") == true);
    CHECK(recorder.record({1, 2}).at("at_end") == true);
}
