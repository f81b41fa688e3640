// Every OpenCL call of a set of jobs is made to fail, one after another. Whatever the call, the job either ends with all
// its outputs, equal to those of a run without faults, or throws one of Parallax's errors, names call, step and hint, and
// leaves no file and no OpenCL object.
#include "devices.hpp"
#include "faults.hpp"
#include "jobs.hpp"

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
    bool done = false;
    std::string error;
};

struct Counts {
    long calls = 0, faults = 0, errors = 0, survived = 0;
};

/// PARALLAX_FAULT_STRIDE=1 fails every call; the quick suite takes some of them.
long stride() {
    const char* const given = std::getenv("PARALLAX_FAULT_STRIDE");
    return given != nullptr ? std::max(1L, std::atol(given)) : 11;
}

Outcome run_once(const DevicePtr& device, const std::shared_ptr<host::ProgramCache>& cache, const engine::Prepared& prepared) {
    Outcome outcome;
    try {
        engine::Engine engine(*device, {cache});
        engine::run(prepared, engine);
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

Counts sweep(const DevicePtr& device, const Subject& subject, const std::function<std::shared_ptr<host::ProgramCache>()>& cache, int code, Mode mode,
             long step) {
    const Layer layer;
    const Workshop workshop;
    const engine::Prepared prepared = workshop.prepare(subject);
    run_once(device, cache(), prepared);   // compiles what there is to compile
    workshop.clear();
    const Live before = layer.live();
    layer.disarm();
    REQUIRE(run_once(device, cache(), prepared).done);
    Counts counts{.calls = layer.calls()};
    const auto wanted = workshop.outputs();
    REQUIRE(!wanted.empty());
    Live alive = before;
    REQUIRE(layer.live() == alive);
    workshop.clear();

    for (long nth = 1; nth <= counts.calls; nth += step) {
        layer.arm(nth, code, mode);
        const Outcome outcome = run_once(device, cache(), prepared);
        const std::string failed = layer.failed();
        layer.disarm();
        CAPTURE(std::string(subject.name));
        CAPTURE(nth);
        CAPTURE(failed);
        CAPTURE(outcome.error);
        ++counts.faults;
        ++(outcome.done ? counts.survived : counts.errors);
        if (outcome.done) CHECK_MESSAGE(workshop.outputs() == wanted, "the outputs differ");
        else CHECK_MESSAGE(workshop.outputs().empty(), "a partial output");
        // A driver that can neither take, end nor await a transfer keeps its memory, and so the context: see host::InFlight.
        static const std::set<std::string> keeping{"clEnqueueWriteBuffer", "clEnqueueReadBuffer", "clFlush", "clFinish", "clWaitForEvents"};
        if (mode == Mode::once || !keeping.contains(failed)) CHECK(describe(layer.live()) == describe(alive));
        alive = layer.live();
        workshop.clear();
    }
    return counts;
}

const auto on_disk = [] { return host::ProgramCache::open(); };
const auto nowhere = [] { return host::ProgramCache::open("off"); };

void report(const char* what, const Counts& counts) {
    MESSAGE(fmt::format("{}: {} calls, {} faults, {} errors, {} runs that ended well", what, counts.calls, counts.faults, counts.errors, counts.survived));
}

}  // namespace

TEST_CASE("faults: a call that fails once") {
    for (const DevicePtr& device : kernel_devices_under_test())
        for (const Subject& subject : subjects()) report(subject.name, sweep(device, subject, on_disk, CL_OUT_OF_RESOURCES, Mode::once, stride()));
}

TEST_CASE("faults: calls that fail from one on, as when a device is lost") {
    for (const DevicePtr& device : kernel_devices_under_test())
        for (const Subject& subject : subjects())
            report(subject.name, sweep(device, subject, on_disk, CL_DEVICE_NOT_AVAILABLE, Mode::from_then_on, stride() + 2));
}

TEST_CASE("faults: memory that runs out") {
    for (const DevicePtr& device : kernel_devices_under_test())
        for (const Subject& subject : subjects())
            report(subject.name, sweep(device, subject, on_disk, CL_MEM_OBJECT_ALLOCATION_FAILURE, Mode::once, 3 * stride()));
}

TEST_CASE("faults: while programs are built from their text") {
    for (const DevicePtr& device : kernel_devices_under_test())
        report("equalize", sweep(device, subjects()[2], nowhere, CL_OUT_OF_HOST_MEMORY, Mode::once, 3 * stride()));
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
