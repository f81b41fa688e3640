// Real holograms (PARALLAX_TEST_DATA): what is known of each is found again, and every device variant reconstructs the
// reference's amplitude.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>

#include "algorithms/hologram/reference.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "io/io.hpp"
#include "peers/peers.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;

namespace {

constexpr double um = 1e-6;

/// A file of the folder holo/; says so and gives nothing where it is missing.
std::optional<HostArray> hologram_file(const std::string& name) {
    const char* const folder = std::getenv("PARALLAX_TEST_DATA");
    const std::filesystem::path path = std::filesystem::path(folder != nullptr ? folder : "../shared/data") / "holo" / name;
    if (!std::filesystem::exists(path)) {
        MESSAGE("skipped, no file " << path.string() << ": set PARALLAX_TEST_DATA");
        return std::nullopt;
    }
    return io::read(path);
}

std::vector<double> values_of(const HostArray& array) {
    const auto read = [&](const auto* first) { return std::vector<double>(first, first + array.desc.count()); };
    if (array.desc.type == ElementType::u8) return read(array.as<std::uint8_t>());
    REQUIRE(array.desc.type == ElementType::u16);
    return read(array.as<std::uint16_t>());
}

HologramParameters parse(const std::string& text) {
    static const ParameterTable table = hologram_table();
    return table.parse(Json::parse(text), "").as<HologramParameters>();
}

std::vector<double> modulus(const std::vector<Complex>& field) {
    std::vector<double> a(field.size());
    std::transform(field.begin(), field.end(), a.begin(), [](Complex u) { return std::abs(u); });
    return a;
}

constexpr Metric all_metrics[] = {Metric::tenengrad, Metric::variance, Metric::brenner, Metric::laplacian, Metric::dubois};

/// Best distance by each metric, in micrometres.
std::vector<double> best_distances(const HologramParameters& p, const HostArray& image, ObjectKind object,
                                   Carrier* carrier = nullptr) {
    const std::int64_t width = image.desc.size('x'), height = image.desc.size('y');
    std::vector<std::vector<double>> values(std::size(all_metrics));
    reference_reconstruct(
        p, resolve(p, width, height), values_of(image), 0,
        [&](std::size_t, const std::vector<Complex>& field) {
            const auto a = modulus(field);
            for (std::size_t m = 0; m < values.size(); ++m)
                values[m].push_back(
                    focus_metric(all_metrics[m], a, width, height, {0, 0, static_cast<int>(width), static_cast<int>(height)}));
        },
        carrier);
    std::vector<double> best;
    for (std::size_t m = 0; m < values.size(); ++m)
        best.push_back(best_focus(p.distance.values, values[m], all_metrics[m], object).distance / um);
    return best;
}

}  // namespace

TEST_CASE("pydhm_plus3cm: the carrier, and a focus on which all metrics agree") {
    const auto image = hologram_file("pydhm_plus3cm.tif");
    if (!image) return;
    const Carrier carrier = find_carrier(values_of(*image), image->desc.size('x'), image->desc.size('y'));
    CHECK(carrier.x == doctest::Approx(-308.518).epsilon(1e-5));
    CHECK(carrier.y == doctest::Approx(-238.481).epsilon(1e-5));
    // This order is the conjugate one, in focus in front of the sensor; the order opposite has the object behind it.
    const std::string text = R"({"method": "angular_spectrum", "wavelength_nm": 633, "pixel_um": 6.9, "padding": "none", )";
    for (
        const double d : best_distances(
            parse(
                text +
                R"("distance_mm": {"from": -29, "to": -26.5, "step": 0.25}, "off_axis": {"x": -308, "y": -238, "radius": 116}})"),
            *image, ObjectKind::amplitude)) {
        CHECK(d < -27500);
        CHECK(d > -28000);
    }
    for (const double d :
         best_distances(parse(text + R"("distance_mm": [27, 27.75, 28.5], "off_axis": {"x": 308, "y": 238, "radius": 116}})"),
                        *image, ObjectKind::amplitude)) {
        CHECK(d > 27500);
        CHECK(d < 28000);
    }
}

TEST_CASE("pydhm_horse: the head is bright before a dark ground, at 649 mm and not elsewhere") {
    const auto image = hologram_file("pydhm_horse.bmp");
    if (!image) return;
    const std::int64_t width = image->desc.size('x');
    // Mean over the neck against mean over the gap between head and neck.
    const auto contrast = [&](const std::string& distance) {
        const HologramParameters p = parse(
            R"({"method": "fresnel_single_fft", "wavelength_nm": 633, "pixel_um": 5, "off_axis": {"x": -380, "y": -270,
                "radius": 260}, "distance_mm": )" +
            distance + "}");
        double ratio = 0;
        reference_reconstruct(p, resolve(p, width, image->desc.size('y')), values_of(*image), 0,
                              [&](std::size_t, const std::vector<Complex>& field) {
                                  const auto mean = [&](std::int64_t left, std::int64_t right, std::int64_t top,
                                                        std::int64_t bottom) {
                                      double sum = 0;
                                      for (std::int64_t y = top; y < bottom; ++y)
                                          for (std::int64_t x = left; x < right; ++x)
                                              sum += std::abs(field[static_cast<std::size_t>(y * width + x)]);
                                      return sum / static_cast<double>((right - left) * (bottom - top));
                                  };
                                  ratio = mean(627, 700, 420, 580) / mean(520, 575, 355, 450);
                              });
        return ratio;
    };
    CHECK(contrast("649") > 5);
    CHECK(contrast("-649") < 2.5);
}

TEST_CASE("momey_beads1um: phase objects are in focus at 7.2 um") {
    const auto image = hologram_file("momey_beads1um_crop.tiff");
    if (!image) return;
    HologramParameters p = parse(
        R"({"wavelength_nm": 532, "refractive_index": 1.52, "pixel_nm": 38.8007, "distance_um": {"from": 6, "to": 8.4,
            "step": 0.2}})");
    CHECK(resolve(p, 512, 512).methods.front() == Method::angular_spectrum);      // among mirror images
    CHECK(std::abs(best_distances(p, *image, ObjectKind::phase)[0] - 7.2) < .1);  // Tenengrad, the default
    p.padding = Padding::mean;
    CHECK(resolve(p, 512, 512).methods.front() == Method::rayleigh_sommerfeld);   // pixels far below half a wavelength
    // All metrics: variance and Dubois' need a mean that goes on for ever
    for (const double d : best_distances(p, *image, ObjectKind::phase)) CHECK(std::abs(d - 7.2) < .1);
}

TEST_CASE("fringe_seq: simulated elsewhere, in focus where they were simulated") {
    for (const auto& [file, distance] : {std::pair("fringe_seq_0_300.tif", 300.0), std::pair("fringe_seq_4_500.tif", 500.0)}) {
        const auto image = hologram_file(file);
        if (!image) return;
        HologramParameters p = parse(R"({"wavelength_nm": 532, "pixel_um": 1.12, "distance_um": 300})");
        p.distance.values.clear();
        for (double d = distance - 80; d <= distance + 80; d += 20) p.distance.values.push_back(d * um);
        p.padding = Padding::mean;
        CHECK(std::abs(best_distances(p, *image, ObjectKind::phase)[2] - distance) < 25);  // Brenner
    }
}

TEST_CASE("holopy: the background divides the hologram") {
    const auto image = hologram_file("holopy_image01.jpg");
    if (!image) return;
    std::vector<HostArray> backgrounds;
    for (const char* name : {"holopy_bg01.jpg", "holopy_bg02.jpg", "holopy_bg03.jpg"})
        backgrounds.push_back(*hologram_file(name));
    const HostArray mean = io::combine(backgrounds, "mean");
    const auto h = values_of(*image);
    const std::vector<double> b(mean.as<float>(), mean.as<float>() + mean.desc.count());
    const auto divided = normalise({h.data(), 512, 512}, {b.data(), 512, 512}, {});
    CHECK(divided[0] == doctest::Approx(.9196428571).epsilon(1e-7));
}

TEST_CASE("every device reconstructs the reference's amplitude from real holograms, by every method that reaches them") {
    struct Row {
        std::string file, parameters;
    };
    const std::string plus =
        R"("wavelength_nm": 633, "pixel_um": 6.9, "distance_mm": -27.75, "off_axis": {"x": -308, "y": -238, "radius": 116}})";
    const std::string horse =
        R"("wavelength_nm": 633, "pixel_um": 5, "distance_mm": 649, "off_axis": {"x": -380, "y": -270, "radius": 260}})";
    const std::string horse_whole = R"("wavelength_nm": 633, "pixel_um": 5, "distance_mm": 649, "padding": "none"})";
    const std::string momey = R"("wavelength_nm": 532, "refractive_index": 1.52, "pixel_nm": 38.8007, "distance_um": 7.2})";
    const std::string fringe = R"("wavelength_nm": 532, "pixel_um": 1.12, "distance_um": 500})";
    const std::string holopy = R"("wavelength_nm": 660, "refractive_index": 1.33, "pixel_nm": 85.1, "distance_um": 16})";
    const Row rows[] = {
        {"pydhm_plus3cm.tif", R"({"method": "angular_spectrum", )" + plus},
        {"pydhm_plus3cm.tif", R"({"method": "fresnel", "padding": "none", )" + plus},
        {"pydhm_horse.bmp", R"({"method": "fresnel_single_fft", )" + horse},
        {"pydhm_horse.bmp", R"({"method": "fresnel_single_fft", )" + horse_whole},
        {"pydhm_horse.bmp", R"({"method": "rayleigh_sommerfeld", )" + horse_whole},
        {"pydhm_horse.bmp", R"({"method": "convolution", )" + horse_whole},
        {"momey_beads1um_crop.tiff", R"({"method": "angular_spectrum", )" + momey},
        {"momey_beads1um_crop.tiff", R"({"method": "rayleigh_sommerfeld", )" + momey},
        {"fringe_seq_4_500.tif", R"({"method": "angular_spectrum", "padding": "reflect", )" + fringe},
        {"fringe_seq_4_500.tif", R"({"method": "fresnel", )" + fringe},
        {"holopy_image01.jpg", R"({"method": "angular_spectrum", )" + holopy},
    };
    const auto devices = tests::kernel_devices_under_test();
    for (const Row& row : rows) {
        const auto image = hologram_file(row.file);
        if (!image) return;
        CAPTURE(row.file);
        CAPTURE(row.parameters);
        const HologramParameters p = parse(row.parameters);
        std::vector<double> expected;
        reference_reconstruct(p, resolve(p, image->desc.size('x'), image->desc.size('y')), values_of(*image), 0,
                              [&](std::size_t, const std::vector<Complex>& field) { expected = modulus(field); });
        const double norm = std::sqrt(std::inner_product(expected.begin(), expected.end(), expected.begin(), 0.0));
        for (const auto& device : devices) {
            Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
            Session session(engine);
            CAPTURE(tests::device_label(*device));
            Call call;
            call.algorithm = &engine.registry().get("hologram");
            call.parameters = call.algorithm->parameters.parse(Json::parse(row.parameters), "");
            call.outputs = {"amplitude"};
            call.inputs.emplace("hologram", session.upload(*image));
            const Problem problem{{{"hologram", image->desc}}, call.parameters, call.outputs};
            for (const Variant& variant : call.algorithm->variants) {
                if (std::find(variant.backends.begin(), variant.backends.end(), engine.device().backend) ==
                    variant.backends.end())
                    continue;
                if (!variant.supports(problem, engine.context())) continue;
                CAPTURE(variant.name);
                call.variant = variant.name;
                const HostArray amplitude = session.download(session.run(call).outputs.at("amplitude"));
                REQUIRE(amplitude.desc.count() == static_cast<std::int64_t>(expected.size()));
                double error = 0;
                for (std::size_t i = 0; i < expected.size(); ++i) error += std::pow(amplitude.as<float>()[i] - expected[i], 2);
                CHECK(std::sqrt(error) < 1e-4 * norm);
            }
        }
    }
}
