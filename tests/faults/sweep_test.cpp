// Every OpenCL call of a set of jobs is made to fail, one after another. Whatever the call, the job either ends with all
// its outputs, equal to those of a run without faults, or throws one of Parallax's errors, names call, step and hint, and
// leaves no file and no OpenCL object.
#include "devices.hpp"
#include "faults.hpp"
#include "jobs.hpp"
#include "peers/peers.hpp"

#include <CL/cl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::tests::faults;

namespace {

struct Outcome {
    bool done = false, retried = false;
    std::string error;
};

struct Counts {
    long calls = 0, faults = 0, errors = 0, survived = 0, retried = 0;
};

/// PARALLAX_FAULT_STRIDE=1 fails every call; the quick suite takes some of them.
long stride() {
    const char* const given = std::getenv("PARALLAX_FAULT_STRIDE");
    return given != nullptr ? std::max(1L, std::atol(given)) : 11;
}

Outcome run_once(const DevicePtr& device, const std::shared_ptr<host::ProgramCache>& cache, const engine::Prepared& prepared) {
    Outcome outcome;
    try {
        engine::Engine engine(*device, engine::registry_with_peers(), {cache});
        outcome.retried = !engine::run(prepared, engine).retried.empty();
        outcome.done = true;
    } catch (const DeviceError& error) {
        outcome.error = error.what();
        CHECK_MESSAGE(!error.call.empty(), outcome.error);
        CHECK_MESSAGE(!error.step.empty(), outcome.error);
        CHECK_MESSAGE(!error.hint.empty(), outcome.error);
    } catch (const BuildError& error) {
        outcome.error = error.what();
        CHECK_MESSAGE(!error.file.empty(), outcome.error);
    } catch (const UnsupportedError& error) {   // no variant is left
        outcome.error = error.what();
    } catch (const std::exception& error) {
        FAIL_CHECK("an error of another kind: " << std::string(error.what()));
        outcome.error = error.what();
    }
    return outcome;
}

struct Sweep {
    int code = CL_OUT_OF_RESOURCES;
    Mode mode = Mode::once;
    long step = stride();
    bool retry = false;
    double step_timeout_s = 3600;   ///< 0: waits sleep in the driver instead of asking
    std::function<std::shared_ptr<host::ProgramCache>()> cache = [] { return host::ProgramCache::open(); };
};

/// Calls whose failure is the device's.
bool brings_the_device_down(const std::string& call) {
    return call.starts_with("clEnqueue") || call == "clFlush" || call == "clFinish" || call == "clWaitForEvents";
}

Counts sweep(const DevicePtr& device, const Subject& subject, const Sweep& with) {
    const Layer layer;
    const Workshop workshop;
    engine::Prepared prepared = workshop.prepare(subject);
    prepared.job.retry = with.retry;
    prepared.resolved.pipeline.limits.step_timeout_s = with.step_timeout_s;
    run_once(device, with.cache(), prepared);   // compiles what there is to compile
    workshop.clear();
    const Live before = layer.live();
    layer.disarm();
    const Outcome sound = run_once(device, with.cache(), prepared);
    REQUIRE_MESSAGE(sound.done, subject.name << ": " << sound.error);
    Counts counts{.calls = layer.calls()};
    const auto wanted = workshop.outputs();
    REQUIRE(!wanted.empty());
    Live alive = before;
    REQUIRE(layer.live() == alive);
    workshop.clear();

    for (long nth = 1; nth <= counts.calls; nth += with.step) {
        layer.arm(nth, with.code, with.mode);
        const Outcome outcome = run_once(device, with.cache(), prepared);
        const std::string failed = layer.failed();
        layer.disarm();
        CAPTURE(std::string(subject.name));
        CAPTURE(nth);
        CAPTURE(failed);
        CAPTURE(outcome.error);
        ++counts.faults;
        ++(outcome.done ? counts.survived : counts.errors);
        counts.retried += outcome.retried ? 1 : 0;
        if (outcome.done) CHECK_MESSAGE(workshop.outputs() == wanted, "the outputs differ");
        else CHECK_MESSAGE(workshop.outputs().empty(), "a partial output");
        // A mapping, or an unmapping when nothing is left to lose, has no second try; neither has a query's wait.
        if (with.retry && with.mode == Mode::once && brings_the_device_down(failed) && failed != "clEnqueueMapBuffer")
            CHECK(outcome.done);
        // A driver that can neither take, end nor await a transfer keeps its memory, and so the context: see host::InFlight.
        if (with.mode == Mode::once || !(brings_the_device_down(failed) || failed == "clGetEventInfo"))
            CHECK(describe(layer.live()) == describe(alive));
        alive = layer.live();
        workshop.clear();
    }
    return counts;
}

void sweep_all(const Sweep& with) {
    for (const DevicePtr& device : kernel_devices_under_test())
        for (const Subject& subject : subjects()) {
            const Counts counts = sweep(device, subject, with);
            MESSAGE(fmt::format("{}: {} calls, {} faults, {} errors, {} runs that ended well, {} of them at the second try",
                                std::string(subject.name), counts.calls, counts.faults, counts.errors, counts.survived,
                                counts.retried));
        }
}

}  // namespace

TEST_CASE("faults: a call that fails once") { sweep_all({}); }

TEST_CASE("faults: a call that fails once, where waits sleep in the driver") {
    sweep_all({.step = 2 * stride() + 1, .step_timeout_s = 0});
}

TEST_CASE("faults: a device that fails once costs a second try") { sweep_all({.step = stride() + 2, .retry = true}); }

TEST_CASE("faults: calls that fail from one on, as when a device is lost") {
    sweep_all({.code = CL_DEVICE_NOT_AVAILABLE, .mode = Mode::from_then_on, .step = stride() + 2, .retry = true});
}

TEST_CASE("faults: memory that runs out") { sweep_all({.code = CL_MEM_OBJECT_ALLOCATION_FAILURE, .step = 3 * stride()}); }

TEST_CASE("faults: while programs are built from their text") {
    for (const DevicePtr& device : kernel_devices_under_test())
        sweep(device, subjects()[2],
              {.code = CL_OUT_OF_HOST_MEMORY, .step = 3 * stride(), .cache = [] { return host::ProgramCache::open("off"); }});
}

TEST_CASE("faults: while devices are listed") {
    const Layer layer;
    const std::size_t devices = host::enumerate().devices.size();
    layer.disarm();
    host::enumerate();
    const long calls = layer.calls();
    for (const Mode mode : {Mode::once, Mode::from_then_on})
        for (long nth = 1; nth <= calls; ++nth) {
            layer.arm(nth, CL_OUT_OF_HOST_MEMORY, mode);
            const host::Inventory inventory = host::enumerate();   // what fails is listed, not thrown
            CAPTURE(nth);
            CAPTURE(layer.failed());
            layer.disarm();
            REQUIRE(!inventory.devices.empty());
            CHECK(inventory.devices.back()->info().backend == host::Backend::native);
            if (inventory.devices.size() < devices) CHECK(!inventory.problems.empty());
        }
    MESSAGE(fmt::format("enumerate: {} calls, each failed once and from then on", calls));
}
