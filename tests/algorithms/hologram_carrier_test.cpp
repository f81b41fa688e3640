// Off-axis carriers: found between the pixels, demodulated exactly, trusted as far as they can be.
// Mathematics: docs/theory/holography.md#off-axis-holograms
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <string>

#include "algorithms/hologram/reference.hpp"
#include "algorithms/hologram_simulate/random.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;

namespace {

constexpr int n = 256;
constexpr double cx = 60.37, cy = -41.82;

double cell(double x, double y) {
    return 1.5 * std::exp(-((x - 10) * (x - 10) + (y + 6) * (y + 6)) / 968) +
           .6 * std::exp(-((x + 40) * (x + 40) + (y - 30) * (y - 30)) / 162);
}

/// h = 1.64 + 1.6 cos(2 pi c.x / 256 + phi).
template <class Phase>
std::vector<double> hologram_of(const Phase& phi, double noise_sd = 0) {
    std::vector<double> h;
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            h.push_back(1.64 + 1.6 * std::cos(2 * std::numbers::pi * (cx * x + cy * y) / n + phi(x - n / 2, y - n / 2)));
            if (noise_sd > 0) h.back() += noise_sd * hologram_simulate::normal(static_cast<std::uint64_t>(h.size() - 1), 1);
        }
    return h;
}

double off_by(const Carrier& c) { return std::hypot(c.x - cx, c.y - cy); }

const auto flat = [](double, double) { return 0.0; };

/// rms of the phase error 16 pixels inside the border, the constant removed.
double phase_rms(const std::vector<double>& h, const OffAxis& order, Padding padding) {
    HologramParameters p;
    p.method = Method::angular_spectrum;
    p.wavelength = 532e-9;
    p.pixel = {1.4e-6, 1.4e-6};
    p.distance.values = {0};
    p.padding = padding;
    p.off_axis = order;
    std::vector<double> errors;
    reference_reconstruct(p, resolve(p, n, n), h, 0, [&](std::size_t, const std::vector<Complex>& field) {
        for (int y = 16; y < n - 16; ++y)
            for (int x = 16; x < n - 16; ++x)
                errors.push_back(
                    std::arg(field[static_cast<std::size_t>(y * n + x)] * std::polar(1.0, -cell(x - n / 2, y - n / 2))));
    });
    double mean = 0, squares = 0;
    for (const double e : errors) mean += e / static_cast<double>(errors.size());
    for (const double e : errors) squares += (e - mean) * (e - mean) / static_cast<double>(errors.size());
    return std::sqrt(squares);
}

}  // namespace

TEST_CASE("a carrier is found between the pixels") {
    const auto bent = [](double x, double y) { return cell(x, y) + 6e-4 * (x * x + y * y); };
    CHECK(off_by(find_carrier(hologram_of(flat), n, n, {.side = Side::lower})) > 100);  // the conjugate
    const auto found = [](const std::vector<double>& h) { return find_carrier(h, n, n); };
    CHECK(off_by(found(hologram_of(flat))) < 5e-5);
    CHECK(off_by(found(hologram_of(flat, .2))) == doctest::Approx(8e-4).epsilon(.1));
    CHECK(off_by(found(hologram_of(cell))) == doctest::Approx(.0327).epsilon(.005));
    CHECK(off_by(found(hologram_of(cell, .2))) == doctest::Approx(.0321).epsilon(.005));
    CHECK(off_by(found(hologram_of(bent))) == doctest::Approx(.284).epsilon(.005));
    CHECK(found(hologram_of(flat, .2)).confidence == doctest::Approx(168).epsilon(.02));
    CHECK(found(hologram_of(cell, .2)).confidence == doctest::Approx(155).epsilon(.02));
    std::vector<double> grey = hologram_of(cell);
    for (double& v : grey) v = std::rint(v * 255 / 3.3);
    CHECK(off_by(found(grey)) == doctest::Approx(.0327).epsilon(.005));
    CHECK(found(grey).confidence > 3000);
    CHECK(found(grey).radius == doctest::Approx(std::hypot(found(grey).x, found(grey).y) / 3));
    CHECK(find_carrier(grey, n, n, {.radius = 11}).radius == 11);
}

TEST_CASE("a fraction of a pixel is no tilt") {
    const std::vector<double> h = hologram_of(cell);
    const double k = std::hypot(cx, cy);
    struct Row {
        double radius, rms;
    };
    for (const Row& row : {Row{k / 4, 3.8e-4}, {k / 3, 4.8e-4}, {k / 2, 9.8e-4}, {.9 * k, 4.9e-2}}) {
        CAPTURE(row.radius / k);
        CHECK(phase_rms(h, {.x = cx, .y = cy, .radius = row.radius}, Padding::none) == doctest::Approx(row.rms).epsilon(.02));
    }
    CHECK(phase_rms(h, {.x = cx, .y = cy}, Padding::none) == doctest::Approx(4.8e-4).epsilon(.02));  // a third by itself
    for (const Padding padding : {Padding::zero, Padding::mean, Padding::reflect})
        CHECK(phase_rms(h, {.x = cx, .y = cy}, padding) < 2e-3);
    // What it was like to round (.37, .18) away: 3.46 rad of tilt over the frame.
    CHECK(phase_rms(h, {.x = 60, .y = -42, .radius = k / 3}, Padding::none) > .5);
}

TEST_CASE("a disc leaves out the order in the middle, and stays inside the spectrum") {
    const double k = std::hypot(cx, cy);
    CHECK_NOTHROW(check_carrier({cx, cy, .99 * k}, n, n));
    CHECK_THROWS_AS(check_carrier({cx, cy, k}, n, n), ConfigError);
    CHECK_THROWS_AS(check_carrier({cx, cy, 1.05 * k}, n, n), ConfigError);
    CHECK_THROWS_AS(check_carrier({129, 0, 10}, n, n), ConfigError);
    CHECK(carrier_warnings({cx, cy, k / 3}, n, n).empty());
    CHECK(carrier_warnings({cx, cy, .51 * k}, n, n).size() == 1);
    CHECK(carrier_warnings({110, 0, 30}, n, n).size() == 1);  // beyond 128
    CHECK(carrier_warnings({0, -110, 30}, n, n).size() == 1);
    CHECK(carrier_warnings({110, 0, 60}, n, n).size() == 2);
}

TEST_CASE("a side beside x and y agrees with them, or is an error") {
    struct Row {
        double x, y;
        Side side;
    };
    for (const Row& row : {Row{12, -9, Side::upper}, {-12, 9, Side::lower}, {12, 0, Side::lower}, {-12, 0, Side::upper}}) {
        CAPTURE(row.x);
        CAPTURE(row.y);
        CHECK_NOTHROW(check_side({.x = row.x, .y = row.y, .side = row.side}));
        CHECK_NOTHROW(check_side({.x = row.x, .y = row.y}));
        CHECK_THROWS_AS(check_side({.x = -row.x, .y = -row.y, .side = row.side}), ConfigError);
    }
}

TEST_CASE("real holograms: an off-axis one has a carrier, an in-line one has none, and is told so") {
    const char* const folder = std::getenv("PARALLAX_TEST_DATA");
    const std::filesystem::path data = std::filesystem::path(folder != nullptr ? folder : "../shared/data") / "holo";
    if (!std::filesystem::exists(data)) {
        MESSAGE("skipped, no folder " << data.string() << ": set PARALLAX_TEST_DATA");
        return;
    }
    const auto found = [&](const char* name, const OffAxis& order = {}) {
        const HostArray image = io::read(data / name);
        std::vector<double> h(static_cast<std::size_t>(image.desc.count()));
        for (std::size_t i = 0; i < h.size(); ++i) {
            h[i] = image.desc.type == ElementType::u8 ? image.as<std::uint8_t>()[i] : image.as<std::uint16_t>()[i];
        }
        const std::int64_t width = image.desc.size('x'), height = image.desc.size('y');
        const Carrier c = find_carrier(h, width, height, order);
        CAPTURE(name);
        CAPTURE(c.confidence);
        try {
            const auto warnings = judge_found_carrier(c, order, width, height);
            CHECK(warnings.size() == (order.side == Side::unknown ? 1 : 0));
        } catch (const ConfigError&) {
            CHECK(c.confidence < 2);
            return Carrier{};
        }
        return c;
    };
    CHECK(found("pydhm_plus3cm.tif").x == doctest::Approx(-308.518).epsilon(1e-5));
    CHECK(found("pydhm_plus3cm.tif").y == doctest::Approx(-238.481).epsilon(1e-5));
    CHECK(found("pydhm_plus3cm.tif").confidence == doctest::Approx(8.745).epsilon(1e-3));
    CHECK(found("pydhm_plus3cm.tif", {.side = Side::lower}).y == doctest::Approx(238.481).epsilon(1e-5));
    // In-line ones; and the horse, whose zero order is stronger than its carrier as far as the search goes: its carrier has to be
    // given.
    for (const char* name :
         {"holopy_image01.jpg", "momey_beads1um_crop.tiff", "fringe_seq_0_300.tif", "fringe_seq_4_500.tif", "pydhm_horse.bmp"})
        CHECK(found(name).confidence == 0);
}
