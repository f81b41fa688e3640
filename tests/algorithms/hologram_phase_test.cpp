// Kernels of thousands of turns: frames much wider than they are far away, pixels near the wavelength, no band limit. Every
// variant on every device against the reference, pixel by pixel.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "algorithms/hologram/reference.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "peers/peers.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;

namespace {

struct Row {
    std::string name;
    std::int64_t width, height;
    const char* parameters;
};

const Row rows[] = {
    {"a line 500 times as wide as far, Rayleigh-Sommerfeld", 512, 3,
     R"({"method": "rayleigh_sommerfeld", "wavelength_nm": 311, "pixel_um": 9.7, "distance_um": 10, "padding": "none"})"},
    {"the same, convolution", 512, 3,
     R"({"method": "convolution", "wavelength_nm": 311, "pixel_um": 9.7, "distance_um": 10, "padding": "none"})"},
    {"the same forward, padded by zero", 512, 2,
     R"({"method": "convolution", "wavelength_nm": 311, "pixel_um": 9.7, "distance_um": -21, "padding": "zero"})"},
    {"padded by the mean", 260, 20,
     R"({"method": "convolution", "wavelength_nm": 407, "pixel_um": [9.1, 3.3], "distance_um": 33, "padding": "mean"})"},
    {"no band limit", 256, 24,
     R"({"method": "angular_spectrum", "wavelength_nm": 633, "pixel_um": 0.45, "distance_um": 4950, "band_limit": false})"},
    {"no band limit, pixels below half a wavelength, forward", 128, 32,
     R"({"method": "angular_spectrum", "wavelength_nm": 633, "pixel_um": 0.2, "distance_um": -800, "band_limit": false})"},
    {"a stack without band limit", 128, 16,
     R"({"method": "angular_spectrum", "wavelength_nm": 950, "pixel_um": 0.5, "distance_um": [900, 3100], "band_limit": false})"},
    {"a band limit that lets thousands of turns pass", 3000, 2,
     R"({"method": "angular_spectrum", "wavelength_nm": 950, "pixel_um": 0.48, "distance_um": 700, "padding": "none"})"},
    {"a metre away", 128, 96, R"({"method": "rayleigh_sommerfeld", "wavelength_nm": 532, "pixel_um": 5.5, "distance_mm": 1000})"},
};

HostArray noise(std::int64_t width, std::int64_t height) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', height}, {'x', width}}));
    std::uint32_t state = 7;
    for (std::int64_t i = 0; i < width * height; ++i) {
        state = state * 1664525u + 1013904223u;
        array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(state >> 24);
    }
    return array;
}

/// The largest error of a pixel, relative to the largest magnitude.
double largest_error(const HostArray& field, const std::vector<std::vector<Complex>>& planes) {
    double error = 0, largest = 0;
    const auto* u = field.as<std::complex<float>>();
    for (const auto& plane : planes)
        for (const Complex& expected : plane) {
            error = std::max(error, std::abs(std::complex<double>(*u++) - expected));
            largest = std::max(largest, std::abs(expected));
        }
    return error / largest;
}

}  // namespace

TEST_CASE("kernels of hologram keep their phase through thousands of turns") {
    for (const auto& device : parallax::tests::devices_under_test()) {
        if (device->info().backend == host::Backend::native) continue;
        CAPTURE(device->info().name);
        Engine engine(*device, registry_with_peers());
        Session session(engine);
        const Algorithm& algorithm = engine.registry().get("hologram");
        for (const Row& row : rows) {
            CAPTURE(row.name);
            const Parameters parameters = algorithm.parameters.parse(Json::parse(row.parameters), "");
            const auto& p = parameters.as<HologramParameters>();
            const HostArray image = noise(row.width, row.height);
            const std::vector<double> pixels(image.as<std::uint8_t>(), image.as<std::uint8_t>() + image.desc.count());
            std::vector<std::vector<Complex>> expected;
            reference_reconstruct(p, resolve(p, row.width, row.height), pixels, 0,
                                  [&](std::size_t, const std::vector<Complex>& field) { expected.push_back(field); });
            const Problem problem{{{"hologram", image.desc}}, parameters, {"field"}};
            int variants = 0;
            for (const Variant& variant : algorithm.variants) {
                const auto& backends = variant.backends;
                if (std::find(backends.begin(), backends.end(), device->info().backend) == backends.end()) continue;
                if (variant.name == "paper" || !variant.supports(problem, engine.context())) continue;   // paper: a pixel off
                CAPTURE(variant.name);
                Call call;
                call.algorithm = &algorithm;
                call.parameters = parameters;
                call.variant = variant.name;
                call.outputs = {"field"};
                call.inputs.emplace("hologram", session.upload(image));
                CHECK(largest_error(session.download(session.run(call).outputs.at("field")), expected) < 5e-6);
                ++variants;
            }
            CHECK(variants > 0);
        }
    }
}
