// What propagated light must do, whatever computes it: the values of docs/theory/holography.md#what-light-must-do, on the
// double-precision reference and on every variant of every enabled device.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>

#include "algorithms/hologram/reference.hpp"
#include "algorithms/hologram_simulate/variants.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;

namespace {

using Field = std::vector<Complex>;
using Image = std::vector<double>;

constexpr double um = 1e-6, two_pi = 2 * std::numbers::pi;
constexpr double lambda = 532e-9, wave_number = two_pi / lambda;

// ---- what is tested ------------------------------------------------------------------------------------------------

/// Something that reconstructs real holograms: the reference, or one variant on one device.
struct Runner {
    std::string name;
    bool single_precision = false;
    std::function<bool(const HologramParameters&, std::int64_t width, std::int64_t height)> supports;
    std::function<Field(const HologramParameters&, std::int64_t width, std::int64_t height, const Image&)> field;
    std::function<Json(const HologramParameters&, std::int64_t width, std::int64_t height, const Image&)> focus;

    double tolerance(double in_double, double in_single) const { return single_precision ? in_single : in_double; }
};

Runner reference_runner() {
    Runner r;
    r.name = "reference in double precision";
    r.supports = [](const HologramParameters&, std::int64_t, std::int64_t) { return true; };
    r.field = [](const HologramParameters& p, std::int64_t width, std::int64_t height, const Image& image) {
        Field out;
        reference_reconstruct(p, resolve(p, width, height), image, 0, [&](std::size_t, const Field& field) { out = field; });
        return out;
    };
    r.focus = [](const HologramParameters& p, std::int64_t width, std::int64_t height, const Image& image) {
        std::vector<double> values;
        reference_reconstruct(p, resolve(p, width, height), image, 0, [&](std::size_t, const Field& field) {
            Image amplitude(field.size());
            std::transform(field.begin(), field.end(), amplitude.begin(), [](Complex u) { return std::abs(u); });
            values.push_back(focus_metric(p.autofocus->metric, amplitude, width, height,
                                          {0, 0, static_cast<int>(width), static_cast<int>(height)}));
        });
        return Json{
            {"best_distance_um", best_focus(p.distance.values, values, p.autofocus->metric, p.autofocus->object).distance / um}};
    };
    return r;
}

Runner session_runner(Session& session, const Variant& variant) {
    const Algorithm& algorithm = session.engine().registry().get("hologram");
    const auto parameters = [&algorithm](const HologramParameters& p) {
        return Parameters(&algorithm.parameters, std::make_shared<HologramParameters>(p));
    };
    const auto desc = [](std::int64_t width, std::int64_t height) {
        return ArrayDesc::dense(ElementType::f32, {{'y', height}, {'x', width}});
    };
    const auto run = [=, &session, &algorithm](const HologramParameters& p, std::int64_t width, std::int64_t height,
                                               const Image& image, const char* output) {
        HostArray array = HostArray::make(desc(width, height));
        std::transform(image.begin(), image.end(), array.as<float>(), [](double v) { return static_cast<float>(v); });
        Call call;
        call.algorithm = &algorithm;
        call.parameters = parameters(p);
        call.variant = variant.name;
        call.outputs = {output};
        call.inputs.emplace("hologram", session.upload(array));
        return session.run(call);
    };

    Runner r;
    r.name = session.engine().device().name + ", " + variant.name;
    r.single_precision = true;  // inputs and outputs are, on the native device too
    r.supports = [=, &session, &variant](const HologramParameters& p, std::int64_t width, std::int64_t height) {
        const Problem problem{{{"hologram", desc(width, height)}}, parameters(p), {"field"}};
        return static_cast<bool>(variant.supports(problem, session.engine().context()));
    };
    r.field = [=, &session](const HologramParameters& p, std::int64_t width, std::int64_t height, const Image& image) {
        const HostArray field = session.download(run(p, width, height, image, "field").outputs.at("field"));
        const auto* u = field.as<std::complex<float>>();
        return Field(u, u + field.desc.count());
    };
    r.focus = [=](const HologramParameters& p, std::int64_t width, std::int64_t height, const Image& image) {
        return run(p, width, height, image, "focus").records.at("focus");
    };
    return r;
}

// ---- fields --------------------------------------------------------------------------------------------------------

HologramParameters parameters(Method method, double distance_um, double pixel_um = 1.4, Padding padding = Padding::none) {
    HologramParameters p;
    p.method = method;
    p.padding = padding;
    p.wavelength = lambda;
    p.pixel = {pixel_um * um, pixel_um * um};
    p.distance.values = {distance_um * um};
    p.band_limit = false;
    return p;
}

Image random_image(std::int64_t width, std::int64_t height, std::uint64_t seed) {
    Image image(static_cast<std::size_t>(width * height));
    std::uint64_t state = seed;
    for (double& v : image) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        v = static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
    }
    return image;
}

/// value(x, y) in metres from the middle pixel (width / 2, height / 2).
template <class T, class F>
std::vector<T> sampled(std::int64_t width, std::int64_t height, double pixel_um, const F& value) {
    std::vector<T> out;
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            out.push_back(
                value(static_cast<double>(x - width / 2) * pixel_um * um, static_cast<double>(y - height / 2) * pixel_um * um));
    return out;
}

double relative_error(const Field& is, const Field& should) {
    REQUIRE(is.size() == should.size());
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < is.size(); ++i) {
        error += std::norm(is[i] - should[i]);
        norm += std::norm(should[i]);
    }
    return std::sqrt(error / norm);
}

Field times(Field field, Complex factor) {
    for (Complex& u : field) u *= factor;
    return field;
}

/// A complex field goes through an instrument for real images in two parts: propagation is linear.
Field propagate(const Runner& run, const HologramParameters& p, std::int64_t width, std::int64_t height, const Field& field) {
    Image real(field.size()), imaginary(field.size());
    for (std::size_t i = 0; i < field.size(); ++i) {
        real[i] = field[i].real();
        imaginary[i] = field[i].imag();
    }
    Field out = run.field(p, width, height, real);
    const Field second = run.field(p, width, height, imaginary);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += Complex(0, 1) * second[i];
    return out;
}

/// Paraxial Gaussian beam with its waist w0 at the sensor, taken back by d, without exp(-ikd).
Complex gaussian_beam(double x, double y, double w0, double d) {
    const Complex q(1, -d / (std::numbers::pi * w0 * w0 / lambda));
    return std::exp(-(x * x + y * y) / (w0 * w0 * q)) / q;
}

/// Disc of `radius_um` in the middle, 16 x 16 samples a pixel.
Image disc(int n, double pixel_um, double radius_um) {
    hologram_simulate::SimulateParameters p;
    p.width = p.height = n;
    p.pixel = {pixel_um * um, pixel_um * um};
    p.radius = radius_um * um;
    Image covered;
    for (const Complex& t : hologram_simulate::transmission(p, hologram_simulate::place_beads(p)))
        covered.push_back(1 - t.real());
    return covered;
}

Image complement(Image image) {
    for (double& v : image) v = 1 - v;
    return image;
}

double intensity_at(const Field& field, std::int64_t width, std::int64_t x, std::int64_t y) {
    return std::norm(field[static_cast<std::size_t>(y * width + x)]);
}

// ---- the checks ----------------------------------------------------------------------------------------------------

void energy_is_conserved(const Runner& run) {
    const auto p = parameters(Method::angular_spectrum, 300);
    if (!run.supports(p, 96, 80)) return;
    const Image h = random_image(96, 80, 1);
    double before = 0, after = 0;
    for (const double v : h) before += v * v;
    for (const Complex& u : run.field(p, 96, 80, h)) after += std::norm(u);
    CHECK(std::abs(after / before - 1) < run.tolerance(5e-14, 1e-6));
}

void there_and_back_again(const Runner& run) {
    if (!run.supports(parameters(Method::angular_spectrum, 300), 96, 80)) return;
    const Image re = random_image(96, 80, 1), im = random_image(96, 80, 2);
    Field u;
    for (std::size_t i = 0; i < re.size(); ++i) u.emplace_back(re[i], im[i]);
    for (const Method method : {Method::angular_spectrum, Method::fresnel}) {
        const Field there = propagate(run, parameters(method, 300), 96, 80, u);
        CHECK(relative_error(there, u) > .1);
        CHECK(relative_error(propagate(run, parameters(method, -300), 96, 80, there), u) < run.tolerance(5e-15, 2e-6));
    }
}

void two_steps_are_one(const Runner& run) {
    if (!run.supports(parameters(Method::angular_spectrum, 700), 96, 80)) return;
    const Image h = random_image(96, 80, 3);
    const Field once = run.field(parameters(Method::angular_spectrum, 700), 96, 80, h);
    const Field twice = propagate(run, parameters(Method::angular_spectrum, 500), 96, 80,
                                  run.field(parameters(Method::angular_spectrum, 200), 96, 80, h));
    CHECK(relative_error(twice, once) < run.tolerance(2e-12, 2e-6));
}

void negative_distance_is_the_conjugate(const Runner& run) {
    const Image h = random_image(60, 50, 4);
    for (const Method method : {Method::angular_spectrum, Method::fresnel, Method::convolution, Method::rayleigh_sommerfeld,
                                Method::fresnel_single_fft}) {
        if (!run.supports(parameters(method, 400), 60, 50)) continue;
        CAPTURE(static_cast<int>(method));
        Field forward = run.field(parameters(method, -400), 60, 50, h);
        for (Complex& u : forward) u = std::conj(u);
        CHECK(relative_error(run.field(parameters(method, 400), 60, 50, h), forward) < run.tolerance(1e-14, 2e-6));
    }
}

void plane_waves_keep_their_shape(const Runner& run) {
    const std::int64_t w = 120, h = 96;
    const double d = 1000 * um;
    if (!run.supports(parameters(Method::angular_spectrum, 1000), w, h)) return;
    const Field still = run.field(parameters(Method::angular_spectrum, 1000), w, h, Image(static_cast<std::size_t>(w * h), 1.0));
    CHECK(relative_error(still, Field(still.size(), std::polar(1.0, -wave_number * d))) < run.tolerance(2e-12, 2e-6));
    const Field paraxial = run.field(parameters(Method::fresnel, 1000), w, h, Image(static_cast<std::size_t>(w * h), 1.0));
    CHECK(relative_error(paraxial, Field(paraxial.size(), std::polar(1.0, -wave_number * d))) < run.tolerance(2e-12, 2e-6));

    // Two tilted waves at once, as a real hologram holds them: cos(2 pi (9 x / W - 7 y / H)).
    const double fx = 9 / (static_cast<double>(w) * 1.4 * um), fy = -7 / (static_cast<double>(h) * 1.4 * um);
    const auto mode = [&](double x, double y) { return std::cos(two_pi * (fx * x + fy * y)); };
    const Complex phase = std::polar(1.0, -two_pi * d * std::sqrt(1 / (lambda * lambda) - fx * fx - fy * fy));
    const Field tilted = run.field(parameters(Method::angular_spectrum, 1000), w, h, sampled<double>(w, h, 1.4, mode));
    CHECK(relative_error(tilted, times(sampled<Complex>(w, h, 1.4, mode), phase)) < run.tolerance(2e-12, 2e-6));
}

void evanescent_waves_vanish(const Runner& run) {
    // Pixels of lambda/4: cos(2 pi .45 x / pixel) has f = 1.8 / lambda.
    const double pixel = lambda / um / 4;
    if (!run.supports(parameters(Method::angular_spectrum, 5, pixel), 80, 16)) return;
    const Image h =
        sampled<double>(80, 16, pixel, [&](double x, double) { return 1 + std::cos(two_pi * .45 * x / (pixel * um)); });
    const Field u = run.field(parameters(Method::angular_spectrum, 5, pixel), 80, 16, h);
    CHECK(relative_error(u, Field(u.size(), std::polar(1.0, -wave_number * 5 * um))) < run.tolerance(1e-12, 2e-6));
}

void gaussian_beam_spreads_as_it_should(const Runner& run) {
    if (!run.supports(parameters(Method::fresnel, 4000, 2.8), 256, 256)) return;
    const Image waist = sampled<double>(256, 256, 2.8, [](double x, double y) { return gaussian_beam(x, y, 40 * um, 0).real(); });
    for (const double d : {4000.0, -4000.0}) {
        const Field expected =
            times(sampled<Complex>(256, 256, 2.8, [d](double x, double y) { return gaussian_beam(x, y, 40 * um, d * um); }),
                  std::polar(1.0, -wave_number * d * um));
        CHECK(relative_error(run.field(parameters(Method::fresnel, d, 2.8), 256, 256, waist), expected) <
              run.tolerance(9e-12, 2e-6));
    }
}

void impulse_responses_need_padding(const Runner& run) {
    const Complex constant_phase = std::polar(1.0, wave_number * 4000 * um);
    for (const int n : {256, 512}) {
        const Image waist = sampled<double>(n, n, 1.4, [](double x, double y) { return gaussian_beam(x, y, 40 * um, 0).real(); });
        const Field expected =
            sampled<Complex>(n, n, 1.4, [](double x, double y) { return gaussian_beam(x, y, 40 * um, 4000 * um); });
        for (const Method method : {Method::rayleigh_sommerfeld, Method::convolution}) {
            CAPTURE(n);
            CAPTURE(static_cast<int>(method));
            if (run.supports(parameters(method, 4000), n, n)) {
                const double error =
                    relative_error(times(run.field(parameters(method, 4000), n, n, waist), constant_phase), expected);
                CHECK(error > .03);
                CHECK(error < .13);
            }
            const auto padded = parameters(method, 4000, 1.4, Padding::zero);
            if (run.supports(padded, n, n))
                CHECK(relative_error(times(run.field(padded, n, n, waist), constant_phase), expected) < 1.2e-5);
        }
    }
}

/// A single bright pixel shows the impulse response itself, its phase and the obliquity d/r between the two methods.
void a_point_makes_a_spherical_wave(const Runner& run) {
    const std::int64_t w = 140, h = 96;
    const double d = 4000 * um, area = 1.4 * 1.4 * um * um;
    Image point(static_cast<std::size_t>(w * h));
    point[static_cast<std::size_t>(h / 2 * w + w / 2)] = 1;
    const auto r = [d](double x, double y) { return std::sqrt(d * d + x * x + y * y); };
    const auto paper = [&](double x, double y) {
        return area * Complex(0, 1 / lambda) * std::polar(1 / r(x, y), -wave_number * r(x, y));
    };
    const auto rayleigh = [&](double x, double y) {
        return area * d / two_pi * Complex(1 / r(x, y), wave_number) *
               std::polar(1 / (r(x, y) * r(x, y)), -wave_number * r(x, y));
    };
    const auto p = parameters(Method::convolution, 4000);
    if (!run.supports(p, w, h)) return;
    const Field spherical = run.field(p, w, h, point);
    CHECK(relative_error(spherical, sampled<Complex>(w, h, 1.4, paper)) < run.tolerance(1e-10, 2e-6));
    if (!run.supports(parameters(Method::rayleigh_sommerfeld, 4000), w, h)) return;
    const Field oblique = run.field(parameters(Method::rayleigh_sommerfeld, 4000), w, h, point);
    CHECK(relative_error(oblique, sampled<Complex>(w, h, 1.4, rayleigh)) < run.tolerance(1e-10, 2e-6));
    const std::size_t off_axis = static_cast<std::size_t>(h / 2 * w + w / 2 + 65);  // 91 um from the axis
    CHECK(1 - std::abs(oblique[off_axis]) / std::abs(spherical[off_axis]) ==
          doctest::Approx(2.6e-4).epsilon(run.tolerance(.01, .05)));
}

/// At the distance where its pixel is the hologram's, the single transform shows the same plane as the others: not turned, not
/// shifted, with the same phase.
void one_transform_shows_what_two_show(const Runner& run) {
    for (const int n : {128, 125}) {
        const double d = n * 1.4 * 1.4 / .532;
        const auto image = [](double x, double y) {
            return std::exp(-((x - 15 * um) * (x - 15 * um) + (y + 5 * um) * (y + 5 * um)) / (12 * 12 * um * um)) *
                       (1 + .5 * std::cos(two_pi * (x + 2 * y) / (45 * um))) +
                   .5 * std::exp(-((x + 20 * um) * (x + 20 * um) + (y - 10 * um) * (y - 10 * um)) / (10 * 10 * um * um));
        };
        const Image h = sampled<double>(n, n, 1.4, image);
        for (const double signed_d : {d, -d}) {
            CAPTURE(n);
            CAPTURE(signed_d);
            const auto p = parameters(Method::fresnel_single_fft, signed_d);
            if (!run.supports(p, n, n)) continue;
            const Field single = run.field(p, n, n, h);
            CHECK(relative_error(single, run.field(parameters(Method::fresnel, signed_d), n, n, h)) < run.tolerance(1e-9, 4e-6));
            const Field full = run.field(parameters(Method::angular_spectrum, signed_d), n, n, h);
            CHECK(relative_error(single, full) < 5e-3);  // paraxial or not
        }
    }
}

void apertures_and_discs_on_axis(const Runner& run) {
    const int n = 1024;
    const Image hole = disc(n, 1.4, 60), screen = complement(hole);
    struct Row {
        double z_um, aperture;
    };
    for (const Row& row : {Row{3383.46, 0}, Row{6766.92, 3.9998}}) {
        const auto p = parameters(Method::angular_spectrum, row.z_um);
        if (!run.supports(p, n, n)) return;
        CAPTURE(row.z_um);
        const double rho = std::hypot(row.z_um, 60.0), z_rho = row.z_um / rho;
        const double theory = 1 + z_rho * z_rho - 2 * z_rho * std::cos(wave_number * um * (rho - row.z_um));
        CHECK(std::abs(theory - row.aperture) < 1e-4);
        const double through_hole = intensity_at(run.field(p, n, n, hole), n, n / 2, n / 2);
        CHECK(std::abs(through_hole - theory) < .02 * std::max(theory, 1.0));
        if (row.aperture > 1) CHECK(through_hole == doctest::Approx(4.0013).epsilon(1e-4));
        CHECK(intensity_at(run.field(p, n, n, screen), n, n / 2, n / 2) == doctest::Approx(z_rho * z_rho).epsilon(.02));
    }
}

void a_bead_casts_its_rings(const Runner& run) {
    const int n = 1024;
    const auto p = parameters(Method::angular_spectrum, -1000);
    if (!run.supports(p, n, n)) return;
    const Field u = run.field(p, n, n, complement(disc(n, 1.4, 10)));
    double sum = 0, squares = 0, least = 1e9, most = 0;
    for (const Complex& v : u) {
        const double i = std::norm(v);
        sum += i;
        squares += (i - 1) * (i - 1);
        least = std::min(least, i);
        most = std::max(most, i);
    }
    const double mean = sum / (n * n);
    CHECK(mean == doctest::Approx(.999839).epsilon(1e-6));
    CHECK(std::sqrt(squares / (n * n) - (mean - 1) * (mean - 1)) == doctest::Approx(.01417).epsilon(5e-4));
    CHECK(least == doctest::Approx(.3653).epsilon(2e-4));
    CHECK(most == doctest::Approx(1.1985).epsilon(1e-4));
    CHECK(intensity_at(u, n, n / 2 + 7, n / 2) == doctest::Approx(.5072).epsilon(1e-4));   // r = 9.8 um
    CHECK(intensity_at(u, n, n / 2, n / 2 + 28) == doctest::Approx(.9518).epsilon(1e-4));  // r = 39.2 um
}

void autofocus_finds_beads(const Runner& run) {
    hologram_simulate::SimulateParameters beads;
    beads.width = beads.height = 256;
    beads.count = 4;
    const int n = beads.width;
    for (const ObjectKind object : {ObjectKind::amplitude, ObjectKind::phase}) {
        beads.kind = object == ObjectKind::amplitude ? hologram_simulate::BeadKind::opaque : hologram_simulate::BeadKind::phase;
        beads.delta_n = .005;
        Image h = hologram_simulate::reference_intensity(beads, hologram_simulate::place_beads(beads));
        double mean = 0;
        for (const double v : h) mean += v / static_cast<double>(h.size());
        for (double& v : h) v /= mean;
        for (const Metric metric : {Metric::tenengrad, Metric::variance, Metric::brenner, Metric::laplacian, Metric::dubois}) {
            auto p = parameters(Method::angular_spectrum, 1000);
            p.distance.values.clear();
            for (double d = 900; d <= 1100; d += 10) p.distance.values.push_back(d * um);
            p.autofocus = Autofocus{.metric = metric, .object = object, .region = {}};
            if (!run.supports(p, n, n)) return;
            CAPTURE(static_cast<int>(metric));
            CAPTURE(static_cast<int>(object));
            CHECK(std::abs(run.focus(p, n, n, h).at("best_distance_um").get<double>() - 1000) <= 20);
        }
    }
}

struct Check {
    std::string name;
    void (*check)(const Runner&);
};

const Check checks[] = {
    {"energy is conserved", energy_is_conserved},
    {"there and back again", there_and_back_again},
    {"two steps are one", two_steps_are_one},
    {"a negative distance is the conjugate", negative_distance_is_the_conjugate},
    {"plane waves keep their shape", plane_waves_keep_their_shape},
    {"evanescent waves vanish", evanescent_waves_vanish},
    {"a Gaussian beam spreads", gaussian_beam_spreads_as_it_should},
    {"impulse responses need padding", impulse_responses_need_padding},
    {"a point makes a spherical wave", a_point_makes_a_spherical_wave},
    {"one transform shows what two show", one_transform_shows_what_two_show},
    {"apertures and discs on axis", apertures_and_discs_on_axis},
    {"a bead casts its rings", a_bead_casts_its_rings},
    {"autofocus finds beads", autofocus_finds_beads},
};

void run_all(const Runner& runner) {
    CAPTURE(runner.name);
    for (const Check& check : checks) {
        CAPTURE(check.name);
        check.check(runner);
    }
}

}  // namespace

TEST_CASE("light behaves: the reference") { run_all(reference_runner()); }

TEST_CASE("light behaves: every variant on every device") {
    for (const auto& device : tests::devices_under_test()) {
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        Session session(engine);
        int variants = 0;
        for (const Variant& variant : engine.registry().get("hologram").variants) {
            if (std::find(variant.backends.begin(), variant.backends.end(), engine.device().backend) == variant.backends.end())
                continue;
            run_all(session_runner(session, variant));
            ++variants;
        }
        CAPTURE(engine.device().name);
        CHECK(variants > 0);
    }
}
