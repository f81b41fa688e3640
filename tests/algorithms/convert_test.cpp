// convert: the reference by values worked out by hand, devices by the reference, bit for bit.
#include "algorithms/elementwise/ranks.hpp"
#include "core/observation.hpp"
#include "parallax/host/error.hpp"
#include "steps.hpp"
#include "peers/peers.hpp"

#include <array>
#include <numeric>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace parallax::engine {
Algorithm make_convert();
}

namespace {

template <class To, class From>
std::vector<To> converted(const Json& parameters, ElementType from, const std::vector<From>& image) {
    const NamedValues inputs{{"image", values_of(row_of(from, static_cast<std::int64_t>(image.size())), image)}};
    return reference_of(make_convert(), parameters, inputs).arrays.at("image").list<To>();
}

const ElementType types[] = {ElementType::u8,  ElementType::u16, ElementType::i16,
                             ElementType::u32, ElementType::i32, ElementType::f32};

}  // namespace

TEST_CASE("convert: what becomes of values") {
    using B = std::vector<std::uint8_t>;
    using F = std::vector<float>;
    const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
    CHECK(converted<std::uint8_t>({{"type", "u8"}}, ElementType::f32, F{-1, 0.5f, 1.5f, 2.5f, 254.5f, 256, inf, -inf, nan}) ==
          B{0, 0, 2, 2, 254, 255, 255, 0, 0});
    CHECK(converted<std::int32_t>({{"type", "i32"}}, ElementType::f32, F{-3e9f, -2.5f, nan, 2147483520.0f, 3e9f}) ==
          std::vector<std::int32_t>{-2147483647 - 1, -2, 0, 2147483520, 2147483647});
    CHECK(converted<std::uint8_t>({{"type", "u8"}}, ElementType::i16, std::vector<std::int16_t>{-5, 7, 300}) == B{0, 7, 255});
    CHECK(converted<float>({{"type", "f32"}}, ElementType::u32, std::vector<std::uint32_t>{16777217, 16777219, 4294967295u}) ==
          F{16777216, 16777220, 4294967296.0f});
    const Json window = {{"type", "u8"}, {"window", {{"low", 10}, {"high", 20}}}};
    CHECK(converted<std::uint8_t>(window, ElementType::u16, std::vector<std::uint16_t>{0, 10, 11, 15, 20, 9999}) ==
          B{0, 0, 26, 128, 255, 255});   // 25.5, 127.5
    CHECK(converted<float>({{"type", "f32"}, {"window", {{"low", -1}, {"high", 1}}}}, ElementType::f32,
                           F{-3, -1, 0, 0.5f, 1, inf}) == F{0, 0, 0.5f, 0.75f, 1, 1});
}

TEST_CASE("convert: what a conversion without a window loses is told, by every device alike, and in tiles as in the whole") {
    using F = std::vector<float>;
    const Algorithm algorithm = make_convert();
    struct Row { std::vector<float> image; const char* type; std::vector<std::string> fragments; };
    const Row rows[] = {{F{0, 0.25f, 0.5f, 1}, "u8", {"about 0 to 1", "\"window\": {\"low\": 0, \"high\": 1}"}},
                        {F{0, 1, 1, 0}, "u8", {}},                       // a mask
                        {F{0, 0.5f, 200}, "u8", {}},                     // greys, rounded as the page says
                        {F{0, 100, 256}, "u8", {"above 255 are cut off"}},
                        {F{-1, 0, 100}, "u16", {"below 0"}},
                        {F{-300, 300}, "i16", {}},
                        {F{3, std::nanf(""), 7}, "u8", {"NaN become 0", "non_finite"}},
                        {F{0.1f, std::nanf(""), INFINITY}, "i32", {"NaN become 0", "infinities become -2147483648 and 214"}},
                        {F{0.25f, 0.5f, INFINITY}, "u8", {"about 0 to 1", "infinities become 0 and 255", "non_finite"}},
                        {F{0, 3, 200, -INFINITY}, "u8", {"infinities become 0 and 255"}},
                        {F{0.1f, 0.9f, std::nanf("")}, "u8", {"about 0 to 1", "NaN become 0"}},
                        {F{2, 4294967296.0f}, "u32", {"above 4294967295 are cut off"}},
                        {F{2, 4294967040.0f}, "u32", {}},
                        {F{2, 2147483648.0f}, "i32", {"above 2147483647 are cut off"}},
                        {F{2, -2147483648.0f, 2147483520.0f}, "i32", {}},
                        {F{0.25f, 0.5f}, "f32", {}}};
    for (const DevicePtr& device : devices_under_test()) {
        INFO(device_label(*device));
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        Session session(engine);
        const auto warnings_of = [&](const Json& parameters, const HostArray& image) {
            Call call;
            call.algorithm = &algorithm;
            call.parameters = algorithm.parameters.parse(parameters, "");
            call.inputs["image"] = session.upload(image);
            return session.run(call).warnings;
        };
        const auto check = [&](const std::vector<std::string>& warnings, const std::vector<std::string>& fragments) {
            const std::string all = std::accumulate(warnings.begin(), warnings.end(), std::string());
            CHECK_MESSAGE(all.empty() == fragments.empty(), all);
            for (const std::string& fragment : fragments) CHECK_MESSAGE(all.find(fragment) != std::string::npos, all);
        };
        for (const Row& row : rows) {
            CAPTURE(std::string(row.type));
            for (const std::int64_t size : {static_cast<std::int64_t>(row.image.size()), std::int64_t{70001}}) {
                HostArray image = HostArray::make(row_of(ElementType::f32, size));
                for (std::int64_t i = 0; i < size; ++i)
                    image.as<float>()[i] = row.image[static_cast<std::size_t>(i) % row.image.size()];
                check(warnings_of({{"type", row.type}}, image), row.fragments);
                check(warnings_of({{"type", row.type == std::string("u8") || row.type == std::string("u16") ? row.type : "f32"},
                                   {"window", {{"low", 0}, {"high", 1}}}},
                                  image),
                      {});
            }
        }
        HostArray words = HostArray::make(row_of(ElementType::u16, 999));
        for (std::int64_t i = 0; i < 999; ++i)
            words.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i == 998 ? 256 : i % 256);
        check(warnings_of({{"type", "u8"}}, words), {"above 255 are cut off"});
        words.as<std::uint16_t>()[998] = 255;
        check(warnings_of({{"type", "u8"}}, words), {});
        check(warnings_of({{"type", "u32"}}, words), {});
        HostArray wide = HostArray::make(row_of(ElementType::f64, 5));
        for (std::size_t i = 0; i < 5; ++i)
            wide.as<double>()[i] = std::array{0.5, 4294967295.4, 16777217.0, 2147483649.0, 1e300}[i];
        check(warnings_of({{"type", "u32"}}, wide), {"numbers beyond those of f32 (3.4e38), become 0", "above 4294967295"});
    }
    // A tile that is dark does not say so of an image that is not: flags are put together first.
    Json all;
    join_observation(all, observation(1, {{1, 2, "dark"}, {2, 0, "bright"}}));
    CHECK(in_words(all) == std::vector<std::string>{"dark"});
    join_observation(all, observation(2, {{1, 2, "dark"}, {2, 0, "bright"}}));
    join_observation(all, nullptr);
    CHECK(in_words(all) == std::vector<std::string>{"bright"});
}

TEST_CASE("convert: percentiles are those of numpy.percentile") {
    std::vector<float> values(1001);   // 0 ... 1000, so that percentile p is 10 p
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 376 % 1001);
    const ArrayDesc desc = row_of(ElementType::f32, 1001);
    const Values image = values_of(desc, values);
    const auto ends = [&](double low, double high) {
        return *elementwise::reference_ranks(image.desc, image.bytes.data(), elementwise::Places::of_percentiles(low, high));
    };
    CHECK(ends(0, 100) == std::array<float, 2>{0, 1000});
    CHECK(ends(25, 50) == std::array<float, 2>{250, 500});
    CHECK(ends(2.5, 99.9)[0] == doctest::Approx(25).epsilon(1e-6));
    CHECK(ends(2.5, 99.9)[1] == doctest::Approx(999).epsilon(1e-6));
    CHECK(ends(0.05, 0.17)[0] == doctest::Approx(0.5).epsilon(1e-5));   // between neighbours
    CHECK(ends(0.05, 0.17)[1] == doctest::Approx(1.7).epsilon(1e-5));
}

TEST_CASE("convert: devices give what the reference gives, for every type and size") {
    const Algorithm algorithm = make_convert();
    each_kernel_device([&](StepBench& bench) {
        const auto check = [&](const Json& parameters, ElementType from, std::initializer_list<std::int64_t> sizes,
                               const Json& policy = Json::object()) {
            CAPTURE(parameters.dump());
            CAPTURE(to_string(from));
            for (const std::int64_t size : sizes) {
                CAPTURE(size);
                const NamedValues inputs{{"image", random_values(row_of(from, size), true)}};
                CHECK(same(bench.run(algorithm, parameters, inputs, {}, policy).arrays.at("image"),
                           reference_of(algorithm, parameters, inputs).arrays.at("image")));
            }
        };
        for (std::size_t i = 0; i < 6; ++i)
            check({{"type", std::string(to_string(types[(i + 1) % 6]))}}, types[i], {0, 1, 3, 4, 5, 4099, 100003});
        for (const ElementType from : types)
            for (const ElementType to : types) check({{"type", std::string(to_string(to))}}, from, {1, 5063});
        check({{"type", "u8"}}, ElementType::f32, {4099});
        check({{"type", "i32"}}, ElementType::f32, {4099});
        check({{"type", "u8"}, {"window", {{"low", -100}, {"high", 301.5}}}}, ElementType::f32, {0, 1, 5, 100003});
        check({{"type", "f32"}, {"window", {{"low", 1000}, {"high", 50000}}}}, ElementType::u16, {0, 1, 5, 100003});
        check({{"type", "u8"}}, ElementType::f32, {5003}, {{"work_group_size", 64}});
        const Json percentiles = {{"type", "u16"}, {"percentiles", {{"low", 3.7}, {"high", 96}}}};
        for (const ElementType from : {ElementType::f32, ElementType::i16, ElementType::u32})
            check(percentiles, from, {0, 1, 2, 3, 1021, 200003});
        check(percentiles, ElementType::f32, {1, 3, 30011}, {{"work_group_size", 64}});   // as on a GPU
    });
}

TEST_CASE("convert: f64 and bool") {
    std::mt19937_64 random(9);
    std::vector<double> values = {0.0,
                                  -0.0,
                                  1e300,
                                  -1e300,
                                  0x1p-149,
                                  0x1p-150,
                                  0x1.8p-150,
                                  0x1.8p-149,
                                  0x1.fffffep127,
                                  0x1.ffffffp127,
                                  0x1.fffffefp127,
                                  0x1p-126,
                                  0x1.ffffffffp-127,
                                  1 + 0x1p-24,
                                  1 + 0x1.8p-23,
                                  5e-324,
                                  std::nan(""),
                                  std::numeric_limits<double>::infinity()};
    while (values.size() < 5003) {
        const std::uint64_t bits =
            values.size() % 2 == 0 ? random() : (random() & 0x800fffffffffffffu) | (1023 - 160 + random() % 300) << 52;
        double v;
        std::memcpy(&v, &bits, 8);
        values.push_back(v);
    }
    const NamedValues wide{{"image", values_of(row_of(ElementType::f64, 5003), values)}};
    std::vector<std::uint8_t> flags(33);
    for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = i % 3 == 0;
    const NamedValues truth{{"image", values_of(row_of(ElementType::boolean, 33), flags)}};
    const Json real = {{"type", "f32"}}, percentiles = {{"type", "u8"}, {"percentiles", {{"low", 5}, {"high", 95}}}};
    each_kernel_device([&](StepBench& bench) {
        const auto got = bench.run(make_convert(), real, wide).floats();
        bool equal = true;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto want = static_cast<float>(values[i]);   // denormals may be flushed by the pass that follows
            equal = equal &&
                    (std::isnan(want) ? std::isnan(got[i])
                                      : got[i] == want || (std::abs(want) < std::numeric_limits<float>::min() && got[i] == 0));
        }
        CHECK(equal);
        CHECK(bench.run(make_convert(), percentiles, wide).arrays.at("image").bytes ==
              reference_of(make_convert(), percentiles, wide).arrays.at("image").bytes);
        CHECK(bench.run(make_convert(), {{"type", "u16"}}, truth).arrays.at("image").list<std::uint16_t>() ==
              std::vector<std::uint16_t>(flags.begin(), flags.end()));
    });
}

TEST_CASE("convert: percentiles of images of one value, few values, and none that is finite") {
    const Algorithm algorithm = make_convert();
    const Json percentiles = {{"type", "u8"}, {"percentiles", {{"low", 1}, {"high", 99}}}};
    std::vector<float> few(30011);
    for (std::size_t i = 0; i < few.size(); ++i) few[i] = i % 100 == 0 ? -0.0f : i % 3 == 0 ? 0.0f : 1e-40f;
    const Values images[] = {values_of(row_of(ElementType::f32, 3), std::vector<float>(3, 7.5f)),
                             values_of(row_of(ElementType::f32, 2), std::vector<float>(2, std::nanf(""))),
                             values_of(row_of(ElementType::f32, 30011), few)};
    each_kernel_device([&](StepBench& bench) {
        for (const Values& image : images) {
            CAPTURE(image.desc.describe());
            CHECK(bench.run(algorithm, percentiles, {{"image", image}}).arrays.at("image").bytes ==
                  reference_of(algorithm, percentiles, {{"image", image}}).arrays.at("image").bytes);
        }
    });
}

TEST_CASE("convert: what makes no sense is refused where it stands") {
    const Algorithm algorithm = make_convert();
    const ArrayDesc grey = ArrayDesc::dense(ElementType::u8, {{'y', 4}, {'x', 6}}).with_spacing('x', 2);
    const auto infer = [&](const Json& parameters, const ArrayDesc& image) {
        return algorithm.infer({{{"image", image}}, algorithm.parameters.parse(parameters, ""), {"image"}}).at("image");
    };
    const auto refused = [&](const Json& parameters, const ArrayDesc& image, const char* pointer) {
        CAPTURE(parameters.dump());
        try {
            infer(parameters, image);
            FAIL("not refused");
        } catch (const ConfigError& e) {
            CHECK(e.pointer == pointer);
        }
    };
    CHECK(infer({{"type", "f32"}}, grey) == grey.with_type(ElementType::f32));
    const Json window = {{"low", 0}, {"high", 1}}, empty = {{"low", 1}, {"high", 1}};
    refused({{"window", window}, {"percentiles", window}}, grey, "/window");
    refused({{"type", "i32"}, {"window", window}}, grey, "/window");
    refused({{"type", "u32"}, {"percentiles", window}}, grey, "/percentiles");
    refused({{"window", empty}}, grey, "/window");
    refused({{"window", {{"low", 1}, {"high", 1 + 1e-12}}}}, grey, "/window");
    refused({{"percentiles", empty}}, grey, "/percentiles");
    refused({{"percentiles", window}}, ArrayDesc::dense(ElementType::u8, {{'y', 65536}, {'x', 65536}}), "/inputs/image");
    refused(Json::object(), grey.with_type(ElementType::c64), "/inputs/image");
}
