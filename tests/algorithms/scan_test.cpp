// Running sums, minima and maxima of every type and size on every device, by every variant. Arrays lie between guards:
// those around the input would change the result if they were read, those around the output must stay as they are.
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>

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
Algorithm make_scan();
}

namespace {

template <class T> constexpr ElementType element_type() {
    if constexpr (std::is_same_v<T, std::uint32_t>) return ElementType::u32;
    else if constexpr (std::is_same_v<T, std::int32_t>) return ElementType::i32;
    else if constexpr (std::is_same_v<T, std::uint64_t>) return ElementType::u64;
    else return ElementType::f32;
}

class Bench {
public:
    explicit Bench(const tests::DevicePtr& device)
        : engine_(*device, registry_with_peers(), {host::ProgramCache::open()}), session_(engine_) {}

    template <class T>
    std::vector<T> run(const std::string& variant, const char* kind, const char* op, const std::vector<T>& values,
                       Json policy = Json::object()) {
        const std::size_t bytes = values.size() * sizeof(T), guard = 4096;
        const std::vector<std::byte> pattern(2 * guard + bytes, std::byte{0x7b});
        std::vector<std::byte> in = pattern, out(pattern.size());
        if (bytes != 0) std::memcpy(in.data() + guard, values.data(), bytes);
        const host::Buffer from = engine_.context().allocate(in.size()), to = engine_.context().allocate(in.size());
        session_.queue().write(from, 0, in.data(), in.size()).wait();
        session_.queue().write(to, 0, pattern.data(), pattern.size()).wait();
        const ArrayDesc desc = ArrayDesc::dense(element_type<T>(), {{'x', static_cast<std::int64_t>(values.size())}});
        Call call;
        call.algorithm = &algorithm_;
        call.parameters = algorithm_.parameters.parse(Json{{"kind", kind}, {"op", op}}, "");
        call.variant = variant;
        call.policy = std::move(policy);
        call.inputs["array"] = {desc, {}, from.sub(guard, bytes)};
        session_.run(call, {{"array", {desc, {}, to.sub(guard, bytes)}}});
        session_.queue().read(to, 0, out.data(), out.size()).wait();
        std::vector<T> result(values.size());
        if (bytes != 0) std::memcpy(result.data(), out.data() + guard, bytes);
        std::memcpy(out.data() + guard, pattern.data(), bytes);
        CHECK(out == pattern);
        session_.queue().read(from, 0, out.data(), out.size()).wait();
        CHECK(out == in);
        return result;
    }

    bool native() const { return engine_.device().backend == host::Backend::native; }
    /// Those that this device can run, the best first.
    std::vector<std::string> variants() {
        const Problem problem{{{"array", ArrayDesc::dense(ElementType::u32, {{'x', 1}})}},
                              algorithm_.parameters.parse(Json::object(), ""),
                              {"array"}};
        std::vector<std::string> names;
        for (const Variant& v : algorithm_.variants)
            if (std::find(v.backends.begin(), v.backends.end(), engine_.device().backend) != v.backends.end() &&
                v.supports(problem, engine_.context()))
                names.push_back(v.name);
        return names;
    }
    bool has(const std::string& variant) {
        const auto names = variants();
        return std::find(names.begin(), names.end(), variant) != names.end();
    }

private:
    Engine engine_;
    Session session_;
    Algorithm algorithm_ = make_scan();
};

template <class Body> void each_device(const Body& body) {
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        body(bench);
    }
}

template <class T> std::vector<T> random_values(std::size_t count) {
    std::mt19937_64 random(11);
    std::vector<T> values(count);
    for (T& v : values) {
        if constexpr (std::is_floating_point_v<T>) v = static_cast<T>(std::normal_distribution<double>(1, 2)(random));
        else v = static_cast<T>(random());
    }
    return values;
}

/// Integers, minima and maxima exactly; sums of floats within (log2 n + 32) 2^-24 of the sum of magnitudes so far.
template <class T>
void check(Bench& bench, const std::string& variant, const char* kind, const char* op, const std::vector<T>& values,
           Json policy = Json::object()) {
    CAPTURE(variant);
    CAPTURE(std::string(kind));
    CAPTURE(std::string(op));
    CAPTURE(values.size());
    const std::vector<T> got = bench.run(variant, kind, op, values, std::move(policy));
    const bool exclusive = kind[0] == 'e', sum = op[0] == 's', low = std::string(op) == "min";
    using Wide = std::conditional_t<std::is_floating_point_v<T>, long double, std::uint64_t>;
    using Limits = std::numeric_limits<T>;
    constexpr bool real = std::is_floating_point_v<T>;
    Wide running = 0;
    long double magnitudes = 0;
    T extreme = low ? (real ? Limits::infinity() : Limits::max()) : (real ? -Limits::infinity() : Limits::lowest());
    std::size_t wrong = values.size();
    for (std::size_t i = 0; i < values.size() && wrong == values.size(); ++i) {
        const auto compare = [&] {
            if (!sum) return got[i] == extreme;
            if constexpr (!real) return got[i] == static_cast<T>(running);
            else
                return std::abs(got[i] - running) <=
                       (std::log2(static_cast<long double>(values.size())) + 32) * 0x1p-24L * magnitudes;
        };
        if (exclusive && !compare()) wrong = i;
        running += static_cast<Wide>(values[i]);
        magnitudes += std::abs(static_cast<long double>(values[i]));
        extreme = low ? std::min(extreme, values[i]) : std::max(extreme, values[i]);
        if (!exclusive && !compare()) wrong = i;
    }
    CHECK(wrong == values.size());
}

}  // namespace

TEST_CASE("scan: sums of every size by every variant") {
    each_device([](Bench& bench) {
        for (const std::string& variant : bench.variants())
            for (const std::size_t n : {0,   1,    2,    3,    15,   16,    17,    255,   256,    257,    511,   512,
                                        513, 1021, 2047, 2048, 2049, 65535, 65536, 65537, 100003, 131072, 262145})
                for (const char* kind : {"inclusive", "exclusive"})
                    check(bench, variant, kind, "sum", random_values<std::uint32_t>(n));
    });
}

TEST_CASE("scan: small arrays by every variant") {   // fit for a simulator that checks every access
    each_device([](Bench& bench) {
        for (const std::size_t n : {1, 2, 31, 300, 1100})
            for (const char* kind : {"inclusive", "exclusive"}) {
                const auto values = random_values<std::uint32_t>(n);
                for (const std::string& variant : bench.variants()) check(bench, variant, kind, "sum", values);
                if (bench.native()) continue;
                check(bench, "reduce_then_scan", kind, "sum", values, {{"work_group_size", 32}, {"items_per_work_item", 2}});
                check(bench, "hillis_steele", kind, "sum", values, {{"work_group_size", 32}});
                check(bench, "blelloch", kind, "sum", values, {{"work_group_size", 32}});
            }
    });
}

TEST_CASE("scan: a million elements of every type and operation") {
    each_device([](Bench& bench) {
        const std::string best = bench.variants().front();
        for (const char* op : {"sum", "min", "max"})
            for (const char* kind : {"inclusive", "exclusive"}) {
                check(bench, best, kind, op, random_values<std::uint32_t>(1000000));
                check(bench, best, kind, op, random_values<std::int32_t>(1000003));
                check(bench, best, kind, op, random_values<std::uint64_t>(1000000));
                check(bench, best, kind, op, random_values<float>(1000003));
            }
        std::vector<std::int32_t> sorted = random_values<std::int32_t>(70001);
        std::sort(sorted.begin(), sorted.end());
        const std::vector<std::int32_t> constant(70001, -7);
        for (const std::string& variant : bench.variants()) {
            check(bench, variant, "inclusive", "min", sorted);
            check(bench, variant, "exclusive", "max", sorted);
            check(bench, variant, "exclusive", "sum", constant);
            check(bench, variant, "inclusive", "sum", random_values<float>(300007));
        }
        if (!bench.native())   // several rounds of tiles a work-group, as on a GPU
            check(bench, "reduce_then_scan", "inclusive", "sum", random_values<std::uint32_t>(1000003),
                  {{"work_group_size", 64}, {"items_per_work_item", 4}});
    });
}

TEST_CASE("scan: single_pass in waves, and with one group where the others do not come") {
    each_device([](Bench& bench) {
        if (!bench.has("single_pass")) return;
        for (const std::size_t n : {8192 * 300, 8192 * 300 + 1, 20000003})
            for (const int polls : {1 << 20, 0}) {
                CAPTURE(polls);
                for (const int each : {1, 2, 4})
                    check(bench, "single_pass", "exclusive", "sum", random_values<std::uint32_t>(n),
                          {{"polls", polls}, {"groups_per_unit", each}});
                check(bench, "single_pass", "inclusive", "sum", random_values<std::uint64_t>(n), {{"polls", polls}});
                for (const auto& [group, loads] : {std::pair{384, 6}, {512, 4}, {256, 10}, {512, 12}})
                    check(bench, "single_pass", "exclusive", "sum", random_values<std::uint64_t>(n),
                          {{"polls", polls}, {"work_group_size", group}, {"loads", loads}});
                check(bench, "single_pass", "inclusive", "max", random_values<std::int32_t>(n), {{"polls", polls}});
            }
        const auto values = random_values<float>(20000003);   // the same additions, whoever does them
        CHECK(bench.run("single_pass", "inclusive", "sum", values) ==
              bench.run("single_pass", "inclusive", "sum", values, {{"polls", 0}}));
    });
}

TEST_CASE("scan: float sums come out the same again, and NaN stays") {
    each_device([](Bench& bench) {
        std::vector<float> values = random_values<float>(100003);
        for (std::size_t i = 0; i < values.size(); i += 3) values[i] *= i % 2 ? 1e9f : -1e9f;
        for (const std::string& variant : bench.variants()) {
            CAPTURE(variant);
            const auto first = bench.run(variant, "inclusive", "sum", values);
            CHECK(bench.run(variant, "inclusive", "sum", values) == first);
        }
        values[600] = std::numeric_limits<float>::quiet_NaN();
        for (const char* op : {"sum", "max"}) {
            const auto out = bench.run(bench.variants().front(), "inclusive", op, values);
            CHECK(std::none_of(out.begin(), out.begin() + 600, [](float x) { return std::isnan(x); }));
            CHECK(std::all_of(out.begin() + 600, out.end(), [](float x) { return std::isnan(x); }));
        }
    });
}

TEST_CASE("scan: what cannot be scanned is refused") {
    const Algorithm algorithm = make_scan();
    const auto infer = [&](const ArrayDesc& desc) {
        return algorithm.infer({{{"array", desc}}, algorithm.parameters.defaults(), {"array"}});
    };
    CHECK(infer(ArrayDesc::dense(ElementType::u64, {{'x', 0}})).at("array").count() == 0);
    CHECK_THROWS_AS(infer(ArrayDesc::dense(ElementType::u32, {{'y', 2}, {'x', 2}})), ConfigError);
    CHECK_THROWS_AS(infer(ArrayDesc::dense(ElementType::u8, {{'x', 2}})), ConfigError);
}
