// Stacks of noise over all levels of u16, one column or one row wide, with channels: what floats leave of them is what the
// threshold magnifies, alike in every variant.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "algorithms/diffusion_lb/reference.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "peers/peers.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::diffusion_lb;

namespace parallax::engine {
Algorithm make_diffusion_lb();
}

namespace {

constexpr std::int64_t slices = 3, channels = 4;

HostArray noise(std::int64_t height, std::int64_t width) {
    HostArray image =
        HostArray::make(ArrayDesc::dense(ElementType::u16, {{'z', slices}, {'y', height}, {'x', width}, {'c', channels}}));
    std::uint32_t state = 1;
    for (std::int64_t i = 0; i < image.desc.count(); ++i) {
        state = state * 1664525u + 1013904223u;
        image.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(state >> 16);
    }
    return image;
}

/// Levels of the image that `result` is off the reference, at most. Null: the reference of an input off by what a float rounds.
double levels_off(const LbParameters& p, const HostArray& image, const HostArray* result) {
    const std::int64_t width = image.desc.size('x'), height = image.desc.size('y');
    double most = 0;
    for (std::int64_t z = 0; z < slices; ++z)
        for (std::int64_t c = 0; c < channels; ++c) {
            const auto at = [&](std::int64_t i) { return (z * width * height + i) * channels + c; };
            std::vector<double> plane, rounded;
            for (std::int64_t i = 0; i < width * height; ++i) {
                plane.push_back(image.as<std::uint16_t>()[at(i)]);
                rounded.push_back(plane.back() + (image.as<std::uint16_t>()[at(i)] / 16 % 2 == 0 ? 1.0 : -1.0) * 65536 * 0x1p-24);
            }
            diffuse(p, width, height, plane.data());
            diffuse(p, width, height, rounded.data());
            for (std::int64_t i = 0; i < width * height; ++i) {
                const auto k = static_cast<std::size_t>(i);
                if (result != nullptr)
                    most = std::max(most, std::abs(result->as<std::uint16_t>()[at(i)] - std::clamp(plane[k], 0.0, 65535.0)));
                else
                    most = std::max(most, std::abs(rounded[k] - plane[k]));
            }
        }
    return most;
}

}  // namespace

TEST_CASE("diffusion_lb: thin stacks of 16-bit noise by every variant") {
    struct Row {
        std::int64_t height, width;
        double threshold;
        const char* lattice;
    };
    const Row rows[] = {{1201, 1, 1028, "D2Q9"}, {1, 1201, 1028, "D2Q9"}, {601, 1, 4096, "D2Q5"}, {601, 2, 1028, "D2Q9"}};
    const Algorithm algorithm = make_diffusion_lb();
    for (const auto& device : tests::kernel_devices_under_test()) {
        INFO(tests::device_label(*device));
        Engine engine(*device, registry_with_peers());
        Session session(engine);
        for (const Row& row : rows) {
            CAPTURE(row.height);
            CAPTURE(row.threshold);
            const HostArray image = noise(row.height, row.width);
            const Parameters parameters = algorithm.parameters.parse(
                {{"threshold", row.threshold}, {"sigma", .769}, {"iterations", 4}, {"lattice", row.lattice}}, "");
            const Problem problem{{{"image", image.desc}}, parameters, {"image"}};
            for (const Variant& v : algorithm.variants) {
                if (std::find(v.backends.begin(), v.backends.end(), device->info().backend) == v.backends.end()) continue;
                if (v.name == "half" || !v.supports(problem, engine.context()))
                    continue;  // half: 11 bits are fewer
                CAPTURE(v.name);
                Call call;
                call.algorithm = &algorithm;
                call.parameters = parameters;
                call.variant = v.name;
                call.inputs["image"] = session.upload(image);
                call.outputs = {"image"};
                const HostArray result = session.download(session.run(call).outputs.at("image"));
                CHECK(levels_off(parameters.as<LbParameters>(), image, &result) < .75);  // half a level is the rounding at last
            }
        }
    }
}

TEST_CASE("diffusion_lb: what a small threshold magnifies") {
    LbParameters p;
    p.sigma = .769;
    p.iterations = 4;
    const HostArray image = noise(4807, 1);
    struct Row {
        double threshold, least, most;
    };
    for (const Row& row : {Row{11.788, 1, 1000}, Row{257, .01, 1}, Row{1028, 0, .1}}) {
        CAPTURE(row.threshold);
        p.threshold = row.threshold;
        const double off = levels_off(p, image, nullptr);  // by .004 levels of the input
        CHECK(off > row.least);
        CHECK(off < row.most);
    }
}
