// Histograms of every type, channel count and mask on every device and by every variant, bit for bit against the serial
// reference, with guard regions around the counts; the reference against counts known by other means.
#include "algorithms/histogram/histogram.hpp"
#include "algorithms/histogram/reference.hpp"
#include "core/session.hpp"
#include "devices.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::histogram;

namespace parallax::engine {
Algorithm make_histogram();
}

namespace {

using Bytes = std::vector<std::byte>;

enum class Content { random, constant, smooth, alternating };
const char* const content_names[] = {"random", "constant", "smooth", "alternating"};

template <class T>
Bytes bytes_of_values(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T>
Bytes integers(std::size_t count, Content content) {
    std::mt19937 random(11);
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (content == Content::random) values[i] = static_cast<T>(random());
        if (content == Content::constant) values[i] = std::numeric_limits<T>::max();
        if (content == Content::smooth) values[i] = static_cast<T>(i / 7);
        if (content == Content::alternating) values[i] = i % 2 == 0 ? T{0} : std::numeric_limits<T>::max();
    }
    return bytes_of_values(values);
}

/// Around [-1, 3]: inside and outside, on edges and beside them, NaN and infinities.
Bytes floats(std::size_t count, const std::vector<float>& edges, Content content) {
    std::mt19937 random(12);
    std::uniform_real_distribution<float> uniform(-1.5f, 3.5f);
    const float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        const float edge = edges[random() % edges.size()];
        if (content == Content::random) values[i] = uniform(random);
        if (content == Content::constant) values[i] = edges.back();
        if (content == Content::smooth) values[i] = -1.2f + static_cast<float>(i % 1000) / 200.0f;
        if (content == Content::alternating) {
            const float cases[] = {
                edge, std::nextafter(edge, infinity), std::nextafter(edge, -infinity), std::nanf(""), infinity, -infinity};
            values[i] = cases[i % 6];
        }
    }
    return bytes_of_values(values);
}

Bytes image_of(const HistogramSpec& spec, Content content) {
    const auto count = static_cast<std::size_t>(spec.count());
    if (spec.type == ElementType::u8) return integers<std::uint8_t>(count, content);
    if (spec.type == ElementType::u16) return integers<std::uint16_t>(count, content);
    return floats(count, spec.edges, content);
}

Bytes mask_of(const HistogramSpec& spec) {
    std::mt19937 random(13);
    Bytes mask(static_cast<std::size_t>(spec.pixels));
    for (std::byte& m : mask) m = random() % 3 == 0 ? std::byte{0} : static_cast<std::byte>(1 + random() % 255);
    return mask;
}

HistogramSpec spec_for(ElementType type, std::int64_t pixels, int bins, int channels = 1, bool masked = false) {
    HistogramSpec spec{type, pixels, channels, bins, masked, {}};
    if (type == ElementType::f32) spec.edges = edges_of({-1, 3}, bins);
    return spec;
}

std::string text(const HistogramSpec& s) {
    return fmt::format("{} {} pixels x {}, {} bins{}", to_string(s.type), s.pixels, s.channels, s.bins, s.masked ? ", mask" : "");
}

struct Way {
    std::string name;
    std::function<std::string(const HistogramSpec&, host::Context&)> why_not;
    std::function<std::unique_ptr<Histogram>(PlanBuilder&, const HistogramSpec&)> make;
};

/// Every way of counting, and the shapes that a GPU would take where this is a CPU.
std::vector<Way> ways() {
    const auto always = [](const HistogramSpec&, host::Context&) { return std::string(); };
    return {{"replicated", replicated_why_not, [](PlanBuilder& b, const HistogramSpec& s) { return make_replicated(b, s); }},
            {"replicated 128 x 32", replicated_why_not,
             [](PlanBuilder& b, const HistogramSpec& s) {
                 return make_replicated(b, s, {128, 32, 2, 3});
             }},
            {"local_atomics", local_why_not, [](PlanBuilder& b, const HistogramSpec& s) { return make_local_atomics(b, s, {}); }},
            {"local_atomics 64", local_why_not,
             [](PlanBuilder& b, const HistogramSpec& s) {
                 return make_local_atomics(b, s, {64, 1, 1, 2});
             }},
            {"local_atomics in halves",
             [](const HistogramSpec&, host::Context& context) -> std::string {
                 return context.info().local_memory >= 49152 ? "" : "48 KiB";
             },
             [](PlanBuilder& b, const HistogramSpec& s) {
                 return make_local_atomics(b, s, {128, 1, 8, 2, 16});
             }},
            {"global_atomics", always, [](PlanBuilder& b, const HistogramSpec& s) { return make_global_atomics(b, s, 64); }},
            {"byte_counters", byte_counters_why_not,
             [](PlanBuilder& b, const HistogramSpec& s) { return make_byte_counters(b, s, 64); }},
            {"tagged", tagged_why_not, [](PlanBuilder& b, const HistogramSpec& s) { return make_tagged(b, s, 256); }}};
}

class Bench {
public:
    explicit Bench(const tests::DevicePtr& device) : context_(tests::open_for_test(device)), queue_(context_->create_queue()) {}
    host::Context& context() { return *context_; }

    /// Counts twice on one plan; the second run must not add to the first. Guards around the counts must not change.
    std::vector<std::uint32_t> run(const Way& way, const HistogramSpec& spec, const Bytes& image, const Bytes& mask) {
        PlanBuilder builder(*context_, *queue_);
        const auto histogram = way.make(builder, spec);
        std::vector<host::Buffer> workspace;
        for (const std::size_t bytes : builder.slots()) workspace.push_back(context_->allocate(bytes));
        const std::size_t guard = std::max<std::size_t>(context_->info().base_align, 4096);
        const std::size_t bytes = static_cast<std::size_t>(spec.slots()) * sizeof(std::uint32_t);
        const std::vector<unsigned char> pattern(guard + bytes + guard, 0xA5);
        const host::Buffer whole = context_->allocate(pattern.size());
        queue_->write(whole, 0, pattern.data(), pattern.size()).wait();
        const host::Buffer counts = whole.sub(guard, bytes), input = upload(image), selected = spec.masked ? upload(mask) : input;
        Profiler profiler;
        Execution execution(*queue_, profiler, workspace);
        for (int i = 0; i < 2; ++i) histogram->enqueue(execution, input, selected, counts);
        queue_->finish();
        std::vector<unsigned char> after(pattern.size());
        queue_->read(whole, 0, after.data(), after.size()).wait();
        CHECK(std::equal(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(guard), pattern.begin()));
        CHECK(std::equal(after.end() - static_cast<std::ptrdiff_t>(guard), after.end(), pattern.begin()));
        std::vector<std::uint32_t> result(static_cast<std::size_t>(spec.slots()));
        std::memcpy(result.data(), after.data() + guard, bytes);
        return result;
    }

    /// All ways that take `spec`, on every kind of data.
    void check(const HistogramSpec& spec, std::initializer_list<Content> contents) {
        CAPTURE(text(spec));
        const Bytes mask = spec.masked ? mask_of(spec) : Bytes();
        for (const Content content : contents) {
            CAPTURE(content_names[static_cast<int>(content)]);
            const Bytes image = image_of(spec, content);
            const std::vector<std::uint32_t> want =
                reference_histogram(spec, image.data(), spec.masked ? mask.data() : nullptr, 0, spec.pixels);
            int ran = 0;
            for (const Way& way : ways()) {
                if (!way.why_not(spec, *context_).empty()) continue;
                CAPTURE(way.name);
                ++ran;
                CHECK(run(way, spec, image, mask) == want);
            }
            CHECK(ran >= 3);
        }
    }

private:
    host::Buffer upload(const Bytes& bytes) {
        const host::Buffer buffer = context_->allocate(bytes.size());
        queue_->write(buffer, 0, bytes.data(), bytes.size()).wait();
        return buffer;
    }

    std::shared_ptr<host::Context> context_;
    std::unique_ptr<host::Queue> queue_;
};

template <class Body>
void each_device(Body&& body) {
    for (const auto& device : tests::kernel_devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        body(bench);
    }
}

constexpr std::initializer_list<Content> all = {Content::random, Content::constant, Content::smooth, Content::alternating};

Problem problem_of(const Algorithm& algorithm, const char* json, ArrayDescs inputs) {
    return {std::move(inputs), algorithm.parameters.parse(Json::parse(json), ""), {"histogram"}};
}

}  // namespace

TEST_CASE("the reference histogram counts what is known") {
    const std::vector<std::uint8_t> levels = {0, 63, 64, 127, 128, 191, 192, 255, 255};
    const auto* image = reinterpret_cast<const std::byte*>(levels.data());
    CHECK(reference_histogram(spec_for(ElementType::u8, 9, 4), image, nullptr, 0, 9) == std::vector<std::uint32_t>{2, 2, 2, 3});
    // 256 / 3 is no integer: 0..85, 86..170, 171..255, as numpy.histogram(..., bins=3, range=(0, 256)) has it.
    const std::vector<std::uint8_t> thirds = {0, 85, 86, 170, 171, 255};
    CHECK(reference_histogram(spec_for(ElementType::u8, 6, 3), reinterpret_cast<const std::byte*>(thirds.data()), nullptr, 0,
                              6) == std::vector<std::uint32_t>{2, 2, 2});
    const std::vector<std::uint8_t> mask = {1, 0, 0, 0, 0, 0, 0, 255, 2};
    CHECK(reference_histogram(spec_for(ElementType::u8, 9, 4, 1, true), image, reinterpret_cast<const std::byte*>(mask.data()), 0,
                              9) == std::vector<std::uint32_t>{1, 0, 0, 2});
    CHECK(reference_histogram(spec_for(ElementType::u8, 3, 4, 3), image, nullptr, 0, 3) ==
          std::vector<std::uint32_t>{1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1});
}

TEST_CASE("f32: lower edges belong to a bin, the last edge to the last one; outside and NaN to none") {
    const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
    const std::vector<float> values = {
        -1.0f, 0.0f, std::nextafter(0.0f, -1.0f), 3.0f, std::nextafter(3.0f, 4.0f), std::nextafter(-1.0f, -2.0f), nan, inf, -inf};
    CHECK(reference_histogram(spec_for(ElementType::f32, 9, 4), reinterpret_cast<const std::byte*>(values.data()), nullptr, 0,
                              9) == std::vector<std::uint32_t>{2, 1, 0, 1});
    CHECK(edges_of({0, 1}, 3) == std::vector<float>{0.0f, 1.0f / 3, static_cast<float>(2 * (1.0 / 3)), 1.0f});
}

TEST_CASE("every way of counting: a few small images") {   // fit for a simulator that checks every access
    each_device([](Bench& bench) {
        for (const std::int64_t pixels : {1, 15, 17, 2083}) bench.check(spec_for(ElementType::u8, pixels, 64), {Content::random});
        bench.check(spec_for(ElementType::u8, 701, 256, 4, true), {Content::random});
        bench.check(spec_for(ElementType::u16, 701, 9001), {Content::random});
        bench.check(spec_for(ElementType::f32, 701, 256), {Content::alternating});
    });
}

TEST_CASE("every way of counting: u8 of every size around vectors and groups") {
    each_device([](Bench& bench) {
        for (const std::int64_t pixels : {1, 2, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 4093, 65537, 1000003})
            bench.check(spec_for(ElementType::u8, pixels, 256), {Content::random, Content::constant});
        bench.check(spec_for(ElementType::u8, 300007, 256), all);
        for (const std::int64_t pixels : {1, 16, 239, 15361, 300007}) bench.check(spec_for(ElementType::u8, pixels, 64), all);
        bench.check(spec_for(ElementType::u8, 5003, 3), {Content::random, Content::smooth});
    });
}

TEST_CASE("every way of counting: channels and masks") {
    each_device([](Bench& bench) {
        for (const auto& [channels, masked] : {std::pair{2, false}, {3, true}, {4, false}})
            for (const std::int64_t pixels : {1, 5, 4999})
                bench.check(spec_for(ElementType::u8, pixels, 256, channels, masked), {Content::random});
    });
}

TEST_CASE("every way of counting: u16, few bins and all") {
    each_device([](Bench& bench) {
        bench.check(spec_for(ElementType::u16, 100003, 65536), all);
        bench.check(spec_for(ElementType::u16, 7, 65536), {Content::random});
        bench.check(spec_for(ElementType::u16, 30011, 9001),
                    {Content::random, Content::smooth});   // ranges that do not come out even
    });
}

TEST_CASE("counters of 16 bits hold more than 65,535") {
    each_device([](Bench& bench) {
        if (bench.context().info().local_memory < 49152) return;
        const Way halves{"halves", {}, [](PlanBuilder& b, const HistogramSpec& s) {
                             return make_local_atomics(b, s, {128, 1, 4, 1, 16});
                         }};
        // A group has 70,000 elements and more, all in one bin, in two that share a word, or in runs of three.
        const std::int64_t pixels = 70000 * std::int64_t{std::max(bench.context().info().compute_units, 1u)} + 5;
        const HistogramSpec spec = spec_for(ElementType::u16, pixels, 65536);
        for (const int kind : {0, 1, 2}) {
            std::vector<std::uint16_t> values(static_cast<std::size_t>(pixels));
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<std::uint16_t>(kind == 0 ? 65535 : kind == 1 ? 40000 + i % 2 : 21844 + i / 3 % 4);
            const Bytes image = bytes_of_values(values);
            CHECK(bench.run(halves, spec, image, {}) == reference_histogram(spec, image.data(), nullptr, 0, pixels));
        }
    });
}

TEST_CASE("every way of counting: f32 inside, outside and on the edges") {
    each_device([](Bench& bench) {
        for (const std::int64_t pixels : {1, 3, 4, 5, 30011}) bench.check(spec_for(ElementType::f32, pixels, 256), all);
        bench.check(spec_for(ElementType::f32, 30011, 60000), {Content::random, Content::alternating});
        HistogramSpec narrow = spec_for(ElementType::f32, 5003, 1000);   // bins a few steps of f32 wide
        narrow.edges = edges_of({1000, 1001}, 1000);
        bench.check(narrow, {Content::alternating});
    });
}

TEST_CASE("histogram as an algorithm: shapes and wrong requests") {
    const Algorithm algorithm = make_histogram();
    const auto infer = [&](const char* json, const ArrayDesc& image) {
        return algorithm.infer(problem_of(algorithm, json, {{"image", image}})).at("histogram");
    };
    const ArrayDesc grey = ArrayDesc::dense(ElementType::u8, {{'y', 6}, {'x', 8}});
    const ArrayDesc colour = ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 6}, {'x', 8}, {'c', 3}});
    const ArrayDesc real = grey.with_type(ElementType::f32);
    CHECK(infer("{}", grey) == ArrayDesc::dense(ElementType::u32, {{'x', 256}}));
    CHECK(infer("{}", colour) == ArrayDesc::dense(ElementType::u32, {{'c', 3}, {'x', 256}}));
    CHECK(infer("{}", grey.with_type(ElementType::u16)).size('x') == 65536);
    CHECK(infer(R"({"bins": 10, "range": {"low": -1, "high": 1}})", real).size('x') == 10);

    const auto refused = [&](const char* json, const ArrayDesc& image, const char* pointer) {
        CAPTURE(json);
        CAPTURE(image.describe());
        try {
            infer(json, image);
            FAIL("not refused");
        } catch (const ConfigError& e) {
            CHECK(e.pointer == pointer);
        }
    };
    refused("{}", real, "/range");
    refused(R"({"range": {"low": 1, "high": 1}})", real, "/range");
    refused(R"({"range": {"low": 0, "high": 1e39}})", real, "/range");
    refused(R"({"range": {"low": 0, "high": 1}})", grey, "/range");
    refused(R"({"bins": 65536, "range": {"low": 1000, "high": 1001}})", real, "/bins");
    refused(R"({"bins": 257})", grey, "/bins");
    refused("{}", grey.with_type(ElementType::i32), "/inputs/image");
    refused("{}", ArrayDesc::dense(ElementType::u8, {{'y', 0}, {'x', 8}}), "/inputs/image");
    refused("{}", ArrayDesc::dense(ElementType::u8, {{'c', 3}, {'y', 6}, {'x', 8}}), "/inputs/image");
    refused("{}", ArrayDesc::dense(ElementType::u8, {{'y', 6}, {'x', 8}, {'c', 5}}), "/inputs/image");
    refused("{}", ArrayDesc::dense(ElementType::u8, {{'y', 65536}, {'x', 65536}}), "/inputs/image");

    const auto masked = [&](const ArrayDesc& image, const ArrayDesc& mask) {
        algorithm.infer(problem_of(algorithm, "{}", {{"image", image}, {"mask", mask}}));
    };
    CHECK_NOTHROW(masked(grey, grey.with_type(ElementType::boolean)));
    CHECK_NOTHROW(masked(colour, ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 6}, {'x', 8}})));
    CHECK_THROWS_AS(masked(grey, real), ConfigError);
    CHECK_THROWS_AS(masked(colour, colour), ConfigError);
}

TEST_CASE("byte_counters and replicated refuse what they cannot count, with a reason") {
    each_device([](Bench& bench) {
        CHECK(byte_counters_why_not(spec_for(ElementType::u8, 9, 256), bench.context()).find("64 bins only") !=
              std::string::npos);
        CHECK(byte_counters_why_not(spec_for(ElementType::u8, 9, 64, 3), bench.context()).find("one channel") !=
              std::string::npos);
        CHECK(byte_counters_why_not(spec_for(ElementType::u8, 9, 64, 1, true), bench.context()).find("mask") !=
              std::string::npos);
        CHECK(replicated_why_not(spec_for(ElementType::u16, 9, 65536), bench.context()).find("32 KiB") != std::string::npos);
    });
}

TEST_CASE("histogram as an algorithm: every variant that supports a problem gives the same counts") {
    const Algorithm algorithm = make_histogram();
    std::set<std::string> seen;
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        const std::shared_ptr<host::Context> context = tests::open_for_test(device);
        const auto queue = context->create_queue();
        struct Case { const char* json; ArrayDesc image; bool masked; };
        const Case cases[] = {
            {R"({"bins": 64})", ArrayDesc::dense(ElementType::u8, {{'z', 3}, {'y', 31}, {'x', 17}}), false},
            {"{}", ArrayDesc::dense(ElementType::u8, {{'y', 31}, {'x', 17}, {'c', 3}}), true},
            {"{}", ArrayDesc::dense(ElementType::u16, {{'y', 31}, {'x', 17}}), false},
            {R"({"range": {"low": -1, "high": 3}})", ArrayDesc::dense(ElementType::f32, {{'y', 31}, {'x', 17}}), true}};
        for (const Case& c : cases) {
            ArrayDescs inputs{{"image", c.image}};
            ArrayDesc mask_desc = ArrayDesc::dense(ElementType::u8, {{'y', 31}, {'x', 17}});
            if (c.masked) inputs.emplace("mask", mask_desc);
            const Problem problem = problem_of(algorithm, c.json, inputs);
            const HistogramSpec spec = spec_of(problem);
            CAPTURE(text(spec));
            const Bytes image = image_of(spec, Content::random), mask = mask_of(spec);
            const std::vector<std::uint32_t> want =
                reference_histogram(spec, image.data(), c.masked ? mask.data() : nullptr, 0, spec.pixels);
            for (const Variant& variant : algorithm.variants) {
                if (std::find(variant.backends.begin(), variant.backends.end(), context->info().backend) ==
                    variant.backends.end())
                    continue;
                if (!variant.supports(problem, *context)) continue;
                CAPTURE(variant.name);
                seen.insert(variant.name);
                PlanBuilder builder(*context, *queue);
                const auto plan = variant.plan(builder, problem, Policy::defaults(variant.policy));
                Bindings bindings;
                bindings.inputs["image"].buffer = context->allocate(image.size());
                queue->write(bindings.input("image"), 0, image.data(), image.size()).wait();
                if (c.masked) {
                    bindings.inputs["mask"].buffer = context->allocate(mask.size());
                    queue->write(bindings.input("mask"), 0, mask.data(), mask.size()).wait();
                }
                const std::size_t bytes = want.size() * sizeof(std::uint32_t);
                bindings.outputs["histogram"].buffer = context->allocate(bytes);
                Profiler profiler;
                Execution execution(*queue, profiler, {});
                plan->enqueue(execution, bindings);
                std::vector<std::uint32_t> out(want.size());
                queue->read(bindings.output("histogram"), 0, out.data(), bytes).wait();
                CHECK(out == want);
            }
        }
    }
    CHECK(seen.size() >= 2);
}
