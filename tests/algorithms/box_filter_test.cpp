// Box filters of every type, shape and border by every variant on every device, against the definition (reference.cpp), which
// itself is held against OpenCV and SciPy. Arrays lie between guards: those around the input would change the result if they
// were read, those around the output must stay as they are.
#include "algorithms/box_filter/reference.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"
#include "seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace parallax;
using namespace parallax::engine;

namespace parallax::engine {
Algorithm make_box_filter();
}

namespace {

using Bytes = std::vector<std::byte>;
using Extents = std::vector<ArrayDesc::Extent>;

template <class T> constexpr ElementType element_type() {
    return sizeof(T) == 1 ? ElementType::u8 : sizeof(T) == 2 ? ElementType::u16 : ElementType::f32;
}

template <class T> Bytes bytes_of_values(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}
template <class T> std::vector<T> values_of(const Bytes& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

/// Integers of the whole range; floats of both signs and sizes from 1e-3 to 1e3.
template <class T> std::vector<T> random_values(std::int64_t count) {
    std::mt19937 random(17);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& v : values) {
        if constexpr (sizeof(T) == 4)
            v = std::exp(std::uniform_real_distribution<float>(-7, 7)(random)) * (random() % 2 ? 1.0f : -1.0f);
        else v = static_cast<T>(random());
    }
    return values;
}

/// The pattern that the values of OpenCV and SciPy below were made from: ((31 x^2 + 17 y^2 + 7 x y + 11 x + 5 y) 2654435761 >>
/// 16) % range.
template <class T> std::vector<T> pattern(std::uint64_t height, std::uint64_t width, std::uint64_t range) {
    std::vector<T> values;
    for (std::uint64_t y = 0; y < height; ++y)
        for (std::uint64_t x = 0; x < width; ++x)
            values.push_back(
                static_cast<T>(((31 * x * x + 17 * y * y + 7 * x * y + 11 * x + 5 * y) * 2654435761u >> 16) % range));
    return values;
}
/// For floats: range 1000, / 8 - 40.
std::vector<float> float_pattern(std::uint64_t height, std::uint64_t width) {
    std::vector<float> values = pattern<float>(height, width, 1000);
    for (float& v : values) v = v / 8 - 40;
    return values;
}

std::uint64_t fnv1a(const Bytes& bytes) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
    return hash;
}

class Bench {
public:
    explicit Bench(const tests::DevicePtr& device)
        : engine_(*device, registry_with_peers(), {host::ProgramCache::open()}), session_(engine_) {}

    Problem problem(const ArrayDesc& desc, const Json& parameters) {
        return {{{"image", desc}}, algorithm_.parameters.parse(parameters, ""), {"image"}};
    }

    /// The variants of this device that take the problem.
    std::vector<std::string> variants(const ArrayDesc& desc, const Json& parameters) {
        std::vector<std::string> names;
        const Problem p = problem(desc, parameters);
        for (const Variant& v : algorithm_.variants) {
            const bool runs = std::find(v.backends.begin(), v.backends.end(), engine_.device().backend) != v.backends.end();
            if (runs && v.supports(p, engine_.context())) names.push_back(v.name);
        }
        return names;
    }

    Bytes run(const std::string& variant, const ArrayDesc& desc, const Json& parameters, const Bytes& values,
              const Json& policy = Json::object()) {
        const std::size_t bytes = values.size(), guard = 4096;
        const Bytes guards(2 * guard + bytes, std::byte{0x7b});
        Bytes in = guards, out(guards.size());
        std::memcpy(in.data() + guard, values.data(), bytes);
        const host::Buffer from = engine_.context().allocate(in.size()), to = engine_.context().allocate(in.size());
        session_.queue().write(from, 0, in.data(), in.size()).wait();
        session_.queue().write(to, 0, guards.data(), guards.size()).wait();
        Call call;
        call.algorithm = &algorithm_;
        call.parameters = algorithm_.parameters.parse(parameters, "");
        call.variant = variant;
        call.policy = policy;
        DeviceArray image, into;
        image.desc = into.desc = desc;
        image.buffer = from.sub(guard, bytes);
        into.buffer = to.sub(guard, bytes);
        call.inputs["image"] = image;
        session_.run(call, {{"image", into}});
        session_.queue().read(to, 0, out.data(), out.size()).wait();
        const Bytes result(out.begin() + guard, out.begin() + static_cast<std::ptrdiff_t>(guard + bytes));
        std::memcpy(out.data() + guard, guards.data() + guard, bytes);
        CHECK(out == guards);
        session_.queue().read(from, 0, out.data(), out.size()).wait();
        CHECK(out == in);
        return result;
    }

    /// By every variant: integers exactly, floats within 2^-24 (64 + (x + y + z) / 8) of the mean of magnitudes in the window.
    template <class T> void check(const Extents& extents, const Json& parameters, const std::vector<T>& values) {
        const ArrayDesc desc = ArrayDesc::dense(element_type<T>(), extents);
        CAPTURE(desc.describe());
        CAPTURE(parameters.dump());
        const box_filter::BoxSpec spec = box_filter::spec_of(problem(desc, parameters));
        const std::int64_t rows = spec.outer * spec.depth * spec.middle * spec.height;
        const Bytes in = bytes_of_values(values);
        Bytes bytes(in.size());
        box_filter::reference_rows(spec, in.data(), bytes.data(), 0, rows);
        const std::vector<T> want = values_of<T>(bytes);
        std::vector<T> magnitude(want.size());
        if constexpr (sizeof(T) == 4) {
            std::vector<T> absolute(values);
            for (T& v : absolute) v = std::isfinite(v) ? std::abs(v) : 0;
            box_filter::BoxSpec around = spec;
            around.value = std::abs(spec.value);
            const Bytes from = bytes_of_values(absolute);
            box_filter::reference_rows(around, from.data(), bytes.data(), 0, rows);
            magnitude = values_of<T>(bytes);
        }
        const auto windows = static_cast<double>(spec.window[0] + spec.window[1] + spec.window[2]);
        for (const std::string& variant : variants(desc, parameters)) {
            CAPTURE(variant);
            const std::vector<T> got = values_of<T>(run(variant, desc, parameters, in));
            std::size_t wrong = 0;
            while (wrong < got.size()) {
                if constexpr (sizeof(T) == 4) {
                    const bool same = std::isfinite(want[wrong])
                                          ? std::abs(got[wrong] - want[wrong]) <= 0x1p-24 * (64 + windows / 8) * magnitude[wrong]
                                      : std::isnan(want[wrong]) ? std::isnan(got[wrong])
                                                                : got[wrong] == want[wrong];
                    if (!same) break;
                } else if (got[wrong] != want[wrong]) {
                    break;
                }
                ++wrong;
            }
            if (wrong < got.size()) {
                CAPTURE(wrong);
                CHECK(got[wrong] == want[wrong]);
            }
        }
    }
    template <class T> void check(const Extents& extents, const Json& parameters) {
        check(extents, parameters, random_values<T>(ArrayDesc::dense(element_type<T>(), extents).count()));
    }

private:
    Engine engine_;
    Session session_;
    Algorithm algorithm_ = make_box_filter();
};

template <class Body> void each_device(const Body& body) {
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        body(bench);
    }
}

const char* const borders[] = {"reflect_101", "reflect", "replicate", "constant"};

Bytes reference(ElementType type, const Extents& extents, const Json& parameters, const Bytes& in) {
    const Algorithm algorithm = make_box_filter();
    const auto spec = box_filter::spec_of(
        {{{"image", ArrayDesc::dense(type, extents)}}, algorithm.parameters.parse(parameters, ""), {"image"}});
    Bytes out(in.size());
    box_filter::reference_rows(spec, in.data(), out.data(), 0, spec.outer * spec.depth * spec.middle * spec.height);
    return out;
}

}  // namespace

TEST_CASE("box_filter: the reference agrees with OpenCV bit for bit") {
    // cv2.blur(pattern, (x, y), borderType=...) of OpenCV 5.0.0, FNV-1a of its bytes.
    const struct { int x, y; std::uint64_t hash[4]; } rows[] = {
        {3, 3, {0x74fdce376e41c70a, 0x0d892d07e0e89c1d, 0x0d892d07e0e89c1d, 0x7568988909b6391b}},
        {7, 5, {0xa43f095d758e417d, 0x4ac30f06398361bc, 0x04b96686a58015f9, 0x0128eb3b8a5e2c92}},
        {31, 31, {0x81dc1127bebda435, 0x5c2b6955ebccaf64, 0xefde7218d1cf0945, 0x8e81ec232643195e}},
        {1, 9, {0x5af23391d5ded8c6, 0x6a0dc328903e3982, 0xc1c4ee1e8835e714, 0x45344d1f066de318}},
        {59, 41, {0x498d677dbded4b3e, 0xb779cb4c63ad730e, 0x51e48e61a2caf118, 0x2b76a14c452c5fd0}}};
    const Bytes image = bytes_of_values(pattern<std::uint8_t>(61, 97, 256));
    for (const auto& row : rows)
        for (std::size_t b = 0; b < 4; ++b) {
            const Json parameters{{"size", {row.x, row.y}}, {"border", borders[b]}};
            CAPTURE(parameters.dump());
            CHECK(fnv1a(reference(ElementType::u8, {{'y', 61}, {'x', 97}}, parameters, image)) == row.hash[b]);
        }
    const Bytes colours = bytes_of_values(pattern<std::uint8_t>(31, 120, 256)),
                words = bytes_of_values(pattern<std::uint16_t>(61, 97, 65536));
    CHECK(fnv1a(reference(ElementType::u8, {{'y', 31}, {'x', 40}, {'c', 3}}, {{"radius", 2}}, colours)) == 0x90650229d302827b);
    CHECK(fnv1a(reference(ElementType::u16, {{'y', 61}, {'x', 97}}, {{"radius", 2}}, words)) == 0x164744c8d95fa936);
}

TEST_CASE("box_filter: the reference agrees with SciPy") {
    // scipy.ndimage.uniform_filter(pattern, size, mode="reflect") of SciPy 1.17.1 in double precision; sizes z, y, x.
    const auto check = [](const Extents& extents, const Json& size, const std::vector<float>& image,
                          const std::vector<float>& want) {
        const auto got = values_of<float>(
            reference(ElementType::f32, extents, {{"size", size}, {"border", "reflect"}}, bytes_of_values(image)));
        for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-7));
    };
    check({{'y', 5}, {'x', 6}}, {3, 3}, float_pattern(5, 6),
          {-23.5f,      -1.6944444f, 9.763889f,   20.402779f, 30.180555f, 50.305557f, -11.527778f, 11.625f,
           25.11111f,   23.88889f,   21.805555f,  29.38889f,  6.8472223f, 18.152779f, 27.75f,      22.625f,
           16.63889f,   12.361111f,  -1.6527778f, 11.680555f, 17.38889f,  22.23611f,  12.347222f,  10.083333f,
           -11.666667f, 3.0277777f,  10.777778f,  17.63889f,  9.777778f,  8.861111f});
    check({{'y', 5}, {'x', 6}}, {2, 4}, float_pattern(5, 6),   // even windows reach one further to the left
          {-35.25f,    -9.78125f, 23.4375f,  21.125f,  14.46875f,  34.75f,     -29.15625f, -11.125f,   22.84375f, 21.296875f,
           15.40625f,  36.4375f,  -10.9375f, 0.4375f,  21.078125f, 21.8125f,   18.203125f, 25.890625f, -10.5f,    2.421875f,
           26.109375f, 29.875f,   13.6875f,  8.78125f, -12.4375f,  -6.171875f, 19.796875f, 25.84375f,  11.9375f,  9.296875f});
    check(
        {{'z', 4}, {'y', 3}, {'x', 5}}, {5, 3, 3}, float_pattern(4, 15),
        {1.425f,     1.5861111f, 7.4416666f, 13.297222f, 13.458333f, 8.116667f,  10.855556f, 13.541667f, 16.227777f, 18.966667f,
         14.808333f, 20.125f,    19.641666f, 19.158333f, 24.475f,    9.386111f,  10.358334f, 15.061111f, 19.76389f,  20.73611f,
         14.502778f, 18.052778f, 19.583334f, 21.11389f,  24.663889f, 19.619444f, 25.747223f, 24.105556f, 22.463888f, 28.591667f,
         12.044444f, 14.233334f, 18.597221f, 22.961111f, 25.15f,     13.416667f, 18.183332f, 19.372223f, 20.561111f, 25.327778f,
         14.788889f, 22.133333f, 20.147223f, 18.161112f, 25.505556f, 7.6277776f, 10.630555f, 16.616667f, 22.602777f, 25.605556f,
         10.205556f, 15.783334f, 18.594444f, 21.405556f, 26.983334f, 12.783334f, 20.936111f, 20.572222f, 20.208334f, 28.36111f});
}

TEST_CASE("box_filter: halves go to even") {
    CHECK(values_of<std::uint8_t>(reference(ElementType::u8, {{'x', 4}}, {{"size", {2}}, {"border", "constant"}},
                                            bytes_of_values<std::uint8_t>({1, 2, 3, 4}))) ==
          std::vector<std::uint8_t>{0, 2, 2, 4});
    each_device([](Bench& bench) { bench.check<std::uint8_t>({{'y', 40}, {'x', 50}}, {{"size", 2}}); });
}

TEST_CASE("box_filter: a few small images") {   // fit for a simulator that checks every access
    each_device([](Bench& bench) {
        bench.check<float>({{'y', 11}, {'x', 9}}, {{"size", {4, 9}}});
        bench.check<std::uint8_t>({{'y', 9}, {'x', 11}}, {{"size", {9, 2}}, {"border", "constant"}, {"value", 200}});
    });
}

TEST_CASE("box_filter: every size around tiles") {
    each_device([](Bench& bench) {
        for (const auto& [height, width] :
             {std::pair{1, 1}, {1, 300}, {150, 1}, {2, 3}, {7, 16}, {8, 63}, {9, 64}, {17, 65}, {61, 131}, {64, 512}})
            for (const int size : {3, 11}) {
                bench.check<float>({{'y', height}, {'x', width}}, {{"size", size}});
                bench.check<std::uint8_t>({{'y', height}, {'x', width}}, {{"size", size}});
            }
    });
}

TEST_CASE("box_filter: every border, also where windows are many times larger than the image") {
    each_device([](Bench& bench) {
        for (const char* const border : borders) {
            const Json value = std::string(border) == "constant" ? Json(77) : Json(0);
            for (const int radius : {9, 60}) {
                bench.check<std::uint8_t>({{'y', 5}, {'x', 4}}, {{"radius", radius}, {"border", border}, {"value", value}});
                bench.check<float>({{'y', 23}, {'x', 41}}, {{"radius", radius}, {"border", border}, {"value", value}});
            }
        }
        bench.check<float>({{'y', 3}, {'x', 2}}, {{"radius", 300}});
        bench.check<std::uint8_t>({{'y', 3}, {'x', 2}}, {{"radius", 300}});
    });
}

TEST_CASE("box_filter: rows beyond the edges, reflected once or more often") {   // heights around half a window and a whole one
    each_device([](Bench& bench) {
        for (const char* const border : borders) {
            const Json value = std::string(border) == "constant" ? Json(77) : Json(0);
            for (const int height : {10, 11, 19, 20, 21, 27, 28, 29, 37}) {
                bench.check<float>({{'y', height}, {'x', 9}}, {{"size", {3, 41}}, {"border", border}, {"value", value}});
                bench.check<std::uint8_t>({{'y', height}, {'x', 9}}, {{"size", {3, 21}}, {"border", border}, {"value", value}});
            }
        }
    });
}

TEST_CASE("box_filter: windows of every kind, even ones, one axis, none") {
    each_device([](Bench& bench) {
        for (const auto& [x, y] : {std::pair{1, 1}, {1, 6}, {6, 1}, {16, 8}, {24, 71}, {73, 40}, {129, 129}})
            bench.check<float>({{'y', 70}, {'x', 150}}, {{"size", {x, y}}, {"border", "reflect"}});
        bench.check<std::uint16_t>({{'y', 70}, {'x', 150}}, {{"size", {129, 127}}, {"border", "reflect"}});
        bench.check<std::uint16_t>({{'y', 10}, {'x', 50}}, {{"size", {300, 400}}, {"border", "reflect"}});   // sums pass 32 bits
    });
}

TEST_CASE("box_filter: volumes, series and channels") {
    each_device([](Bench& bench) {
        bench.check<float>({{'z', 19}, {'y', 6}, {'x', 21}}, {{"radius", {1, 2, 5}}, {"border", "reflect"}});
        bench.check<std::uint8_t>({{'t', 2}, {'z', 5}, {'c', 2}, {'y', 6}, {'x', 21}}, {{"radius", 1}});
        bench.check<std::uint8_t>({{'z', 5}, {'y', 6}, {'x', 21}}, {{"size", {1, 1, 4}}, {"border", "constant"}, {"value", 3}});
        bench.check<std::uint8_t>({{'t', 3}, {'y', 20}, {'x', 33}, {'c', 3}}, {{"radius", 2}});
        bench.check<float>({{'y', 20}, {'x', 33}, {'c', 4}}, {{"radius", 5}});
    });
}

TEST_CASE("box_filter: NaN and infinity stay in their windows") {
    each_device([](Bench& bench) {
        for (const int radius : {1, 10}) {
            std::vector<float> values = random_values<float>(90 * 120);
            values[13 * 120 + 20] = std::numeric_limits<float>::quiet_NaN();
            values[50 * 120 + 60] = std::numeric_limits<float>::infinity();
            values[89 * 120 + 119] = -std::numeric_limits<float>::infinity();
            bench.check({{'y', 90}, {'x', 120}}, {{"radius", radius}}, values);
        }
    });
}

TEST_CASE("box_filter: nothing drifts along a million elements") {
    each_device([](Bench& bench) {
        const std::int64_t n = 1000003;
        std::vector<float> values = random_values<float>(n);
        for (std::size_t i = 0; i < 1000; ++i) values[i] = 1e30f;
        bench.check({{'y', 1}, {'x', n}}, {{"radius", {15, 0}}}, values);
        bench.check({{'y', n}, {'x', 1}}, {{"radius", {0, 15}}}, values);
    });
}

TEST_CASE("box_filter: fused gives the same bits for every tiling") {
    each_device([](Bench& bench) {
        const ArrayDesc desc = ArrayDesc::dense(ElementType::f32, {{'y', 150}, {'x', 200}});
        const std::vector<std::string> there = bench.variants(desc, Json::object());
        if (std::find(there.begin(), there.end(), "fused") == there.end()) return;
        const Bytes in = bytes_of_values(random_values<float>(desc.count()));
        for (const int radius : {1, 12}) {
            const Json parameters{{"radius", radius}};
            CAPTURE(radius);
            const Bytes once = bench.run("fused", desc, parameters, in, {{"work_group_size", 64}, {"groups_per_unit", 1}});
            CHECK(bench.run("fused", desc, parameters, in, {{"work_group_size", 64}, {"groups_per_unit", 16}}) == once);
            CHECK(bench.run("fused", desc, parameters, in, {{"work_group_size", 256}, {"groups_per_unit", 4}}) == once);
        }
        const Json large{{"radius", 30}};   // by eight rows a turn and by sixteen, where a device has registers for them
        const Bytes by_eight = bench.run("fused", desc, large, in, {{"work_group_size", 768}});
        for (const int group : {128, 256, 384, 448, 512})
            CHECK(bench.run("fused", desc, large, in, {{"work_group_size", group}, {"groups_per_unit", group / 128}}) ==
                  by_eight);
        CHECK_THROWS_AS(bench.run("fused", desc, {{"radius", 50}}, in, {{"work_group_size", 64}}), ConfigError);
    });
}

TEST_CASE("box_filter: small windows of bytes, at any size, by every policy of packed") {
    const auto seed = tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    each_device([&](Bench& bench) {
        std::mt19937_64 random(seed);
        const auto between = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
        for (int draw = 0; draw < tests::drawn_count(12); ++draw) {
            const int channels = between(1, 4), reach = 4 / channels;
            const Json parameters{{"size", {between(1, 2 * reach + 1), draw % 4 == 0 ? between(1, 129) : between(1, 9)}},
                                  {"border", borders[draw % 4]},
                                  {"value", draw % 4 == 3 ? between(0, 255) : 0}};
            Extents extents{{'y', between(1, 70)}, {'x', between(1, 150)}};
            if (channels > 1) extents.push_back({'c', channels});
            const ArrayDesc desc = ArrayDesc::dense(ElementType::u8, extents);
            const std::vector<std::string> there = bench.variants(desc, parameters);
            if (std::find(there.begin(), there.end(), "packed") == there.end()) continue;
            CAPTURE(desc.describe());
            CAPTURE(parameters.dump());
            const Bytes in = bytes_of_values(random_values<std::uint8_t>(desc.count()));
            const Bytes should = reference(ElementType::u8, extents, parameters, in);
            for (const int words : {1, 2})
                CHECK(bench.run(
                          "packed", desc, parameters, in,
                          {{"words_per_work_item", words}, {"work_group_size", 32 << between(0, 3)}, {"items_per_unit", 256}}) ==
                      should);
        }
    });
}

TEST_CASE("box_filter: what cannot be filtered is refused") {
    const Algorithm algorithm = make_box_filter();
    const auto refused = [&](const ArrayDesc& image, const char* json, const char* pointer) {
        CAPTURE(image.describe());
        CAPTURE(std::string(json));
        try {
            algorithm.infer({{{"image", image}}, algorithm.parameters.parse(Json::parse(json), ""), {"image"}});
            FAIL("not refused");
        } catch (const ConfigError& e) {
            CHECK(e.pointer == pointer);
        }
    };
    const ArrayDesc image = ArrayDesc::dense(ElementType::u8, {{'y', 6}, {'x', 8}}),
                    volume = ArrayDesc::dense(ElementType::f32, {{'z', 2}, {'y', 6}, {'x', 8}});
    refused(image.with_type(ElementType::f64), "{}", "/inputs/image");
    refused(ArrayDesc::dense(ElementType::u8, {{'y', 0}, {'x', 8}}), "{}", "/inputs/image");
    refused(ArrayDesc::dense(ElementType::u8, {{'x', 6}, {'y', 8}}), "{}", "/inputs/image");
    refused(ArrayDesc::dense(ElementType::u8, {{'y', 6}, {'x', 8}, {'t', 3}}), "{}", "/inputs/image");
    refused(ArrayDesc::dense(ElementType::u8, {{'c', 3}}), "{}", "/inputs/image");
    refused(image, R"({"radius": 1, "size": 3})", "/size");
    refused(image, R"({"radius": [1, 1, 1]})", "/radius");
    refused(image, R"({"size": [3, 3, 2]})", "/size");
    refused(volume, R"({"size": [3, 3]})", "/size");
    refused(image, R"({"border": "constant", "value": 256})", "/value");
    refused(image, R"({"border": "constant", "value": 0.5})", "/value");
    refused(volume, R"({"border": "constant", "value": 1e39})", "/value");
    for (const char* const json : {R"({"radius": -1})", R"({"size": 0})", R"({"size": []})", R"({"radius": [1, 2, 3, 4]})",
                                   R"({"radius": 1.5})", R"({"radius": "1"})"})
        CHECK_THROWS_AS(algorithm.parameters.parse(Json::parse(json), ""), ConfigError);
    CHECK(algorithm.parameters.defaults().to_json().dump() ==
          R"({"radius":null,"size":null,"border":"reflect_101","value":0.0})");
}
