// Every way of sorting on every device against std::stable_sort. Values are the places of their keys, so that a result is right
// only if it is stable. Arrays lie between guards: those around the input would come out if they were read, those around the
// output must stay as they are.
#include "algorithms/sort/sort.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

using namespace parallax;
using namespace parallax::engine;

namespace parallax::engine {
Algorithm make_sort();
}

namespace {

struct How {
    bool descending = false;
    int begin = 0, end = -1;
    bool values = true;
    Json policy = Json::object();
};

template <class Key> constexpr ElementType element_type() { return sizeof(Key) == 8 ? ElementType::u64 : ElementType::u32; }

/// Of `radix`: 320 keys a tile, 32 bins, at positions of 64 bits, and so many chunks that their counts are scanned in rounds.
const Json other_shape{{"work_group_size", 64}, {"items_per_work_item", 5},      {"digit_bits", 5},       {"index_bits", 64},
                       {"copies", 4},           {"scan_work_group_size", 32}, {"groups_per_unit", 256}};

/// The places of the keys in order.
template <class Key> std::vector<std::uint32_t> expected_places(const std::vector<Key>& keys, const How& how) {
    const int end = how.end == -1 ? static_cast<int>(8 * sizeof(Key)) : how.end, width = end - how.begin;
    const auto part = [&](Key key) {
        return width == 0 ? Key{0}
                          : static_cast<Key>(static_cast<Key>(key << (8 * sizeof(Key) - static_cast<std::size_t>(end))) >>
                                             (8 * sizeof(Key) - static_cast<std::size_t>(width)));
    };
    std::vector<std::uint32_t> places(keys.size());
    std::iota(places.begin(), places.end(), 0u);
    std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
        return how.descending ? part(keys[a]) > part(keys[b]) : part(keys[a]) < part(keys[b]);
    });
    return places;
}

/// An array on the device between guards.
class Guarded {
public:
    Guarded(Session& session, const void* data, std::size_t bytes)
        : session_(session), bytes_(bytes), held_(2 * guard + bytes, std::byte{0xfb}) {
        if (data != nullptr && bytes != 0) std::memcpy(held_.data() + guard, data, bytes);
        memory_ = session.engine().context().allocate(held_.size());
        session.queue().write(memory_, 0, held_.data(), held_.size()).wait();
    }
    host::Buffer buffer() const { return memory_.sub(guard, bytes_); }
    template <class T> std::vector<T> read() {
        std::vector<std::byte> now(held_.size());
        session_.queue().read(memory_, 0, now.data(), now.size()).wait();
        std::vector<T> elements(bytes_ / sizeof(T));
        if (bytes_ != 0) std::memcpy(elements.data(), now.data() + guard, bytes_);
        CHECK(std::equal(now.begin(), now.begin() + guard, held_.begin()));
        CHECK(std::equal(now.end() - guard, now.end(), held_.begin()));
        return elements;
    }

private:
    static constexpr std::size_t guard = 4096;
    Session& session_;
    std::size_t bytes_;
    std::vector<std::byte> held_;
    host::Buffer memory_;
};

DeviceArray array_of(const ArrayDesc& desc, const host::Buffer& buffer) {
    DeviceArray array;
    array.desc = desc;
    array.buffer = buffer;
    return array;
}

class Bench {
public:
    explicit Bench(const tests::DevicePtr& device)
        : engine_(*device, registry_with_peers(), {host::ProgramCache::open()}), session_(engine_) {}

    template <class Key> void check(const std::string& variant, const std::vector<Key>& keys, const How& how = {}) {
        CAPTURE(variant);
        CAPTURE(keys.size());
        CAPTURE(how.begin);
        CAPTURE(how.end);
        CAPTURE(how.descending);
        std::vector<std::uint32_t> places(keys.size());
        std::iota(places.begin(), places.end(), 0u);
        Guarded in(session_, keys.data(), keys.size() * sizeof(Key)), in_values(session_, places.data(), places.size() * 4);
        Guarded out(session_, nullptr, keys.size() * sizeof(Key)), out_values(session_, nullptr, places.size() * 4);
        const std::initializer_list<ArrayDesc::Extent> extents{{'x', static_cast<std::int64_t>(keys.size())}};
        const ArrayDesc desc = ArrayDesc::dense(element_type<Key>(), extents),
                        values_desc = ArrayDesc::dense(ElementType::u32, extents);
        Call call;
        call.algorithm = &algorithm_;
        Json parameters{{"order", how.descending ? "descending" : "ascending"}};
        if (how.begin != 0 || how.end != -1) parameters["bits"] = {{"begin", how.begin}, {"end", how.end}};
        call.parameters = algorithm_.parameters.parse(parameters, "");
        call.variant = variant;
        call.policy = how.policy;
        call.inputs.emplace("keys", array_of(desc, in.buffer()));
        std::map<std::string, DeviceArray, std::less<>> into;
        into.emplace("keys", array_of(desc, out.buffer()));
        if (how.values) {
            call.inputs.emplace("values", array_of(values_desc, in_values.buffer()));
            call.outputs = {"keys", "values"};
            into.emplace("values", array_of(values_desc, out_values.buffer()));
        }
        session_.run(call, into);

        const std::vector<std::uint32_t> expected = expected_places(keys, how);
        const std::vector<Key> got = out.read<Key>();
        const std::vector<std::uint32_t> got_places = out_values.read<std::uint32_t>();
        std::size_t right = 0;
        while (right < keys.size() && got[right] == keys[expected[right]] &&
               (!how.values || got_places[right] == expected[right]))
            ++right;
        CHECK(right == keys.size());
        CHECK(in.read<Key>() == keys);
        CHECK(in_values.read<std::uint32_t>() == places);
    }

    /// Those that sort `count` keys here.
    std::vector<std::string> variants(std::size_t count) {
        const Problem problem{{{"keys", ArrayDesc::dense(ElementType::u32, {{'x', static_cast<std::int64_t>(count)}})}},
                              algorithm_.parameters.defaults(),
                              {"keys"}};
        std::vector<std::string> names;
        for (const Variant& v : algorithm_.variants) {
            const bool listed = std::find(v.backends.begin(), v.backends.end(), engine_.device().backend) != v.backends.end();
            if (listed && v.supports(problem, engine_.context())) names.push_back(v.name);
        }
        return names;
    }
    bool runs(const std::string& variant) {
        const auto names = variants(1);
        return std::find(names.begin(), names.end(), variant) != names.end();
    }
    Engine& engine() { return engine_; }
    Session& session() { return session_; }

private:
    Engine engine_;
    Session session_;
    Algorithm algorithm_ = make_sort();
};

template <class Body> void each_device(const Body& body) {
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        body(bench);
    }
}

template <class Key> std::vector<Key> random_keys(std::size_t count, Key mask = ~Key{0}) {
    std::mt19937_64 random(count + 5);
    std::vector<Key> keys(count);
    for (Key& key : keys) key = static_cast<Key>(random()) & mask;
    return keys;
}

template <class Key> std::vector<std::vector<Key>> patterns(std::size_t count) {
    std::vector<Key> sorted = random_keys<Key>(count);
    std::sort(sorted.begin(), sorted.end());
    std::vector<Key> reversed(sorted.rbegin(), sorted.rend()), extremes(count), last(count, 0), one_hot(count);
    for (std::size_t i = 0; i < count; ++i) {
        extremes[i] = i % 2 != 0 ? ~Key{0} : 0;
        one_hot[i] = Key{1} << i % (8 * sizeof(Key));
    }
    last.back() = ~Key{0};
    last.front() = 1;
    return {random_keys<Key>(count),
            sorted,
            reversed,
            std::vector<Key>(count, 0),
            std::vector<Key>(count, ~Key{0}),
            random_keys<Key>(count, 3),                                  // one digit varies: the other passes do nothing
            random_keys<Key>(count, Key{0x30} << (8 * sizeof(Key) - 16)),
            random_keys<Key>(count, static_cast<Key>(0xf00000f000000ff0)),
            extremes,
            last,
            one_hot};
}

}  // namespace

TEST_CASE("sort: every size by every variant") {
    each_device([](Bench& bench) {
        for (const std::size_t n : {0,    1,    2,    3,    31,   32,   33,   63,   257,  1021, 2047,  2048,  2049,
                                    3839, 3840, 3841, 5759, 5760, 5761, 6144, 7681, 8192, 8193, 65536, 65537, 100003}) {
            for (const std::string& variant : bench.variants(n)) {
                bench.check(variant, random_keys<std::uint32_t>(n));
                bench.check(variant, random_keys<std::uint32_t>(n, 0x00f00700), {.values = false});
                bench.check(variant, random_keys<std::uint64_t>(n), {.descending = n % 2 != 0});
            }
        }
    });
}

TEST_CASE("sort: small arrays by every variant") {   // fit for a simulator that checks every access
    each_device([](Bench& bench) {
        for (const std::size_t n : {1, 2, 45, 300, 701})
            for (const std::string& variant : bench.variants(n))
                bench.check(variant, random_keys<std::uint32_t>(n), {.begin = 3, .end = 14});
        if (bench.runs("radix")) {
            for (const std::size_t n : {319, 320, 321, 1000})
                bench.check("radix", random_keys<std::uint32_t>(n), {.begin = 3, .end = 14, .policy = other_shape});
        }
        if (bench.runs("bitonic"))
            bench.check("bitonic", random_keys<std::uint32_t>(701),
                        {.begin = 3, .end = 14, .policy = {{"work_group_size", 16}, {"block", 64}}});
    });
}

TEST_CASE("sort: keys of every kind") {
    each_device([](Bench& bench) {
        for (const std::string& variant : bench.variants(20011)) {
            for (const auto& keys : patterns<std::uint32_t>(20011)) {
                bench.check(variant, keys);
                bench.check(variant, keys, {.descending = true});
            }
            for (const auto& keys : patterns<std::uint64_t>(9001)) bench.check(variant, keys);
        }
    });
}

TEST_CASE("sort: some bits only") {
    each_device([](Bench& bench) {
        const auto keys = random_keys<std::uint32_t>(9973);
        const auto wide = random_keys<std::uint64_t>(9973);
        for (const std::string& variant : bench.variants(keys.size())) {
            for (const auto& [begin, end] :
                 {std::pair{0, 0}, {32, 32}, {7, 7}, {3, 4}, {31, 32}, {5, 17}, {0, 8}, {8, 32}, {13, -1}, {24, 31}})
                for (const bool descending : {false, true})
                    bench.check(variant, keys, {.descending = descending, .begin = begin, .end = end});
            for (const auto& [begin, end] : {std::pair{0, 64}, {30, 34}, {63, 64}, {32, -1}, {64, 64}})
                bench.check(variant, wide, {.descending = true, .begin = begin, .end = end});
        }
    });
}

TEST_CASE("sort: positions of 64 bits, and other shapes of the kernels") {
    each_device([](Bench& bench) {
        const auto keys = random_keys<std::uint32_t>(30011);
        if (bench.runs("radix")) {
            bench.check("radix", random_keys<std::uint32_t>(100003), {.policy = other_shape});
            bench.check("radix", keys, {.policy = {{"groups_per_unit", 2}, {"count_work_group_size", 64}}});
        }
        if (bench.runs("radix_chunks")) {
            bench.check("radix_chunks", keys, {.policy = {{"index_bits", 64}, {"digit_bits", 11}, {"chunks_per_unit", 8}}});
        }
        if (bench.runs("radix_warp")) {
            for (const int match : {0, 1, 2})
                for (const int group : {256, 384, 512})
                    bench.check("radix_warp", keys,
                                {.policy = {{"match", match},
                                            {"work_group_size", group},
                                            {"items_per_work_item", 9},
                                            {"digit_bits", 5 + match},
                                            {"groups_per_unit", 2}}});
            bench.check("radix_warp", keys, {.policy = {{"index_bits", 64}}});
        }
        if (bench.runs("onesweep")) {   // without patience, twice, then with it
            const auto many = random_keys<std::uint32_t>(1000003);
            for (const int polls : {0, 0, 1 << 20}) bench.check("onesweep", many, {.policy = {{"polls", polls}}});
            for (const int match : {1, 2})
                bench.check("onesweep", many, {.begin = 1, .policy = {{"match", match}, {"looks", 1}, {"digit_bits", 7}}});
            for (const auto& [group, items] : {std::pair{384, 21}, {512, 17}, {512, 23}})   // one group a unit, and several
                bench.check("onesweep", many, {.policy = {{"work_group_size", group}, {"items_per_work_item", items}}});
        }
    });
}

TEST_CASE("sort: as a step of others") {
    for (const auto& device : tests::kernel_devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        for (const std::size_t n : {1000, 5003}) {
            const auto keys = random_keys<std::uint32_t>(n, 0xffff);
            sort::SortSpec spec;
            spec.count = static_cast<std::int64_t>(n);
            spec.end = 16;
            PlanBuilder builder(bench.engine().context(), bench.session().queue());
            const auto sorter = sort::make_best(builder, spec);
            std::vector<host::Buffer> workspace;
            for (const std::size_t bytes : builder.slots()) workspace.push_back(bench.engine().context().allocate(bytes));
            Profiler profiler;
            Execution execution(bench.session().queue(), profiler, workspace);
            Guarded in(bench.session(), keys.data(), n * 4), out(bench.session(), nullptr, n * 4);
            sorter->enqueue(execution, {in.buffer(), {}}, {out.buffer(), {}});
            bench.session().queue().finish();
            std::vector<std::uint32_t> expected = keys;
            std::sort(expected.begin(), expected.end());
            CHECK(out.read<std::uint32_t>() == expected);
        }
    }
}

TEST_CASE("sort: what cannot be sorted is refused") {
    const Algorithm algorithm = make_sort();
    const auto array = [](ElementType type, std::int64_t n) { return ArrayDesc::dense(type, {{'x', n}}); };
    const auto pointer = [&](const ArrayDescs& inputs, const Json& parameters,
                             std::vector<std::string> outputs = {"keys"}) -> std::string {
        try {
            algorithm.infer({inputs, algorithm.parameters.parse(parameters, ""), std::move(outputs)});
        } catch (const ConfigError& error) {
            return error.pointer;
        }
        return "none";
    };
    const Json none = Json::object();
    const ArrayDesc keys = array(ElementType::u32, 5);
    CHECK(pointer({{"keys", keys}}, none) == "none");
    CHECK(pointer({{"keys", array(ElementType::f32, 5)}}, none) == "/inputs/keys");
    CHECK(pointer({{"keys", ArrayDesc::dense(ElementType::u32, {{'y', 2}, {'x', 2}})}}, none) == "/inputs/keys");
    CHECK(pointer({{"keys", keys}, {"values", array(ElementType::u32, 4)}}, none) == "/inputs/values");
    CHECK(pointer({{"keys", keys}, {"values", array(ElementType::u64, 5)}}, none) == "/inputs/values");
    CHECK(pointer({{"keys", keys}}, none, {"keys", "values"}) == "/outputs/values");
    CHECK(pointer({{"keys", keys}}, {{"bits", {{"begin", 0}, {"end", 33}}}}) == "/bits/end");
    CHECK(pointer({{"keys", keys}}, {{"bits", {{"begin", 9}, {"end", 8}}}}) == "/bits/begin");
    CHECK(pointer({{"keys", array(ElementType::u64, 5)}}, {{"bits", {{"begin", 60}}}}) == "none");
}
