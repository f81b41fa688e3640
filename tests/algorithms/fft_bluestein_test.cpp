// Bluestein's transforms: their convolutions, the slabs that they go by, the memory that they take.
#include "algorithms/fft/chirp.hpp"
#include "core/choice.hpp"
#include "core/memory_share.hpp"
#include "fft_bench.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::fft;
using namespace parallax::tests::transforms;

TEST_CASE("Bluestein's convolution is at least twice as long, of lines that fill sectors of memory; slabs take each line once") {
    for (const std::int64_t n : {4099, 7237, 14857, 1000003, 2000003}) {
        CAPTURE(n);
        const auto passes = convolution_passes(n);
        REQUIRE(passes);
        CHECK(passes->points() >= 2 * n - 1);
        CHECK(static_cast<double>(passes->points()) < 2.3 * static_cast<double>(n));
        CHECK(passes->ends % 8 == 0);
        CHECK(passes->middle % 4 == 0);
        CHECK(std::max(passes->ends, passes->middle) <= 2048);
    }
    CHECK_FALSE(convolution_passes(4000037));   // the way of many passes
    for (const AxisShape shape : {AxisShape{7, 5, 1}, AxisShape{2, 5, 11}}) {
        std::vector<int> taken(static_cast<std::size_t>(shape.elements()));
        each_slab(shape.n, shape.unit == 1, shape.images, shape.unit, 3, [&](const Slab& slab) {
            for (std::int64_t s = 0; s < slab.images; ++s)
                for (std::int64_t y = 0; y < shape.n; ++y)
                    for (std::int64_t x = 0; x < slab.width; ++x)
                        ++taken.at(static_cast<std::size_t>(slab.origin + s * slab.image_stride + y * slab.point_stride + x));
        });
        CHECK(std::all_of(taken.begin(), taken.end(), [](int times) { return times == 1; }));
    }
}

TEST_CASE("Bluestein's slabs are a small share of a device's memory, and no larger than it allocates at once") {
    constexpr std::uint64_t mib = 1 << 20, much = 65536 * mib;
    constexpr std::int64_t m = 15360;
    constexpr std::uint64_t line = m * sizeof(FloatComplex);
    const auto lines = [&](std::uint64_t memory, std::uint64_t largest, const AxisShape& shape, std::uint64_t most) {
        host::DeviceInfo device;
        device.global_memory = memory, device.max_allocation = largest;
        return slab_lines(device, shape, m, most);
    };
    const auto held = [&](std::uint64_t bytes) { return static_cast<std::int64_t>(bytes / line); };
    const AxisShape rows{4345, 7237, 1}, columns{1, 7237, 4345};
    for (const AxisShape& shape : {rows, columns}) {
        CHECK(lines(much, much, shape, passes_bytes) == held(256 * mib));
        CHECK(lines(much, much, shape, slabs_bytes) == held(64 * mib));
        CHECK(lines(0, 0, shape, passes_bytes) == held(256 * mib));   // a driver that says nothing
        CHECK(lines(2048 * mib, 2048 * mib, shape, passes_bytes) == held(128 * mib));
        CHECK(lines(much, 100 * mib, shape, passes_bytes) == held(100 * mib));
        CHECK(lines(much, 32 * mib, shape, slabs_bytes) == held(32 * mib));
        CHECK(lines(much, 5 * line, shape, passes_bytes) == 5);
        CHECK(lines(much, line - 1, shape, passes_bytes) == 1);
    }
    CHECK(lines(32 * line, much, rows, passes_bytes) == 2);
    CHECK(lines(32 * line, much, columns, passes_bytes) == 8);   // whole sectors of memory
    CHECK(lines(much, much, {5, 7237, 1}, passes_bytes) == 5);
    CHECK(lines(much, much, {2, 7237, 3}, passes_bytes) == 8);
    const AxisShape large{60000, 7237, 1};   // 6.5 GiB, there and back
    CHECK(lines(7168 * mib, much, large, passes_bytes) == held(256 * mib));
    CHECK(lines(6700 * mib, much, large, passes_bytes) == held(64 * mib));
    CHECK(lines(6000 * mib, much, large, passes_bytes) == held(64 * mib));
}

TEST_CASE("Bluestein's workspace is a small share of what a job may take of the device") {
    const Algorithm algorithm = make_fft();
    const auto radix = std::find_if(algorithm.variants.begin(), algorithm.variants.end(),
                                    [](const Variant& variant) { return variant.name == "radix"; });
    REQUIRE(radix != algorithm.variants.end());
    Problem problem;
    problem.inputs = {{"array", ArrayDesc::dense(ElementType::c64, {{'y', 4345}, {'x', 7237}})}};
    problem.parameters = algorithm.parameters.parse(Json{{"dimensions", 1}}, "");
    problem.outputs = {"array"};
    each_device([&](Bench& bench) {
        const host::DeviceInfo& device = bench.context().info();
        for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{600} << 20}) {   // two arrays of 240 MiB each
            problem.memory = limit;
            Choice choice;
            choice.variant = &*radix;
            choice.policy = Policy::defaults(radix->policy);
            const PlanMade made = make_plan(bench.context(), *bench.queue(), problem, choice);
            REQUIRE_FALSE(made.builder->slots().empty());
            for (const std::size_t bytes : made.builder->slots()) {
                CHECK(bytes <= small_share(limit > 0 ? std::min(limit, device.global_memory) : device.global_memory));
                CHECK(bytes <= device.max_allocation);
            }
        }
    });
}

TEST_CASE("radix: Bluestein by many passes, where three do not reach") {
    each_device([](Bench& bench) { bench.check(radix(), {2100001, 1, 1}, Direction::forward); });
}
