// A device that never answers, a context that has failed, and a run that is stopped half-way.
#include "devices.hpp"
#include "faults.hpp"
#include "jobs.hpp"
#include "peers/peers.hpp"

#include <CL/cl.h>

#include <chrono>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::tests::faults;

namespace {

/// Stalls the device while it lives.
class Stalled {
public:
    explicit Stalled(const Layer& layer) : layer_(layer) { layer_.stall(true); }
    ~Stalled() { layer_.stall(false); }
    Stalled(const Stalled&) = delete;
    Stalled& operator=(const Stalled&) = delete;

private:
    const Layer& layer_;
};

}  // namespace

TEST_CASE("watchdog: a device that does not answer is given up at any stage, and nothing waits for it") {
    const Layer layer;
    const Workshop workshop;
    for (const DevicePtr& device : kernel_devices_under_test()) {
        engine::Prepared prepared = workshop.prepare(subjects()[2]);
        prepared.resolved.pipeline.limits.step_timeout_s = 0.1;
        prepared.job.retry = false;
        for (const char* const stage : {"compute equalize", "computed equalize", "download "}) {
            CAPTURE(std::string(stage));
            engine::RunOptions options;
            std::unique_ptr<Stalled> stalled;
            options.progress = [&](const std::string& now, double) {
                if (now.starts_with(stage) && !stalled) stalled = std::make_unique<Stalled>(layer);
            };
            const auto start = std::chrono::steady_clock::now();
            auto engine = std::make_unique<engine::Engine>(*device, engine::registry_with_peers(),
                                                           host::ContextOptions{host::ProgramCache::open()});
            const auto error = error_of<DeviceError>([&] { engine::run(prepared, *engine, options); });
            CHECK(contains(error.what(), "within 0.1 s"));
            CHECK(contains(error.hint, "step_timeout_s"));
            CHECK(!error.step.empty());
            CHECK(contains(engine->context().failure(), "did not end within 0.1 s"));
            const auto refused = error_of<DeviceError>([&] { engine::run(prepared, *engine, options); });
            CHECK(contains(refused.hint, "is not used again"));
            engine.reset();   // does not wait either
            CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
            CHECK(workshop.outputs().empty());
            stalled.reset();
        }
        prepared.resolved.pipeline.limits.step_timeout_s = 600;
        engine::Engine engine(*device, engine::registry_with_peers(), {host::ProgramCache::open()});
        engine::run(prepared, engine);
        CHECK(workshop.outputs().size() == 2);
        workshop.clear();
    }
}

TEST_CASE("a device that hangs and then recovers: the second try succeeds in a fresh context") {
    const Layer layer;
    const Workshop workshop;
    for (const DevicePtr& device : kernel_devices_under_test()) {
        engine::Prepared prepared = workshop.prepare(subjects()[2]);
        prepared.resolved.pipeline.limits.step_timeout_s = 1;
        int tries = 0;
        std::unique_ptr<Stalled> stalled;
        engine::RunOptions options;
        options.progress = [&](const std::string& now, double) {
            if (now == "plan") stalled.reset();
            if (now != "compute equalize") return;
            if (++tries == 1) stalled = std::make_unique<Stalled>(layer);
        };
        engine::Engine engine(*device, engine::registry_with_peers(), {host::ProgramCache::open()});
        const host::Context* const first = &engine.context();
        const engine::JobResult result = engine::run(prepared, engine, options);
        CHECK(tries == 2);
        CHECK(contains(result.retried, "no answer"));
        CHECK(to_json(result).contains("retried"));
        CHECK(&engine.context() != first);
        CHECK(engine.context().failure().empty());
        CHECK(workshop.outputs().size() == 2);
        workshop.clear();
    }
}

TEST_CASE("stopped at any stage, a run on a device leaves no file and no object") {
    const Layer layer;
    const Workshop workshop;
    for (const DevicePtr& device : kernel_devices_under_test()) {
        const engine::Prepared prepared = workshop.prepare(subjects()[0]);
        const Live before = layer.live();
        std::size_t stages = 0;
        bool done = false;
        for (std::size_t stop = 1; !done; stop += 1 + stop / 16) {   // while it waits it asks as often as time allows
            REQUIRE(stop < 100000);
            stages = 0;
            engine::RunOptions options;
            options.cancelled = [&] { return ++stages == stop; };
            {
                engine::Engine engine(*device, engine::registry_with_peers(), {host::ProgramCache::open()});
                try {
                    engine::run(prepared, engine, options);
                    done = true;
                } catch (const Error& error) {
                    CHECK(contains(error.what(), "stopped on request"));
                    CHECK(workshop.outputs().empty());
                    CHECK(engine.context().allocated() == 0);
                }
            }
            CHECK(describe(layer.live()) == describe(before));
        }
        CHECK(stages > 5);
        workshop.clear();
    }
}

TEST_CASE("a context that has failed takes no more work") {
    const Layer layer;
    for (const DevicePtr& device : kernel_devices_under_test()) {
        const auto context = open_for_test(device);
        const auto queue = context->create_queue();
        const host::Buffer buffer = context->allocate(64);
        layer.arm(1, CL_OUT_OF_RESOURCES, Mode::once);
        CHECK_THROWS_AS(queue->finish("the step"), DeviceError);
        layer.disarm();
        CHECK(contains(context->failure(), "the step: clEnqueueMarkerWithWaitList gave CL_OUT_OF_RESOURCES"));
        char byte = 0;
        for (const auto& use : std::initializer_list<std::function<void()>>{
                 [&] { queue->write(buffer, 0, &byte, 1); }, [&] { queue->read(buffer, 0, &byte, 1); },
                 [&] { context->allocate(1); }, [&] { context->allocate_pinned(1); }, [&] { context->create_queue(); },
                 [&] {
                     context->build({"elementwise/copy_view.cl", {}});
                 }})
            CHECK(contains(error_of<DeviceError>(use).hint, "is not used again"));
        const auto fresh = context->reopen();
        REQUIRE(fresh);
        CHECK(fresh->failure().empty());
        fresh->create_queue()->finish();
    }
}
