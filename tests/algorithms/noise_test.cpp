// Noise: the deviates against double precision and pinned numbers, then bit for bit the same on every device.
#include "algorithms/noise/normal.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

using namespace parallax;
using namespace parallax::engine;

namespace parallax::engine {
Algorithm make_noise();
}

TEST_CASE("noise: integer deviates are those of Box and Muller") {
    const double pinned[] = {.51257261, -.56589062, -.56480636, 1.24301123};
    for (std::uint64_t i = 0; i < 4; ++i) CHECK(std::abs(noise::normal(i, 1) * 0x1p-27 - pinned[i]) < 2e-8);
    double worst = 0, mean = 0, squares = 0;
    constexpr int count = 100000;
    for (std::uint64_t i = 0; i < count; ++i) {
        const double n = noise::normal(i, 7) * 0x1p-27;
        worst = std::max(worst, std::abs(n - hologram_simulate::normal(i, 7)));
        mean += n / count;
        squares += n * n / count;
    }
    CHECK(worst < 1e-6);
    CHECK(std::abs(mean) < .01);
    CHECK(std::abs(squares - 1) < .02);
    // The ends: u next to 0 and next to 1; a whole, a half and a quarter of a turn.
    CHECK(std::abs(static_cast<double>(noise::minus_two_log(0)) * 0x1p-32 - 2 * 54 * std::log(2.0)) < 1e-8);
    CHECK(noise::minus_two_log(~std::uint64_t{0}) == 0);
    CHECK(noise::cos_turn(0) == std::int64_t{1} << 32);
    CHECK(std::abs(static_cast<double>(noise::cos_turn(std::uint64_t{1} << 63)) * 0x1p-32 + 1) < 1e-8);
    CHECK(std::abs(static_cast<double>(noise::cos_turn(std::uint64_t{1} << 62)) * 0x1p-32) < 1e-8);
}

TEST_CASE("noise: every kind and type has the same bits on every device") {
    const Algorithm algorithm = make_noise();
    HostArray images[3];
    int next = 0;
    for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::f32}) {
        HostArray& image = images[next++] = HostArray::make(ArrayDesc::dense(type, {{'z', 3}, {'y', 17}, {'x', 37}}));
        for (std::int64_t i = 0; i < image.desc.count(); ++i) {
            if (type == ElementType::u8) image.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 7);
            else if (type == ElementType::u16) image.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i * 77);
            else image.as<float>()[i] = static_cast<float>(i) / 1900;
        }
    }
    struct Row { int image; const char* json; std::uint32_t expected; };   // FNV-1a of the bytes
    const Row rows[] = {{0, R"({"variance": 0.05})", 1517253393u},
                        {1, R"({"kind": "speckle", "variance": 0.04, "seed": 3})", 3834210340u},
                        {2, R"({"clip": false, "seed": 2147483647})", 2846183701u},
                        {0, R"({"kind": "salt_and_pepper", "density": 0.3})", 2162019479u}};
    std::vector<std::vector<std::byte>> first(4);
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        Session session(engine);
        for (std::size_t r = 0; r < 4; ++r) {
            CAPTURE(std::string(rows[r].json));
            Call call;
            call.algorithm = &algorithm;
            call.parameters = algorithm.parameters.parse(Json::parse(rows[r].json), "");
            const HostArray& image = images[rows[r].image];
            call.inputs["image"] = session.upload(image);
            const HostArray out = session.download(session.run(call).outputs.at("image"));
            std::vector<std::byte> bytes(out.data(), out.data() + out.desc.dense_bytes());
            CHECK(std::memcmp(image.data(), bytes.data(), bytes.size()) != 0);
            if (first[r].empty()) first[r] = bytes;
            CHECK(bytes == first[r]);
            std::uint32_t hash = 2166136261u;
            for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint32_t>(b)) * 16777619u;
            CHECK(hash == rows[r].expected);
        }
    }
}

TEST_CASE("noise: what it cannot be put on is refused") {
    const Algorithm algorithm = make_noise();
    const ArrayDesc image = ArrayDesc::dense(ElementType::f64, {{'y', 3}, {'x', 4}});
    CHECK_THROWS_AS(algorithm.infer({{{"image", image}}, algorithm.parameters.defaults(), {"image"}}), ConfigError);
}
