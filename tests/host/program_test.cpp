// Building, caching and rebuilding programs, end to end on every device that runs kernels.
#include "devices.hpp"
#include "opencl/native.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/implementation.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace parallax;
using namespace parallax::host;
using namespace parallax::tests;

namespace {

std::string kernel_text(const std::string& value) {
    return "#include \"prelude/prelude.clh\"\n#ifndef ADD\n#define ADD 0\n#endif\nKERNEL void answer(GLOBAL uint* data) {\n    "
           "data[0] = " +
           value + " + ADD;\n}\n";
}

std::uint32_t answer(Context& context, Program& program) {
    const auto kernel = program.kernel("answer");
    const auto queue = context.create_queue();
    const Buffer buffer = context.allocate(4);
    queue->launch({.kernel = *kernel, .groups = {}, .local = {}, .args = std::array<Arg, 1>{buffer}});
    std::uint32_t value = 0;
    queue->read(buffer, 0, &value, 4).wait();
    return value;
}

std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (!entry.path().filename().string().starts_with("launch-"))
            files.push_back(entry.path());   // first_launch_test.cpp is for those
    return files;
}

}  // namespace

TEST_CASE("a program is built once, then comes from memory, then from disk") {
    const KernelFolder kernels({{"test/answer.cl", kernel_text("42")}});
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        const TemporaryFolder folder;
        std::string hash;
        {
            const auto context = device->open({ProgramCache::open(folder.path().string())});
            const auto first = context->build({"test/answer.cl", {}});
            CHECK(first->origin() == "built");
            CHECK(first->build_seconds() > 0);
            hash = first->hash();
            const auto again = context->build({"test/answer.cl", {}});
            CHECK(again->origin() == "memory");
            CHECK(again->build_seconds() == 0);
            CHECK(again->hash() == hash);
            CHECK(answer(*context, *again) == 42);
            const auto other = context->build({"test/answer.cl", Defines().add("ADD", 1)});
            CHECK(other->origin() == "built");
            CHECK(other->hash() != hash);
            CHECK(answer(*context, *other) == 43);
            CHECK(entries(folder.path()).size() == 2);
        }
        const auto context = device->open({ProgramCache::open(folder.path().string())});
        const auto stored = context->build({"test/answer.cl", {}});
        CHECK(stored->origin() == "disk");
        CHECK(stored->hash() == hash);
        CHECK(answer(*context, *stored) == 42);
        const auto uncached = device->open({});
        CHECK(uncached->build({"test/answer.cl", {}})->origin() == "built");
    }
}

TEST_CASE("a damaged entry is never handed to the driver: the program is built again and stored again") {
    const KernelFolder kernels({{"test/answer.cl", kernel_text("42")}});
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        const TemporaryFolder folder;
        const auto open = [&] { return device->open({ProgramCache::open(folder.path().string())}); };
        open()->build({"test/answer.cl", {}});
        REQUIRE(entries(folder.path()).size() == 1);
        const fs::path path = entries(folder.path()).front();
        const std::string sound = read_text(path);
        std::string flipped = sound;
        flipped[sound.size() / 2] = static_cast<char>(flipped[sound.size() / 2] ^ 1);
        for (const std::string& damage :
             {sound.substr(0, sound.size() / 2), sound.substr(0, 50), std::string(), flipped, sound + sound}) {
            write_text(path, damage);
            const auto context = open();
            const auto program = context->build({"test/answer.cl", {}});
            CHECK(program->origin() == "built");
            CHECK(answer(*context, *program) == 42);
            CHECK(open()->build({"test/answer.cl", {}})->origin() == "disk");
        }
        // Sound as an entry, but nothing that the driver would take.
        const auto cache = ProgramCache::open(folder.path().string());
        const std::string key = path.stem().string();
        const std::string nonsense = "not a program binary";
        cache->store(key, std::vector<unsigned char>(nonsense.begin(), nonsense.end()));
        if (is_pocl(device->info()) || device->info().platform == "NVIDIA CUDA" ||
            device->info().backend == Backend::cuda) {
            // The others abort the process on such bytes, which only this engine could have written.
            const auto context = open();
            const auto program = context->build({"test/answer.cl", {}});
            CHECK(program->origin() == "built");
            CHECK(answer(*context, *program) == 42);
            CHECK(open()->build({"test/answer.cl", {}})->origin() == "disk");
        }
    }
}

TEST_CASE("a place that cannot be written costs nothing but the second build") {
    const KernelFolder kernels({{"test/answer.cl", kernel_text("42")}});
    const TemporaryFolder folder;
    write_text(folder.path() / "file", "x");
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        const auto context = device->open({ProgramCache::open((folder.path() / "file" / "x").string())});
        const auto program = context->build({"test/answer.cl", {}});
        CHECK(answer(*context, *program) == 42);
    }
}

TEST_CASE("PARALLAX_KERNEL_DIR overrides the embedded kernels, and an edited file is a new program") {
    const KernelFolder kernels({{"test/answer.cl", kernel_text("1")}});
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        write_text(kernels.path() / "test/answer.cl", kernel_text("1"));
        const auto context = open_for_test(device);
        CHECK(answer(*context, *context->build({"test/answer.cl", {}})) == 1);
        write_text(kernels.path() / "test/answer.cl", kernel_text("2"));
        CHECK(answer(*context, *context->build({"test/answer.cl", {}})) == 2);
        const ScopedVariable embedded("PARALLAX_KERNEL_DIR", std::nullopt);
        CHECK_THROWS_AS(context->build({"test/answer.cl", {}}), IoError);
    }
}

TEST_CASE("a build error shows file, line, options and log") {
    const KernelFolder kernels(
        {{"test/bad.cl",
          "#include \"prelude/prelude.clh\"\n\n#include \"test/part.clh\"\nKERNEL void a(GLOBAL float* x) { x[0] = part(); }\n"},
         {"test/part.clh", "// a comment\nINLINE float part() {\n    return undeclared_name;\n}\n"},
         {"test/late.cl",
          "#include \"prelude/prelude.clh\"\n#include \"test/good.clh\"\n#include \"test/good.clh\"\nKERNEL void a(GLOBAL float* "
          "x) {\n    x[0] = good() +;\n}\n"},
         {"test/good.clh", "#ifndef GOOD\n#define GOOD\nINLINE float good() { return 1; }\n#endif\n"}});
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        const TemporaryFolder folder;
        const auto context = device->open({ProgramCache::open(folder.path().string())});
        for (int attempt = 0; attempt < 2; ++attempt) {   // a failure is not remembered as a success
            try {
                context->build({"test/bad.cl", Defines().add("N", 7)});
                FAIL("no BuildError");
            } catch (const BuildError& error) {
                CAPTURE(error.what());
                CHECK(error.file == "test/part.clh");
                CHECK(error.line == 3);
                CHECK(error.options.find("-DN=7") != std::string::npos);
                CHECK(error.log.find("undeclared_name") != std::string::npos);
                CHECK(std::string(error.what()).find("test/part.clh:3") == 0);
            }
        }
        try {
            context->build({"test/late.cl", {}});
            FAIL("no BuildError");
        } catch (const BuildError& error) {
            CHECK(error.file == "test/late.cl");
            CHECK(error.line == 5);
        }
        CHECK(entries(folder.path()).empty());
    }
}

TEST_CASE("threads that want the same program get one build") {
    const KernelFolder kernels({{"test/answer.cl", kernel_text("42")}});
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        if (!bears_threads(*device)) {
            MESSAGE("skipped: this driver does not bear threads");
            continue;
        }
        const auto context = device->open({});
        std::atomic<int> built{0}, right{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 6; ++i)
            threads.emplace_back([&, i] {
                const auto program = context->build({"test/answer.cl", Defines().add("ADD", i % 2)});
                if (program->origin() == "built") ++built;
                if (answer(*context, *program) == 42u + static_cast<unsigned>(i % 2)) ++right;
            });
        for (std::thread& thread : threads) thread.join();
        CHECK(built == 2);
        CHECK(right == 6);
    }
}

TEST_CASE("foreign kernel text goes through the same cache, and the native door opens on OpenCL only") {
    for (const DevicePtr& device : devices_under_test()) {
        CAPTURE(device_label(*device));
        const TemporaryFolder folder;
        const std::string text = "__kernel void answer(__global uint* data) { data[0] = VALUE; }\n";
        const auto context = device->open({ProgramCache::open(folder.path().string())});
        const auto queue = context->create_queue();
        const Buffer buffer = context->allocate(4);
        if (device->info().backend != Backend::opencl) {
            CHECK(opencl::context_handle(*context) == nullptr);
            CHECK(opencl::device_handle(*context) == nullptr);
            CHECK(opencl::platform_handle(*context) == nullptr);
            CHECK(opencl::queue_handle(*queue) == nullptr);
            CHECK(opencl::memory_handle(buffer) == nullptr);
            const std::uint32_t word = 0;
            CHECK(opencl::event_handle(queue->write(buffer, 0, &word, 4)) == nullptr);
            CHECK_THROWS_AS(opencl::build_text(*context, "foreign", text, ""), DeviceError);
            continue;
        }
        const auto program = opencl::build_text(*context, "foreign", text, "-DVALUE=5");
        CHECK(answer(*context, *program) == 5);
        CHECK(opencl::program_handle(*program) != nullptr);
        CHECK(opencl::context_handle(*context) != nullptr);
        CHECK(opencl::device_handle(*context) != nullptr);
        CHECK(opencl::platform_handle(*context) != nullptr);
        CHECK(opencl::memory_handle(buffer) != nullptr);
        CHECK(opencl::kernel_handle(*program->kernel("answer")) != nullptr);
        const auto fresh = device->open({ProgramCache::open(folder.path().string())});
        CHECK(opencl::build_text(*fresh, "foreign", text, "-DVALUE=5")->origin() == "disk");
        try {
            opencl::build_text(*context, "foreign", text, "");
            FAIL("no BuildError");
        } catch (const BuildError& error) {
            CHECK(error.file == "foreign");
        }
        cl_event marker = nullptr;
        REQUIRE(clEnqueueMarkerWithWaitList(opencl::queue_handle(*queue), 0, nullptr, &marker) == CL_SUCCESS);
        const Event event = opencl::make_event(*queue, marker, "marker");
        event.wait();
        CHECK(event.complete());
        CHECK(opencl::event_handle(event) == marker);
    }
}
