// Sums, extremes and statistics of arrays of every type and size on every device, by every variant. Arrays lie between
// guards that would change the result if they were read.
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

using namespace parallax;
using namespace parallax::engine;

namespace parallax::engine {
Algorithm make_reduce();
}

namespace {

template <class T> constexpr ElementType element_type() {
    if constexpr (std::is_same_v<T, std::uint8_t>) return ElementType::u8;
    else if constexpr (std::is_same_v<T, std::int8_t>) return ElementType::i8;
    else if constexpr (std::is_same_v<T, std::uint16_t>) return ElementType::u16;
    else if constexpr (std::is_same_v<T, std::int16_t>) return ElementType::i16;
    else if constexpr (std::is_same_v<T, std::uint32_t>) return ElementType::u32;
    else if constexpr (std::is_same_v<T, std::int32_t>) return ElementType::i32;
    else if constexpr (std::is_same_v<T, double>) return ElementType::f64;
    else return ElementType::f32;
}

class Bench {
public:
    explicit Bench(const tests::DevicePtr& device)
        : engine_(*device, registry_with_peers(), {host::ProgramCache::open()}), session_(engine_) {}
    host::Context& context() { return engine_.context(); }
    const Algorithm& algorithm() const { return algorithm_; }

    template <class T>
    CallResult run(const std::string& variant, const std::string& op, const std::vector<T>& values,
                   std::vector<std::string> outputs = {"value"}, Json policy = Json::object()) {
        const std::size_t bytes = values.size() * sizeof(T), guard = 4096;
        std::vector<std::byte> whole(2 * guard + bytes, std::byte{0x7b});   // large in every type
        if (bytes != 0) std::memcpy(whole.data() + guard, values.data(), bytes);
        const host::Buffer buffer = context().allocate(whole.size());
        session_.queue().write(buffer, 0, whole.data(), whole.size()).wait();
        Call call;
        call.algorithm = &algorithm_;
        call.parameters = algorithm_.parameters.parse(Json{{"op", op}}, "");
        call.variant = variant;
        call.policy = std::move(policy);
        call.outputs = std::move(outputs);
        call.inputs["array"] = {
            ArrayDesc::dense(element_type<T>(), {{'x', static_cast<std::int64_t>(values.size())}}), {}, buffer.sub(guard, bytes)};
        CallResult result = session_.run(call);
        std::vector<std::byte> after(whole.size());
        session_.queue().read(buffer, 0, after.data(), after.size()).wait();
        CHECK(after == whole);
        return result;
    }

    /// Those that this device can run, the best first.
    std::vector<std::string> variants() {
        const Problem problem{{{"array", ArrayDesc::dense(ElementType::u32, {{'x', 1}})}},
                              algorithm_.parameters.parse(Json::object(), ""),
                              {"value"}};
        std::vector<std::string> names;
        for (const Variant& v : algorithm_.variants)
            if (std::find(v.backends.begin(), v.backends.end(), engine_.device().backend) != v.backends.end() &&
                v.supports(problem, engine_.context()))
                names.push_back(v.name);
        return names;
    }

private:
    Engine engine_;
    Session session_;
    Algorithm algorithm_ = make_reduce();
};

template <class Body> void each_device(const Body& body) {
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        body(bench);
    }
}

template <class T> std::vector<T> random_values(std::size_t count, unsigned seed = 5) {
    std::mt19937_64 random(seed);
    std::vector<T> values(count);
    for (T& v : values) {
        if constexpr (std::is_floating_point_v<T>) v = static_cast<T>(std::normal_distribution<double>(3, 2)(random));
        else v = static_cast<T>(random());
    }
    return values;
}

/// Sums of integers in 64 bits; of real numbers within 2^-23 of the sum of magnitudes, `exactly` by long double.
template <class T> void check_sum(const Json& value, const std::vector<T>& values) {
    CHECK(value.at("count") == values.size());
    if constexpr (std::is_floating_point_v<T>) {
        long double sum = 0, magnitudes = 0;
        for (const T v : values) sum += v, magnitudes += std::abs(static_cast<long double>(v));
        const auto error = static_cast<double>(std::abs(value.at("value").get<double>() - sum));
        CHECK(error <= static_cast<double>(std::ldexp(magnitudes, sizeof(T) == 4 ? -23 : -51)));
    } else if constexpr (std::is_signed_v<T>) {
        std::int64_t sum = 0;
        for (const T v : values) sum += v;
        CHECK(value.at("value").get<std::int64_t>() == sum);
    } else {
        std::uint64_t sum = 0;
        for (const T v : values) sum += v;
        CHECK(value.at("value").get<std::uint64_t>() == sum);
    }
}

const std::vector<std::size_t> sizes = {0,   1,   2,    3,    15,   16,   17,   255,   256,   257,   511,
                                        512, 513, 1021, 2047, 2048, 2049, 4099, 65535, 65536, 65537, 100003};

template <class T> void check_sizes(Bench& bench, const std::string& variant) {
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const auto values = random_values<T>(n);
        check_sum(bench.run(variant, "sum", values).records.at("value"), values);
    }
}

template <class T> void check_statistics(Bench& bench, const std::string& variant, const std::vector<T>& values) {
    const Json r = bench.run(variant, "max", values, {"value", "statistics"}).records;
    const Json& s = r.at("statistics");
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    CHECK(s.at("min").get<T>() == *low);
    CHECK(s.at("max").get<T>() == *high);
    CHECK(r.at("value").at("value").get<T>() == *high);
    CHECK(s.at("count") == values.size());
    long double mean = 0, variance = 0;
    for (const T v : values) mean += v;
    mean /= static_cast<long double>(values.size());
    for (const T v : values) variance += (v - mean) * (v - mean);
    variance /= static_cast<long double>(values.size());
    CHECK(s.at("mean").get<double>() == doctest::Approx(static_cast<double>(mean)).epsilon(1e-9));
    CHECK(s.at("variance").get<double>() == doctest::Approx(static_cast<double>(variance)).epsilon(1e-7));
}

}  // namespace

TEST_CASE("reduce: sums of every size by every variant") {
    each_device([](Bench& bench) {
        for (const std::string& variant : bench.variants()) {
            CAPTURE(variant);
            check_sizes<std::uint32_t>(bench, variant);
            check_sizes<float>(bench, variant);
        }
    });
}

TEST_CASE("reduce: small arrays by every variant") {   // fit for a simulator that checks every access
    each_device([](Bench& bench) {
        for (const std::string& variant : bench.variants())
            for (const std::size_t n : {0, 1, 2, 31, 300, 1000}) {
                CAPTURE(variant);
                CAPTURE(n);
                const auto values = random_values<std::int32_t>(n);
                check_sum(bench.run(variant, "sum", values).records.at("value"), values);
                if (n != 0) check_statistics(bench, variant, random_values<float>(n));
            }
        if (bench.context().info().backend != host::Backend::native) {   // a work-group of several items on CPUs, too
            const auto values = random_values<float>(1000);
            check_sum(
                bench.run("grid_stride", "sum", values, {"value"}, {{"work_group_size", 64}, {"loads", 2}}).records.at("value"),
                values);
        }
    });
}

TEST_CASE("reduce: every type, minimum, maximum, statistics") {
    each_device([](Bench& bench) {
        const auto check = [&]<class T>(T) {
            const auto values = random_values<T>(70001);
            const std::string variant = bench.variants().front();
            CAPTURE(to_string(element_type<T>()));
            check_sum(bench.run(variant, "sum", values).records.at("value"), values);
            check_statistics(bench, variant, values);
        };
        check(std::uint8_t{}), check(std::int8_t{}), check(std::uint16_t{}), check(std::int16_t{});
        check(std::uint32_t{}), check(std::int32_t{}), check(float{});
        if (bench.context().info().backend == host::Backend::native || bench.context().capabilities().fp64) check(double{});
        for (const std::string& variant : bench.variants()) {
            CAPTURE(variant);
            const auto values = random_values<std::int32_t>(3001);
            CHECK(bench.run(variant, "min", values).records["value"]["value"] == *std::min_element(values.begin(), values.end()));
            CHECK(bench.run(variant, "max", values).records["value"]["value"] == *std::max_element(values.begin(), values.end()));
        }
    });
}

TEST_CASE("reduce: adversarial sums keep their bound, and come out the same again") {
    // 10^6 elements: one thousand cancelling giants among small numbers; tenths, whose plain f32 sum is wrong in the third digit.
    std::vector<float> giants(1000000), tenths(1000000, 0.1f), alternating(1000001);
    for (std::size_t i = 0; i < giants.size(); ++i) giants[i] = i % 1000 == 0 ? (i % 2000 ? -1e7f : 1e7f) : 1e-3f;
    for (std::size_t i = 0; i < alternating.size(); ++i)
        alternating[i] = i % 2 ? -16777216.0f : 16777217.0f + static_cast<float>(i);
    std::vector<float> sorted = random_values<float>(1000000);
    std::sort(sorted.begin(), sorted.end());
    each_device([&](Bench& bench) {
        for (const std::string& variant : bench.variants())
            for (const auto* values : {&giants, &tenths, &alternating, &sorted}) {
                CAPTURE(variant);
                const Json first = bench.run(variant, "sum", *values).records.at("value");
                check_sum(first, *values);
                CHECK(bench.run(variant, "sum", *values).records.at("value") == first);
            }
        const std::vector<std::uint32_t> full(1000003, std::numeric_limits<std::uint32_t>::max());
        const std::string best = bench.variants().front();
        check_sum(bench.run(best, "sum", full).records.at("value"), full);
        CHECK(bench.run(best, "sum", full, {"statistics"}).records["statistics"]["variance"] ==
              0.0);   // squares need more than 64 bits
    });
}

TEST_CASE("reduce: infinities and NaN come through") {
    each_device([](Bench& bench) {
        for (const std::string& variant : bench.variants()) {
            CAPTURE(variant);
            std::vector<float> values = random_values<float>(3001);
            const auto value = [&](const char* op) { return bench.run(variant, op, values).records["value"]["value"]; };
            values[1700] = std::numeric_limits<float>::infinity();
            CHECK(value("sum") == "inf");
            CHECK(value("max") == "inf");
            values[40] = -std::numeric_limits<float>::infinity();
            CHECK(value("sum") == "nan");
            CHECK(value("min") == "-inf");
            values[2999] = std::numeric_limits<float>::quiet_NaN();
            CHECK(value("min") == "nan");
            CHECK(value("max") == "nan");
        }
    });
}

TEST_CASE("reduce: what cannot be reduced is refused with a reason") {
    each_device([](Bench& bench) {
        const std::string variant = bench.variants().front();
        const std::vector<float> nothing;
        for (const char* op : {"min", "max"})
            CHECK_THROWS_WITH_AS(bench.run(variant, op, nothing), doctest::Contains("no minimum"), ConfigError);
        CHECK_THROWS_AS(bench.run(variant, "sum", nothing, {"statistics"}), ConfigError);
    });
    const Algorithm algorithm = make_reduce();
    const Problem complex{
        {{"array", ArrayDesc::dense(ElementType::c64, {{'x', 4}})}}, algorithm.parameters.defaults(), {"value"}};
    CHECK_THROWS_AS(algorithm.infer(complex), ConfigError);
}
