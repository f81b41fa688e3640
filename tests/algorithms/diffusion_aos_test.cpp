// Additive operator splitting: the reference against what holds for the exact solution, then every device against it.
#include "algorithms/diffusion_aos/parameters.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <numeric>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::diffusion_aos;

namespace parallax::engine {
Algorithm make_diffusion_aos();
}

namespace {

std::vector<double> waves(int width, int height) {
    std::vector<double> image;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            image.push_back(100 + (x >= width / 2 ? 50 : 0) + 20 * std::sin(.7 * x) * std::cos(.5 * y));
    return image;
}

template <class T> HostArray image_of(ElementType type, int width, int height, int channels = 1) {
    std::vector<ArrayDesc::Extent> extents{{'y', height}, {'x', width}};
    if (channels > 1) extents.push_back({'c', channels});
    HostArray image = HostArray::make(ArrayDesc::dense(type, extents));
    const std::vector<double> values = waves(width, height);
    for (std::size_t i = 0; i < values.size(); ++i)
        for (int c = 0; c < channels; ++c)
            image.as<T>()[i * static_cast<std::size_t>(channels) + static_cast<std::size_t>(c)] =
                static_cast<T>(values[i] + 9 * c);
    return image;
}

}  // namespace

TEST_CASE("diffusion_aos: the reference damps a cosine by the exact factor, and keeps the sum") {
    AosParameters p;
    p.threshold = 1e12;   // g = 1 everywhere
    p.iterations = 1;
    p.tau = 5;
    const int n = 24;   // cos(pi k (x + 1/2) / n) is an eigenvector with eigenvalue 2 - 2 cos(pi k / n)
    std::vector<double> image;
    const auto wave = [](int x) { return std::cos(std::numbers::pi * 3 * (x + .5) / n); };
    for (int i = 0; i < n * n; ++i) image.push_back(wave(i % n));
    diffuse(p, n, n, image.data());
    const double factor = .5 + .5 / (1 + 2 * p.tau * (2 - 2 * std::cos(std::numbers::pi * 3 / n)));
    for (int x = 0; x < n; ++x) CHECK(std::abs(image[static_cast<std::size_t>(5 * n + x)] - factor * wave(x)) < 1e-13);

    std::vector<double> kept = waves(37, 23);
    const double before = std::accumulate(kept.begin(), kept.end(), 0.0);
    p = {};
    p.iterations = 50;
    diffuse(p, 37, 23, kept.data());
    CHECK(std::abs(std::accumulate(kept.begin(), kept.end(), 0.0) / before - 1) < 1e-13);

    // The defaults (docs/diffusion_aos.md).
    CHECK(AosParameters().tau == 1);
    CHECK(AosParameters().iterations == 16);
    std::vector<double> standard = waves(48, 32);
    diffuse({}, 48, 32, standard.data());
    const auto at = [&](std::size_t y, std::size_t x) { return standard[y * 48 + x]; };
    CHECK(std::abs(std::accumulate(standard.begin(), standard.end(), 0.0) - 192014.521091) < 1e-6);
    CHECK(std::abs(at(0, 0) - 100.927117) < 1e-6);
    CHECK(std::abs(at(16, 23) - 115.914082) < 1e-6);
    CHECK(std::abs(at(16, 24) - 134.732273) < 1e-6);
    CHECK(std::abs(at(31, 47) - 149.817646) < 1e-6);
}

TEST_CASE("diffusion_aos: every size and type on every device") {
    const Algorithm algorithm = make_diffusion_aos();
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        Session session(engine);
        const auto run = [&](const HostArray& image, const Json& parameters) {
            Call call;
            call.algorithm = &algorithm;
            call.parameters = algorithm.parameters.parse(parameters, "");
            call.inputs["image"] = session.upload(image);
            return session.download(session.run(call).outputs.at("image"));
        };
        const auto check = [&](int width, int height, const Json& parameters, const AosParameters& p) {
            CAPTURE(width);
            CAPTURE(height);
            CAPTURE(parameters.dump());
            const HostArray image = image_of<float>(ElementType::f32, width, height);
            std::vector<double> want(image.as<float>(), image.as<float>() + width * height);
            diffuse(p, width, height, want.data());
            const HostArray got = run(image, parameters);
            double worst = 0;
            for (std::size_t i = 0; i < want.size(); ++i) {
                const double difference = std::abs(got.as<float>()[i] - want[i]);
                if (!(difference <= worst)) worst = difference;
            }
            CHECK(worst < 1e-3);
        };
        for (const auto& [width, height] :
             {std::pair{1, 1}, std::pair{1, 9}, std::pair{9, 1}, std::pair{13, 11}, std::pair{48, 32}, std::pair{131, 67}})
            check(width, height, Json::object(), {});
        try {
            check(31000, 2, Json::object(), {});
        } catch (const UnsupportedError&) {
            CHECK(engine.context().capabilities().cuts_loops);   // it would be wrong there
        }
        AosParameters p;
        p.tau = 5;
        p.update_edges_every = 3;
        p.edge_function = EdgeFunction::weickert;
        check(48, 32, {{"tau", 5}, {"update_edges_every", 3}, {"edge_function", "weickert"}}, p);

        const HostArray bytes = image_of<std::uint8_t>(ElementType::u8, 37, 29, 3), out = run(bytes, Json::object());
        for (std::size_t c = 0; c < 3; ++c) {
            std::vector<double> want;
            for (std::size_t i = 0; i < 37 * 29; ++i) want.push_back(bytes.as<std::uint8_t>()[3 * i + c]);
            diffuse({}, 37, 29, want.data());
            double worst = 0;
            for (std::size_t i = 0; i < want.size(); ++i)
                worst = std::max(worst, std::abs(out.as<std::uint8_t>()[3 * i + c] - want[i]));
            CHECK(worst < .501);
        }
    }
}

TEST_CASE("diffusion_aos: what has no planes of grey levels is refused") {
    const Algorithm algorithm = make_diffusion_aos();
    const ArrayDesc image = ArrayDesc::dense(ElementType::i32, {{'y', 3}, {'x', 4}});
    CHECK_THROWS_AS(algorithm.infer({{{"image", image}}, algorithm.parameters.defaults(), {"image"}}), ConfigError);
}
