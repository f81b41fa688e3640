// threshold: Otsu's levels as scikit-image has them, near ties exactly, devices by the reference.
#include "algorithms/threshold/threshold.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"
#include "steps.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace parallax::engine {
Algorithm make_threshold();
}

namespace {

/// Two hills, as a line of Python makes them as well.
Values hills(ElementType type) {
    constexpr std::size_t count = 30011;
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint16_t> words;
    std::vector<float> reals;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t h = (static_cast<std::uint32_t>(i) * 2654435761u) >> 8;
        const bool upper = i % 3 == 0;
        bytes.push_back(static_cast<std::uint8_t>(upper ? 150 + h % 61 + (h >> 8) % 41 : 20 + h % 91));
        words.push_back(static_cast<std::uint16_t>(upper ? 40000 + h % 9001 + (h >> 8) % 5001 : 1000 + h % 20011));
        reals.push_back(0.125f * (upper ? 40000.0f + static_cast<float>(h % 9001 + (h >> 8) % 5001)
                                        : -1000.0f - static_cast<float>(h % 20011)));
    }
    const ArrayDesc desc = row_of(type, count);
    return type == ElementType::u8    ? values_of(desc, bytes)
           : type == ElementType::u16 ? values_of(desc, words)
                                      : values_of(desc, reals);
}

std::size_t above(const Values& mask) {
    const auto list = mask.list<std::uint8_t>();
    CHECK(std::all_of(list.begin(), list.end(), [](std::uint8_t v) { return v == 0 || v == 255; }));
    return static_cast<std::size_t>(std::count(list.begin(), list.end(), 255));
}

double threshold_of(const StepBench::Result& result) { return result.records.at("threshold").at("value").get<double>(); }

const std::vector<std::string> both = {"mask", "threshold"};

}  // namespace

TEST_CASE("threshold: Otsu's levels as skimage.filters.threshold_otsu has them") {
    struct Row { ElementType type; double threshold; std::size_t above; };   // scikit-image 0.26
    const Row rows[] = {
        {ElementType::u8, 110, 10004}, {ElementType::u16, 21010, 10004}, {ElementType::f32, -118.474365234375, 10004}};
    for (const Row& row : rows) {
        CAPTURE(to_string(row.type));
        const auto check = [&](const StepBench::Result& result) {
            CHECK(threshold_of(result) == row.threshold);
            CHECK(above(result.arrays.at("mask")) == row.above);
        };
        const NamedValues inputs{{"image", hills(row.type)}};
        check(reference_of(make_threshold(), Json::object(), inputs, both));
        each_kernel_device([&](StepBench& bench) {
            check(bench.run(make_threshold(), Json::object(), inputs, both));
            if (row.type != ElementType::u16)
                check(bench.run(make_threshold(), Json::object(), inputs, both, {{"work_group_size", 64}}));   // as on a GPU
        });
    }
}

TEST_CASE("threshold: a value that is given is the threshold, 0 too, and one that is not given is none") {
    const Algorithm algorithm = make_threshold();
    const NamedValues inputs{{"image", hills(ElementType::u8)}};
    const double otsu = 110;
    const std::vector<std::pair<Json, double>> rows{{Json::object(), otsu},
                                                    {{{"value", nullptr}}, otsu},
                                                    {{{"method", "otsu"}}, otsu},
                                                    {{{"method", "otsu"}, {"value", 0}}, otsu},   // of older reports
                                                    {{{"value", 0}}, 0},
                                                    {{{"value", 100}}, 100},
                                                    {{{"method", "auto"}, {"value", -1}}, -1},
                                                    {{{"method", "value"}, {"value", 0}}, 0}};
    for (const auto& [parameters, threshold] : rows) {
        CAPTURE(parameters.dump());
        CHECK(threshold_of(reference_of(algorithm, parameters, inputs, both)) == threshold);
        // As a report has them.
        const Json again = algorithm.parameters.parse(parameters, "").to_json();
        CHECK(threshold_of(reference_of(algorithm, again, inputs, both)) == threshold);
    }
    CHECK_THROWS_AS(reference_of(algorithm, {{"method", "value"}}, inputs, both), ConfigError);
    CHECK_THROWS_AS(reference_of(algorithm, {{"method", "otsu"}, {"value", 100}}, inputs, both), ConfigError);
}

TEST_CASE("threshold: Otsu's level of histograms that are hard to tell apart") {
    using threshold::otsu_level;
    using Counts = std::vector<std::uint32_t>;
    CHECK(otsu_level(Counts{0, 0, 7, 0}) == 2);
    CHECK(otsu_level(Counts{0, 0, 0}) == 0);
    CHECK(otsu_level(Counts{5, 0, 0, 5}) == 0);   // the same at 0, 1 and 2: the lowest
    CHECK(otsu_level(Counts{1, 1, 1}) == 0);      // symmetric: the same at 0 and 1
    const std::uint32_t large = 1u << 30;         // f64 sees no difference between these
    CHECK(otsu_level(Counts{large, large, large + 1}) == 1);
    CHECK(otsu_level(Counts{large + 1, large, large}) == 0);
}

TEST_CASE("threshold: devices find the reference's level in images of few and near levels") {
    const Algorithm algorithm = make_threshold();
    const auto levels = [](std::initializer_list<std::size_t> counts) {   // of levels 1, 2, ...
        std::vector<std::uint8_t> list;
        std::uint8_t level = 0;
        for (const std::size_t count : counts) list.insert(list.end(), count, ++level);
        return values_of(row_of(ElementType::u8, static_cast<std::int64_t>(list.size())), list);
    };
    std::vector<Values> images = {levels({1}),
                                  levels({1, 1}),
                                  levels({1, 1, 1}),
                                  levels({100000, 100000, 100001}),
                                  levels({100001, 100000, 100000}),
                                  levels({40000, 1, 39999, 2, 40000}),
                                  random_values(row_of(ElementType::u8, 65537))};
    for (const std::int64_t size : {1, 2, 1021, 65537}) {
        images.push_back(random_values(row_of(ElementType::f32, size), size > 2));
        images.push_back(random_values(row_of(ElementType::u16, size)));
    }
    images.push_back(values_of(row_of(ElementType::f32, 5), std::vector<float>(5, 0.7f)));
    images.push_back(values_of(row_of(ElementType::f32, 2), std::vector<float>(2, std::nanf(""))));
    std::vector<float> near(1000);   // a range of a few steps of f32: edges coincide
    for (std::size_t i = 0; i < near.size(); ++i) near[i] = 1000.0f + static_cast<float>(i % 5) * 0x1p-14f;
    images.push_back(values_of(row_of(ElementType::f32, 1000), near));
    each_kernel_device([&](StepBench& bench) {
        for (const Values& image : images) {
            CAPTURE(image.desc.describe());
            const NamedValues inputs{{"image", image}};
            const auto want = reference_of(algorithm, Json::object(), inputs, both);
            for (const Json& policy : {Json::object(), Json{{"work_group_size", 64}}}) {
                if (image.desc.type == ElementType::u16 && !policy.empty()) continue;
                const auto got = bench.run(algorithm, Json::object(), inputs, both, policy);
                CHECK(got.records == want.records);
                CHECK(got.arrays.at("mask").bytes == want.arrays.at("mask").bytes);
            }
        }
    });
}

TEST_CASE("threshold: numbers of which none is finite have no level, which is told by every device alike") {
    const Algorithm algorithm = make_threshold();
    for (const DevicePtr& device : devices_under_test()) {
        INFO(device_label(*device));
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        Session session(engine);
        const auto told = [&](const std::vector<float>& numbers) {
            HostArray image = HostArray::make(row_of(ElementType::f32, static_cast<std::int64_t>(numbers.size())));
            std::memcpy(image.data(), numbers.data(), numbers.size() * sizeof(float));
            Call call;
            call.algorithm = &algorithm;
            call.parameters = algorithm.parameters.parse(Json::object(), "");
            call.inputs["image"] = session.upload(image);
            const auto warnings = session.run(call).warnings;
            return std::accumulate(warnings.begin(), warnings.end(), std::string());
        };
        CHECK(told({0.5f, std::nanf(""), 2, INFINITY}).empty());
        CHECK(told(std::vector<float>(3, std::nanf(""))).find("none of 3 elements is a finite number") != std::string::npos);
        CHECK(told(std::vector<float>(5000, INFINITY)).find("\"non_finite\": \"reject\"") != std::string::npos);
    }
}

TEST_CASE("threshold: a given value, every type and size") {
    const Algorithm algorithm = make_threshold();
    using B = std::vector<std::uint8_t>;
    const auto mask = [&](double value, const Values& image) {
        const auto result = reference_of(algorithm, {{"method", "value"}, {"value", value}}, {{"image", image}}, both);
        CHECK(threshold_of(result) == value);
        return result.arrays.at("mask").list<std::uint8_t>();
    };
    CHECK(mask(99.5, values_of(row_of(ElementType::u8, 3), B{99, 100, 255})) == B{0, 255, 255});
    CHECK(mask(-0.5, values_of(row_of(ElementType::i16, 3), std::vector<std::int16_t>{-1, 0, 1})) == B{0, 255, 255});
    CHECK(
        mask(0.1, values_of(row_of(ElementType::f32, 3), std::vector<float>{0.1f, std::nextafter(0.1f, 0.0f), std::nanf("")})) ==
        B{255, 0, 0});   // 0.1f is above 0.1
    CHECK(mask(1e300, values_of(row_of(ElementType::f32, 1), std::vector<float>{3e38f})) == B{0});
    each_kernel_device([&](StepBench& bench) {
        for (const ElementType type :
             {ElementType::u8, ElementType::u16, ElementType::i16, ElementType::u32, ElementType::i32, ElementType::f32})
            for (const std::int64_t size : {0, 1, 3, 5, 4099}) {
                CAPTURE(to_string(type));
                CAPTURE(size);
                const NamedValues inputs{{"image", random_values(row_of(type, size), true)}};
                const Json parameters = {{"method", "value"}, {"value", 100.25}};
                const auto want = reference_of(algorithm, parameters, inputs, both),
                           got = bench.run(algorithm, parameters, inputs, both);
                CHECK(got.records == want.records);
                CHECK(got.arrays.at("mask").bytes == want.arrays.at("mask").bytes);
            }
        const auto alone =
            bench.run(algorithm, Json::object(), {{"image", hills(ElementType::u8)}}, {"threshold"});   // no mask is made
        CHECK(threshold_of(alone) == 110);
        CHECK(alone.arrays.empty());
    });
}

TEST_CASE("threshold: real images as skimage.filters.threshold_otsu has them") {
    const char* const folder = std::getenv("PARALLAX_TEST_DATA");
    struct Row { const char* file; double threshold; };
    const Row rows[] = {{"std/camera.png", 102}, {"std/coins.png", 107}, {"std/moon.png", 87}, {"std/cell.png", 122}};
    for (const Row& row : rows) {
        const std::filesystem::path path = std::filesystem::path(folder != nullptr ? folder : "../shared/data") / row.file;
        if (!std::filesystem::exists(path)) {
            MESSAGE("skipped, no file " << path.string() << ": set PARALLAX_TEST_DATA");
            continue;
        }
        CAPTURE(path.string());
        const HostArray image = io::read(path).to_dense();
        const Values values{image.desc, Bytes(image.data(), image.data() + image.desc.dense_bytes())};
        CHECK(threshold_of(reference_of(make_threshold(), Json::object(), {{"image", values}}, both)) == row.threshold);
        each_kernel_device([&](StepBench& bench) {
            CHECK(threshold_of(bench.run(make_threshold(), Json::object(), {{"image", values}}, both)) == row.threshold);
        });
    }
}

TEST_CASE("threshold: what makes no sense is refused where it stands") {
    const Algorithm algorithm = make_threshold();
    const auto refused = [&](const Json& parameters, const ArrayDesc& image, const char* pointer) {
        CAPTURE(parameters.dump());
        try {
            algorithm.infer({{{"image", image}}, algorithm.parameters.parse(parameters, ""), both});
            FAIL("not refused");
        } catch (const ConfigError& e) {
            CHECK(e.pointer == pointer);
        }
    };
    const ArrayDesc grey = ArrayDesc::dense(ElementType::u8, {{'y', 4}, {'x', 6}});
    refused({{"method", "otsu"}, {"value", 3}}, grey, "/value");
    refused({{"method", "value"}}, grey, "/value");
    refused(Json::object(), grey.with_type(ElementType::i32), "/inputs/image");
    refused(Json::object(), ArrayDesc::dense(ElementType::u8, {{'y', 0}, {'x', 6}}), "/inputs/image");
    refused(Json::object(), ArrayDesc::dense(ElementType::u8, {{'y', 65536}, {'x', 65536}}), "/inputs/image");
    refused({{"method", "value"}}, grey.with_type(ElementType::f64), "/inputs/image");
}
