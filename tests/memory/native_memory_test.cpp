// What C++ on the native device takes while it runs is what plans say: the host's memory is planned by it, and a job that would
// take more is refused before it begins. Problems are drawn for every variant, and each allocation of a run is counted.
#include "core/session.hpp"
#include "io/io.hpp"
#include "parallax/host/device.hpp"
#include "registry/registry.hpp"
#include "seed.hpp"
#include "sizes/draw.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <string>

#if defined(__GLIBC__)

#include <malloc.h>

namespace {

std::atomic<std::int64_t> taken{0}, most{0};

void* counted(std::size_t bytes) noexcept {
    void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) return nullptr;
    const std::int64_t now = taken += static_cast<std::int64_t>(malloc_usable_size(memory));
    for (std::int64_t before = most; now > before && !most.compare_exchange_weak(before, now);) {
    }
    return memory;
}

void give_back(void* memory) noexcept {
    if (memory != nullptr) taken -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
}

}  // namespace

// Of this whole program; arrays of devices are none of it.
void* operator new(std::size_t bytes) {
    if (void* const memory = counted(bytes)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { give_back(memory); }

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace {

constexpr std::int64_t slack = 2 << 20;   // records, names, and tables of 65,536 levels

struct Memory {
    std::int64_t planned = 0, taken = 0;
};

/// Of a second run: the first makes the plan.
std::optional<Memory> memory_of(Engine& engine, const Algorithm& algorithm, const Variant& variant, const sizes::Draw& draw) {
    Session session(engine);
    Call call;
    call.algorithm = &algorithm;
    call.parameters = algorithm.parameters.parse(draw.parameters, "");
    call.variant = variant.name;
    call.outputs = draw.outputs;
    Problem problem{draw.shapes(), call.parameters, draw.outputs};
    if (draw.outputs.empty() || !variant.supports(problem, engine.context())) return std::nullopt;
    PlanBuilder builder(engine.context(), session.queue());
    const auto plan = variant.plan(builder, problem, Policy());
    Memory memory;
    for (const std::size_t bytes : builder.workspace()) memory.planned += static_cast<std::int64_t>(bytes);
    for (const auto& [name, desc] : problem.inputs) {
        const HostArray array = sizes::make_array(draw.inputs.at(name));
        DeviceArray& input = call.inputs[name];
        input.desc = desc;
        input.buffer = engine.context().allocate(desc.dense_bytes());
        session.queue().write(input.buffer, 0, array.data(), desc.dense_bytes()).wait();
    }
    std::map<std::string, DeviceArray, std::less<>> into;
    for (const auto& [name, desc] : algorithm.infer(problem)) {
        into[name].desc = desc;
        into[name].buffer = engine.context().allocate(desc.dense_bytes());
    }
    session.run(call, into);
    const std::int64_t before = taken;
    most = before;
    const CallResult result = session.run(call, into);
    memory.taken = most - before;
    constexpr std::int64_t of_a_value = 80;   // of a record's list, which may have one for each slice: as it is made, and as JSON
    for (const auto& [name, record] : result.records.items()) memory.planned += of_a_value * static_cast<std::int64_t>(record.size());
    return memory;
}

}  // namespace

TEST_CASE("many small arrays are combined in the memory that is planned, which their number and size bound") {
    for (const auto& [count, side] : {std::pair<std::size_t, std::int64_t>{20000, 8}, {300, 100}, {3, 300}, {1, 1}}) {
        CAPTURE(count);
        const ArrayDesc desc = ArrayDesc::dense(ElementType::u8, {{'y', side}, {'x', side}});
        std::vector<HostArray> arrays;
        for (std::size_t i = 0; i < count; ++i) {
            arrays.push_back(HostArray::make(desc));
            std::fill_n(arrays.back().as<std::uint8_t>(), side * side, static_cast<std::uint8_t>(i % 101));
        }
        for (const char* const how : {"mean", "median"}) {
            const std::int64_t before = taken;
            most = before;
            const HostArray one = io::combine(arrays, how);
            const auto planned = static_cast<std::int64_t>(io::bytes_to_combine(count, desc, how));
            CHECK(most - before <= planned);
            CHECK(planned <= static_cast<std::int64_t>(count) * (side * side * 6 + 1500) + (40 << 20));
            if (count == 20000) CHECK(one.as<float>()[63] == doctest::Approx(how == std::string("mean") ? 49.99505 : 50));
        }
    }
}

TEST_CASE("drawn at random: native variants take the memory that is planned, and no more") {
    const auto native = host::enumerate().native();
    REQUIRE(native != nullptr);
    const int draws = drawn_count(3);
    Engine engine(*native, Registry(all_algorithms()), {host::ProgramCache::open()});
    sizes::Bounds bounds;
    bounds.backend = host::Backend::native;
    bounds.elements = 1 << 19;
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    int ran = 0;
    for (const Algorithm& algorithm : engine.registry().algorithms()) {
        for (int i = 0; i < draws; ++i) {
            sizes::Random random(seed, static_cast<std::uint64_t>(i));
            const auto draw = sizes::draw_problem(random, algorithm, bounds);
            if (!draw) continue;
            for (const Variant& variant : algorithm.variants) {
                const auto& backends = variant.backends;
                if (std::find(backends.begin(), backends.end(), host::Backend::native) == backends.end()) continue;
                CAPTURE(draw->describe());
                CAPTURE(draw->to_json().dump());
                CAPTURE(variant.name);
                try {
                    const auto memory = memory_of(engine, algorithm, variant, *draw);
                    if (!memory) continue;
                    ++ran;
                    CHECK(memory->taken <= memory->planned + slack);
                } catch (const Error&) {   // no problem after all
                }
            }
        }
    }
    CHECK(ran > 40);
}

#endif
