// PSNR, SSIM and errors against scikit-image's numbers, on every device.
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"
#include "seed.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace parallax;
using namespace parallax::engine;

namespace parallax::engine {
Algorithm make_metrics();
}

namespace {

/// A slope with a step in integers; `spoilt`: with a pattern of -8 to 8 added.
int level(std::int64_t x, std::int64_t y, bool spoilt) {
    const std::int64_t v = 64 + x + 2 * y + (x >= 24 ? 60 : 0);
    return static_cast<int>(spoilt ? v + (x * x + 3 * x * y) % 17 - 8 : v);
}

/// Level times `factor` as T; of several channels only the first is spoilt.
template <class T> HostArray image_of(ElementType type, int width, int height, bool spoilt, double factor = 1, int channels = 1) {
    std::vector<ArrayDesc::Extent> extents{{'y', height}, {'x', width}};
    if (channels > 1) extents.push_back({'c', channels});
    HostArray image = HostArray::make(ArrayDesc::dense(type, extents));
    for (std::int64_t i = 0; i < image.desc.count(); ++i)
        image.as<T>()[i] =
            static_cast<T>(factor * level(i / channels % width, i / channels / width, spoilt && i % channels == 0));
    return image;
}

/// On one device; without a `variant` by the one that it takes itself.
class Metrics {
public:
    explicit Metrics(const host::Device& device, std::string variant = "")
        : engine_(device, registry_with_peers(), {host::ProgramCache::open()}), session_(engine_), variant_(std::move(variant)) {}

    Json operator()(const HostArray& image, const HostArray& reference, const Json& parameters = Json::object()) {
        Call call;
        call.algorithm = &algorithm_;
        call.parameters = algorithm_.parameters.parse(parameters, "");
        call.variant = variant_;
        call.inputs["image"] = session_.upload(image);
        call.inputs["reference"] = session_.upload(reference);
        return session_.run(call).records.at("metrics");
    }

private:
    Algorithm algorithm_ = make_metrics();
    Engine engine_;
    Session session_;
    std::string variant_;
};

template <class Body> void each_device(const Body& body) {
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Metrics metrics(*device);
        body(metrics);
    }
}

bool near(const Json& value, double wanted, double tolerance) { return std::abs(value.get<double>() - wanted) < tolerance; }

}  // namespace

TEST_CASE("metrics: scikit-image's numbers") {
    each_device([](Metrics& metrics) {
        const HostArray clean = image_of<std::uint8_t>(ElementType::u8, 48, 32, false),
                        noisy = image_of<std::uint8_t>(ElementType::u8, 48, 32, true);
        const Json bytes = metrics(noisy, clean);
        CHECK(near(bytes["mse"], 26.65234375, 1e-5));
        CHECK(near(bytes["mae"], 4.48828125, 1e-6));
        CHECK(near(bytes["psnr_db"], 33.873449548998536, 1e-5));
        CHECK(near(bytes["ssim"], 0.804619977732468, 1e-5));
        CHECK(bytes["range"] == 255);

        const Json words = metrics(image_of<std::uint16_t>(ElementType::u16, 48, 32, true, 257),
                                   image_of<std::uint16_t>(ElementType::u16, 48, 32, false, 257));
        CHECK(near(words["ssim"], 0.804619977732468, 1e-5));
        CHECK(near(words["psnr_db"], 33.873449548998536, 1e-5));

        const Json mixed =
            metrics(image_of<float>(ElementType::f32, 48, 32, true), clean);   // the reference says what the range is
        CHECK(near(mixed["ssim"], 0.804619977732468, 1e-5));
        const Json reals = metrics(image_of<float>(ElementType::f32, 48, 32, true, .5),
                                   image_of<float>(ElementType::f32, 48, 32, false, .5), {{"range", 127.5}});
        CHECK(near(reals["ssim"], 0.804619977732468, 1e-5));

        const Json colours = metrics(image_of<std::uint8_t>(ElementType::u8, 48, 32, true, 1, 2),
                                     image_of<std::uint8_t>(ElementType::u8, 48, 32, false, 1, 2));
        CHECK(near(colours["ssim"], 0.902309988866234, 1e-5));
        CHECK(near(colours["mse"], 26.65234375 / 2, 1e-5));
    });
}

TEST_CASE("metrics: dark images keep the digits of their similarity") {
    // In the middle of the range a variance of .25 would be a difference of squares of a billion.
    HostArray image = image_of<std::uint16_t>(ElementType::u16, 83, 48, true);
    HostArray reference = image_of<std::uint16_t>(ElementType::u16, 83, 48, true);
    for (std::int64_t i = 0; i < image.desc.count(); ++i) {
        image.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i * 7 % 11 % 2);
        reference.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i * 5 % 13 % 2);
    }
    each_device([&](Metrics& metrics) {
        const double similarity = metrics(image, reference, {{"range", 65535}})["ssim"];
        CHECK(std::abs(similarity - 1) < 1e-6);
        CHECK(near(metrics(image, image, {{"range", 65535}})["ssim"], 1, 1e-6));
    });
}

TEST_CASE("metrics: one pixel that is far from all others does not cost its neighbours' similarity its digits") {
    const std::uint64_t seed = tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const auto below = [&](int end) { return static_cast<int>(random() % static_cast<std::uint64_t>(end)); };
    struct Row {
        HostArray image, reference;
        double similarity;
    };
    std::vector<Row> rows;
    const tests::DevicePtr native = host::enumerate().native();
    Metrics right(*native, "reference");
    for (int draw = 0; draw < tests::drawn_count(8); ++draw) {
        const int width = 11 + below(60), height = 11 + below(60);
        HostArray image = image_of<float>(ElementType::f32, width, height, false),
                  reference = image_of<float>(ElementType::f32, width, height, true);
        for (std::int64_t i = 0; i < image.desc.count(); ++i) {
            reference.as<float>()[i] = static_cast<float>(below(2000)) * .01f;
            image.as<float>()[i] = reference.as<float>()[i] + static_cast<float>(below(2000)) * .01f;
        }
        const int x = draw % 2 == 0 ? (width - 1) * below(2) : below(width), y = draw % 2 == 0 ? (height - 1) * below(2) : below(height);
        reference.as<float>()[y * width + x] = 3e5f;   // a transform's corner, a hot pixel
        const double similarity = right(image, reference, {{"range", 1}})["ssim"];
        rows.push_back({std::move(image), std::move(reference), similarity});
    }
    each_device([&](Metrics& metrics) {
        for (const Row& row : rows) {
            CAPTURE(row.image.desc.describe());
            CHECK(near(metrics(row.image, row.reference, {{"range", 1}})["ssim"], row.similarity, 1e-5));
        }
    });
}

TEST_CASE("metrics: equal images, small ones, odd ones") {
    each_device([](Metrics& metrics) {
        const HostArray image = image_of<std::uint8_t>(ElementType::u8, 61, 23, true);
        const Json equal = metrics(image, image);
        CHECK(equal["mse"] == 0);
        CHECK(equal["psnr_db"].is_null());
        CHECK(near(equal["ssim"], 1, 1e-6));
        CHECK(metrics(image_of<std::uint8_t>(ElementType::u8, 11, 11, true),
                      image_of<std::uint8_t>(ElementType::u8, 11, 11, false))["ssim"]
                  .is_number());
        const Json small =
            metrics(image_of<std::uint8_t>(ElementType::u8, 1, 10, true), image_of<std::uint8_t>(ElementType::u8, 1, 10, false));
        CHECK(near(small["mae"], 8, 1e-6));   // column 0 is 8 too dark
        CHECK(small["ssim"].is_null());
    });
}

TEST_CASE("metrics: what cannot be compared is refused") {
    const Algorithm algorithm = make_metrics();
    const ArrayDesc image = ArrayDesc::dense(ElementType::u8, {{'y', 6}, {'x', 8}});
    const auto refused = [&](const ArrayDesc& a, const ArrayDesc& b) {
        CHECK_THROWS_AS(algorithm.infer({{{"image", a}, {"reference", b}}, algorithm.parameters.defaults(), {"metrics"}}),
                        ConfigError);
    };
    refused(image, ArrayDesc::dense(ElementType::u8, {{'y', 8}, {'x', 6}}));
    refused(image, image.with_type(ElementType::i32));
    refused(ArrayDesc::dense(ElementType::u8, {{'x', 8}}), ArrayDesc::dense(ElementType::u8, {{'x', 8}}));
}
