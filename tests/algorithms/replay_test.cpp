// Chains of launches that come again are replayed: with the results of launches one by one, whatever else comes between, and
// never with memory that another owner has by then.
#include "devices.hpp"
#include "seed.hpp"

#include "core/session.hpp"
#include "registry/registry.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <random>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace {

using Arrays = std::map<std::string, DeviceArray, std::less<>>;

HostArray random_image(ElementType type, std::int64_t height, std::int64_t width, std::uint64_t seed) {
    HostArray image = HostArray::make(ArrayDesc::dense(type, {{'y', height}, {'x', width}}));
    std::mt19937_64 random(seed);
    for (std::int64_t i = 0; i < image.desc.count(); ++i) {
        if (type == ElementType::f32) image.as<float>()[i] = static_cast<float>(random() % 1000) / 10;
        else image.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(random());
    }
    return image;
}

struct Kind {
    const char* algorithm;
    ElementType type;
    Json parameters;
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> list{
        {"equalize", ElementType::u8, Json::object()},
        {"diffusion_lb", ElementType::u8, {{"iterations", 130}}},
        {"diffusion_lb", ElementType::f32, {{"iterations", 65}, {"update_edges_every", 3}}},
        {"hologram", ElementType::u8, {{"wavelength_nm", 532}, {"pixel_um", 1.4}, {"distance_um", 800}}},
        {"histogram", ElementType::u8, Json::object()},
        {"box_filter", ElementType::u8, {{"radius", 3}}},
    };
    return list;
}

Call call_of(Engine& engine, const Kind& kind, DeviceArray input) {
    Call call;
    call.algorithm = &engine.registry().get(kind.algorithm);
    call.parameters = call.algorithm->parameters.parse(kind.parameters, "");
    call.inputs.emplace(call.algorithm->inputs.front().name, std::move(input));
    return call;
}

bool same(const HostArray& a, const HostArray& b) {
    return a.desc == b.desc && std::memcmp(a.data(), b.data(), a.desc.dense_bytes()) == 0;
}

HostArray only_output(Session& session, const CallResult& result) { return session.download(result.outputs.begin()->second); }

/// Launches that were started by fewer commands: rows of several names, or of several calls.
bool has_row(const std::vector<Stage>& stages, std::string_view part) {
    for (const Stage& stage : stages)
        if (stage.name.find(part) != std::string::npos || has_row(stage.children, part)) return true;
    return false;
}

}  // namespace

TEST_CASE("replay: a chain that comes again gives what its launches gave, on other images, too") {
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        Engine engine(open_for_test(device), Registry(all_algorithms()));
        for (const Kind& kind : kinds()) {
            CAPTURE(std::string(kind.algorithm));
            CAPTURE(kind.parameters.dump());
            Session plain(engine), session(engine);
            session.replay(Replay::everywhere);
            const DeviceArray input = session.upload(random_image(kind.type, 61, 83, 1));
            const Call call = call_of(engine, kind, input);
            const Arrays into = session.run(call).outputs;
            for (std::uint64_t seed = 2; seed < 6; ++seed) {
                CAPTURE(seed);
                const HostArray image = random_image(kind.type, 61, 83, seed);
                session.queue().write(input.buffer, 0, image.data(), image.desc.dense_bytes()).wait();
                const HostArray right = only_output(plain, plain.run(call_of(engine, kind, plain.upload(image))));
                CHECK(same(only_output(session, session.run(call, into)), right));
            }
        }
    }
}

TEST_CASE("replay: launches stay in their order when a chain is over") {
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        Engine engine(open_for_test(device), Registry(all_algorithms()));
        Session session(engine);
        PlanBuilder builder(engine.context(), session.queue());
        // planes[2] = the place of the greatest of two values, or of the least
        const auto kernel = builder.kernel({"hologram/focus.cl", {}}, "focus_best");
        const host::Buffer values = builder.constant(std::vector<float>{5, 7}), planes = builder.state(3 * sizeof(std::uint32_t));
        for (const Replay which : {Replay::one_stage, Replay::short_ones, Replay::everywhere}) {
            CAPTURE(static_cast<int>(which));
            Profiler profiler;
            Recordings recordings;
            for (int call = 0; call < 3; ++call) {
                Execution x(session.queue(), profiler, {});
                x.replay(recordings, which);
                const auto launch = [&](const char* stage, std::int32_t maximum) {
                    x.launch(stage, *kernel, {}, {}, {values, planes, std::uint32_t{2}, maximum});
                };
                {
                    auto chain = x.chain();
                    for (int i = 0; i < 3; ++i) launch("chain", 1);
                    chain.close();
                    launch("after it", 1);
                }
                launch("later", 0);
                x.end_of_launches();
                std::uint32_t best = 9;
                session.queue().read(planes, 2 * sizeof best, &best, sizeof best).wait();
                CHECK(best == 0);
            }
        }
    }
}

TEST_CASE("replay: what stands between two chains of a call stays between them") {
    // Planes this large go one after the other through the same memory, and an even number of steps leaves a plane where the next
    // one begins.
    constexpr std::int64_t side = 4104;
    HostArray both = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'t', 2}, {'y', side}, {'x', side}}));
    std::mt19937_64 random(drawn_seed());
    for (std::int64_t i = 0; i < both.desc.count(); ++i)
        both.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i % side / 64 * 37 + i / side / 64 * 91 + random() % 16);
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        if (device->info().platform == "rusticl") continue;   // minutes of a processor
        Engine engine(open_for_test(device), Registry(all_algorithms()));
        const Kind kind{"diffusion_lb", ElementType::u8, {{"iterations", 2}}};
        for (const Replay replay : {Replay::one_stage, Replay::short_ones, Replay::everywhere}) {
            CAPTURE(static_cast<int>(replay));
            Session session(engine);
            session.replay(replay);
            const HostArray together = only_output(session, session.run(call_of(engine, kind, session.upload(both))));
            for (std::int64_t plane = 0; plane < 2; ++plane) {
                HostArray one = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', side}, {'x', side}}));
                std::memcpy(one.data(), both.data() + plane * side * side, side * side);
                const HostArray alone = only_output(session, session.run(call_of(engine, kind, session.upload(one))));
                CHECK(std::memcmp(alone.data(), together.data() + plane * side * side, side * side) == 0);
            }
        }
    }
}

TEST_CASE("replay: a row of the report names what was started together, where the device can") {
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        Engine engine(open_for_test(device), Registry(all_algorithms()));
        Session session(engine);
        session.replay(Replay::everywhere);
        const Call call = call_of(engine, kinds().front(), session.upload(random_image(ElementType::u8, 64, 64, 1)));
        const Arrays into = session.run(call).outputs;
        CHECK_FALSE(has_row(session.profiler().collect(), ", map"));
        for (int i = 0; i < 2; ++i) {
            session.profiler().clear();
            session.run(call, into);
        }
        const std::vector<Stage> stages = session.profiler().collect();
        CHECK(has_row(stages, ", map") == engine.context().capabilities().recordings);
        REQUIRE(stages.size() == 1);
        CHECK(stages.front().name == "equalize");

        // Whoever does not ask for it keeps a row for each, but for steps of one kind, which lose none.
        Session other(engine);
        for (int i = 0; i < 3; ++i) {
            other.profiler().clear();
            other.run(call, into);
        }
        CHECK_FALSE(has_row(other.profiler().collect(), ", map"));
    }
}

TEST_CASE("replay: calls by turns, with arrays that come and go at addresses of others") {
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    CAPTURE(seed);
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        std::mt19937_64 random(seed);
        Engine engine(open_for_test(device), Registry(all_algorithms()));
        Session plain(engine), session(engine);
        session.replay(Replay::everywhere);
        struct Slot {
            DeviceArray input;
            Arrays into;
        };
        std::map<std::size_t, std::vector<Slot>> kept;
        for (int turn = 0; turn < 80; ++turn) {
            CAPTURE(turn);
            const std::size_t which = random() % kinds().size();
            const Kind& kind = kinds()[which];
            CAPTURE(std::string(kind.algorithm));
            const HostArray image = random_image(kind.type, 40, 52, random());
            std::vector<Slot>& slots = kept[which];
            if (slots.size() > 2 && random() % 4 == 0)
                slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(random() % slots.size()));
            if (random() % 16 == 0) session.trim();
            const bool is_new = slots.empty() || (slots.size() < 3 && random() % 5 == 0);
            if (is_new) slots.push_back({session.upload(image), {}});
            Slot& slot = is_new ? slots.back() : slots[random() % slots.size()];
            session.queue().write(slot.input.buffer, 0, image.data(), image.desc.dense_bytes()).wait();
            const CallResult result = session.run(call_of(engine, kind, slot.input), slot.into);
            slot.into = result.outputs;
            CHECK(same(only_output(session, result), only_output(plain, plain.run(call_of(engine, kind, plain.upload(image))))));
        }
    }
}
