// What may wait for the device, and what must not; and the memory that is kept meanwhile.
#include "api/support.hpp"

#include <CL/cl.h>

#include <array>
#include <cmath>
#include <future>
#include <optional>

using namespace parallax;
using namespace parallax::tests;
using namespace std::chrono_literals;

namespace {

/// Commands that wait for it begin when it is opened.
class Gate {
public:
    explicit Gate(Session& session) {
        const Array there = session.allocate(ArrayDesc::dense(ElementType::u8, {{'x', 16}}));
        if (there.opencl() == nullptr) return;
        cl_context context = nullptr;
        REQUIRE(clGetMemObjectInfo(reinterpret_cast<cl_mem>(there.opencl()), CL_MEM_CONTEXT, sizeof context,
                                   static_cast<void*>(&context), nullptr) == CL_SUCCESS);
        cl_int status = 0;
        event_ = clCreateUserEvent(context, &status);
        if (status != CL_SUCCESS) event_ = nullptr;
    }
    ~Gate() {
        open();
        if (event_ != nullptr) clReleaseEvent(event_);
    }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    /// False where the device has none.
    explicit operator bool() const noexcept { return event_ != nullptr; }
    Event event(Session& session) const { return session.wrap(reinterpret_cast<_cl_event*>(event_)); }
    void open() {
        if (event_ != nullptr && !std::exchange(open_, true)) clSetUserEventStatus(event_, CL_COMPLETE);
    }

private:
    cl_event event_ = nullptr;
    bool open_ = false;
};

/// A device with a frame on it.
struct Place {
    explicit Place(const std::string& spec)
        : engine({.device = spec}), session(engine), frame(session.upload(View(ramp(96 * 128), {{'y', 96}, {'x', 128}}))) {}
    Engine engine;
    Session session;
    Array frame;
};

Call hologram_call(const Array& frame, double distance_um, std::vector<Event> wait = {},
                   HologramParameters::Padding padding = HologramParameters::Padding::auto_) {
    HologramParameters parameters{.wavelength_nm = 532, .pixel_um = 2, .distance_um = distance_um};
    parameters.padding = padding;
    Call made = call(parameters, {{"hologram", frame}});
    made.options.wait = std::move(wait);
    return made;
}

double mean_difference(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    return sum / static_cast<double>(a.size());
}

}  // namespace

TEST_CASE("calls that differ in a value that travels with the launch alone each have their own") {
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        Place place(spec);
        auto& [engine, session, frame] = place;
        std::vector<std::vector<float>> alone;
        for (const double distance : {500.0, 900.0, 1300.0}) {
            Session own(engine);
            alone.push_back(values<float>(own, own.run(hologram_call(frame, distance)).array("amplitude")));
        }
        CHECK(mean_difference(alone[0], alone[1]) > 0);
        std::vector<Pending> pending;
        for (const double distance : {500.0, 900.0, 1300.0, 500.0})
            pending.push_back(session.submit(hologram_call(frame, distance)));
        for (std::size_t i = 0; i < pending.size(); ++i) {
            CAPTURE(i);
            CHECK(values<float>(session, pending[i].get().array("amplitude")) == alone[i % 3]);
        }
        // Two steps of one job share a plan.
        Job job;
        job.step(HologramParameters{.wavelength_nm = 532, .pixel_um = 2, .distance_um = 500},
                 {.id = "near", .in = {{"hologram", "frame"}}, .out = {{"amplitude", "a"}}})
            .step(HologramParameters{.wavelength_nm = 532, .pixel_um = 2, .distance_um = 900},
                  {.id = "far", .in = {{"hologram", "frame"}}, .out = {{"amplitude", "b"}}})
            .output("a")
            .output("b");
        const Result both = session.run(job, {{"frame", frame}});
        CHECK(values<float>(session, both.array("a")) == alone[0]);
        CHECK(values<float>(session, both.array("b")) == alone[1]);
    }
}

TEST_CASE("a job on arrays keeps to its memory_limit: planes of a stack go one after the other where there is room for no more") {
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const auto amplitudes = [&](const std::string& limit) {
            Engine engine({.device = spec});
            Session session(engine);
            const Array frame = session.upload(View(ramp(256 * 256), {{'y', 256}, {'x', 256}}));
            Job job;
            job.step("hologram", R"({"wavelength_nm": 532, "pixel_um": 2, "padding": "none",
                                     "distance_um": {"from": 100, "to": 300, "step": 10}})",
                     {.in = {{"hologram", "frame"}}, .variant = "fused"})
                .output("amplitude")
                .set("memory_limit=\"" + limit + "\"");
            return values<float>(session, session.run(job, {{"frame", frame}}).array("amplitude"));
        };
        std::vector<float> wide;
        try {
            wide = amplitudes("1 GB");
        } catch (const UnsupportedError& error) {
            MESSAGE("not here: " << error.what());
            continue;
        }
        const std::vector<float> close = amplitudes("7.5 MB");   // 5.6 of arrays, .5 a plane
        REQUIRE(close.size() == 21 * 256 * 256);
        REQUIRE(wide.size() == close.size());
        for (std::size_t i = 0; i < close.size(); ++i) REQUIRE(close[i] == doctest::Approx(wide[i]).epsilon(1e-4));
    }
}

TEST_CASE("submit returns while what is before it has not begun: new values, new shapes, gaps and views") {
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        Place place(spec);
        auto& [engine, session, frame] = place;
        session.run(hologram_call(frame, 500));
        Gate gate(session);
        if (!gate) continue;
        const std::vector<std::uint8_t> wide = ramp(64 * 100);
        const HostArray pinned = session.pinned(ArrayDesc::dense(ElementType::u8, {{'y', 32}, {'x', 48}}));
        std::fill_n(pinned.memory.get(), pinned.desc.dense_bytes(), std::byte{7});
        ArrayDesc gaps = ArrayDesc::dense(ElementType::u8, {{'y', 64}, {'x', 90}});
        gaps.axes[0].stride = 100;

        std::vector<Pending> pending;
        const auto submitting = std::async(std::launch::async, [&] {
            pending.push_back(session.submit(hologram_call(frame, 700, {gate.event(session)})));
            pending.push_back(session.submit(hologram_call(frame, 900)));
            pending.push_back(session.submit(call(BoxFilterParameters{.radius = {2}}, {{"image", frame}})));   // not prepared
            pending.push_back(session.submit(call(BoxFilterParameters{.radius = {2}}, {{"image", View(gaps, wide.data())}})));
            pending.push_back(session.submit(call(BoxFilterParameters{.radius = {1}}, {{"image", View(pinned)}})));
            pending.push_back(session.submit(call(ReduceParameters{}, {{"array", frame}})));   // a record
        });
        const bool returned = submitting.wait_for(120s) == std::future_status::ready;
        const bool waited =
            returned && std::none_of(pending.begin(), pending.end(), [](const Pending& p) { return p.done().complete(); });
        gate.open();
        submitting.wait();
        CHECK(returned);
        CHECK(waited);
        for (Pending& p : pending) CHECK_NOTHROW(p.get());
    }
}

TEST_CASE("whoever waits for a result keeps nobody else from the session") {
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        Place place(spec);
        auto& [engine, session, frame] = place;
        session.run(call(BoxFilterParameters{}, {{"image", frame}}));
        Gate gate(session);
        if (!gate) continue;
        Call first = call(BoxFilterParameters{}, {{"image", frame}});
        first.options.wait = {gate.event(session)};
        Pending pending = session.submit(first);
        auto getting = std::async(std::launch::async, [&] { pending.get(); });
        std::this_thread::sleep_for(50ms);
        auto submitting = std::async(std::launch::async, [&] {
            return session.submit(call(BoxFilterParameters{}, {{"image", frame}}));
        });
        const bool returned = submitting.wait_for(30s) == std::future_status::ready;
        gate.open();
        CHECK(returned);
        getting.get();
        submitting.get().get();
    }
}

TEST_CASE("on the native device, too, submit returns before the work has ended") {
    const Engine engine({.device = "native"});
    Session session(engine);
    const Array frame = session.upload(View(ramp(512 * 512), {{'y', 512}, {'x', 512}}));
    Pending slow = session.submit(call(DiffusionLbParameters{.iterations = 400}, {{"image", frame}}));
    CHECK_FALSE(slow.done().complete());
    Pending next = session.submit(call(BoxFilterParameters{}, {{"image", frame}}));
    const auto filtered = values<std::uint8_t>(session, next.get().array("image"));
    CHECK(slow.done().complete());
    slow.get();
    // A token reaches what was submitted and has not begun.
    const CancelToken token;
    Pending busy = session.submit(DiffusionLbParameters{.iterations = 400}, {{"image", frame}}),
            waiting = session.submit(BoxFilterParameters{}, {{"image", frame}}, {.cancel = token});
    token.cancel();
    CHECK_THROWS_AS(waiting.get(), CancelledError);
    CHECK_NOTHROW(busy.get());
    CHECK(filtered == values<std::uint8_t>(session, session.run(call(BoxFilterParameters{}, {{"image", frame}})).array("image")));
}

TEST_CASE("a token reaches what was submitted, between two launches") {
    const std::vector<float> image(256 * 256, 1.0f);
    const DiffusionLbParameters hours{.iterations = 1000000, .sigma = 0}, few{.iterations = 2, .sigma = 0};
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Engine engine({.device = spec});
        if (engine.device().backend == host::Backend::native) continue;   // one task, which nothing ends
        Session session(engine), other(engine);
        const Array array = session.upload(View(image, {{'y', 256}, {'x', 256}}));
        session.run(call(few, {{"image", array}}));
        for (const int ms : {0, 50}) {
            CAPTURE(ms);
            const CancelToken token;
            Pending pending = session.submit(call(hours, {{"image", array}}, {.cancel = token}));
            CHECK(pending.arrays().count("image") == 1);
            CHECK_FALSE(pending.done().complete());
            std::this_thread::sleep_for(std::chrono::milliseconds(ms));
            token.cancel();
            CHECK_THROWS_AS(pending.get(), CancelledError);
            CHECK_THROWS_AS(pending.done().wait(), CancelledError);
            CHECK_THROWS_AS(other.submit(call(few, {{"image", array}}, {.wait = {pending.done()}})), CancelledError);
            CHECK(values<float>(session, session.run(call(few, {{"image", array}})).array("image")) == image);
        }
        // One that nobody cancels; its end is another session's beginning, and whoever forgets it harms nobody.
        const CancelToken token;
        Pending good =
            session.submit(call(DiffusionLbParameters{.iterations = 300, .sigma = 0}, {{"image", array}}, {.cancel = token}));
        Pending after = other.submit(call(few, {{"image", good.arrays().at("image")}}, {.wait = {good.done()}}));
        CHECK(values<float>(other, after.get().array("image")) == image);
        CHECK(good.get().arrays.count("image") == 1);
        session.submit(call(DiffusionLbParameters{.iterations = 300, .sigma = 0}, {{"image", array}}, {.cancel = token}));
        {
            Session gone(engine);
            gone.submit(call(DiffusionLbParameters{.iterations = 300, .sigma = 0}, {{"image", array}}, {.cancel = token}));
        }
        CHECK(values<float>(session, session.run(call(few, {{"image", array}})).array("image")) == image);
    }
}

TEST_CASE("plans of many shapes stay within their budget, and go before an allocation fails") {
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const auto run = [](Session& session, std::int64_t width) {
            const Array frame = session.upload(View(ramp(static_cast<std::size_t>(64 * width)), {{'y', 64}, {'x', width}}));
            return values<float>(
                session, session.run(hologram_call(frame, 500, {}, HologramParameters::Padding::mean)).array("amplitude"));
        };   // by the mean: plans that hold a table
        const auto held_after = [&](const EngineOptions& options) {
            const Engine engine(options);
            Session session(engine);
            for (std::int64_t width = 64; width < 64 + 12 * 8; width += 8) run(session, width);
            const std::uint64_t before = engine.allocated();
            const std::uint64_t freed = engine.trim();
            CHECK(engine.allocated() + freed == before);
            session.trim();
            CHECK(engine.allocated() == 0);
            CHECK(run(session, 64) == run(session, 64));   // and goes on
            return std::pair(before, freed);
        };
        const auto [all, plans] = held_after({.device = spec});
        if (plans == 0) continue;   // plans of this device hold nothing
        const std::uint64_t one = plans / 12 + 1;
        const auto [bounded, few] = held_after({.device = spec, .plan_memory = 3 * one});
        CHECK(few <= 3 * one + one);
        CHECK(bounded < all);
        // With little memory in all, another session's plans go, too.
        constexpr std::uint64_t arrays = 2 * 64 * 152 * sizeof(float);   // a frame of the widest, and its result
        const Engine tight(
            {.device = spec, .memory_limit = 2 * (all - plans + arrays) + 4 * one});   // each has its own workspace
        Session first(tight), second(tight);
        for (std::int64_t width = 64; width < 64 + 12 * 8; width += 8)
            CHECK_NOTHROW(run(width % 16 == 0 ? first : second, width));
        CHECK_THROWS_AS(first.allocate(ArrayDesc::dense(ElementType::u8, {{'x', static_cast<std::int64_t>(all * 16)}})),
                        DeviceError);
        CHECK_NOTHROW(run(first, 64));
    }
}
