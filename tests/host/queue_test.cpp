// Launches, transfers and events, on every device that runs kernels.
#include "devices.hpp"
#include "parallax/host/built_kernel.hpp"
#include "parallax/host/error.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <array>
#include <future>
#include <memory>
#include <numeric>

using namespace parallax;
using namespace parallax::host;
using namespace parallax::tests;

namespace {

const std::map<std::string, std::string> kernels_text{
    {"test/scale.cl",
     "#include \"prelude/prelude.clh\"\n"
     "#ifndef BIAS\n#define BIAS 0\n#endif\n"
     "KERNEL void scale(GLOBAL uint* data, uint count, uint factor) {\n"
     "    const uint i = (uint)get_global_id(0);\n"
     "    if (i < count) data[i] = data[i] * factor + BIAS;\n"
     "}\n"
     "KERNEL void place(GLOBAL uint* data) {\n"
     "    const size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);\n"
     "    data[i] = (uint)(get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2));\n"
     "}\n"
     "KERNEL REQUIRED_GROUP(4, 2, 1) void fixed(GLOBAL uint* data) {\n"
     "    data[get_local_id(1) * 4 + get_local_id(0)] = 7;\n"
     "}\n"
     "KERNEL REQUIRED_GROUP(64, 1, 1) void turned(GLOBAL uint* data) {\n"
     "    LOCAL_ARRAY(uint, row, 1024);\n"
     "    const uint item = (uint)get_local_id(0);\n"
     "    for (uint i = item; i < 1024; i += 64) row[i] = data[i];\n"
     "    BARRIER_LOCAL();\n"
     "    for (uint i = item; i < 1024; i += 64) data[i] = row[1023 - i];\n"
     "}\n"
     "KERNEL void vector(GLOBAL float* data, float2 pair, float4 quad) {\n"
     "    data[0] = pair.x; data[1] = pair.y; data[2] = quad.x; data[3] = quad.y; data[4] = quad.z; data[5] = quad.w;\n"
     "}\n"},
};

struct Bench {
    explicit Bench(const DevicePtr& device, bool profiled = true)
        : context(open_for_test(device)),
          queue(context->create_queue({profiled})),
          program(context->build({"test/scale.cl", {}})) {}
    std::vector<std::uint32_t> read(const Buffer& buffer) {
        std::vector<std::uint32_t> words(buffer.bytes() / 4);
        queue->read(buffer, 0, words.data(), buffer.bytes()).wait();
        return words;
    }
    Buffer upload(const std::vector<std::uint32_t>& words) {
        Buffer buffer = context->allocate(words.size() * 4);
        queue->write(buffer, 0, words.data(), buffer.bytes()).wait();
        return buffer;
    }
    std::shared_ptr<Context> context;
    std::unique_ptr<Queue> queue;
    std::shared_ptr<Program> program;
};

std::vector<std::uint32_t> counting(std::size_t size, std::uint32_t first = 0) {
    std::vector<std::uint32_t> words(size);
    std::iota(words.begin(), words.end(), first);
    return words;
}

template <class Work>
DeviceError device_error(Work&& work) {
    try {
        work();
    } catch (const DeviceError& error) {
        return error;
    }
    FAIL("no DeviceError");
    return DeviceError("", 0, "", "");
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a launch carries its arguments and runs every work-item") {
    const KernelFolder folder(kernels_text);
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        Bench bench(device);
        const auto scale = bench.program->kernel("scale");
        CHECK(scale->name() == "scale");
        CHECK(scale->max_work_group() >= 1);
        const Buffer data = bench.upload(counting(1000));
        for (const std::uint32_t factor : {3u, 5u})
            bench.queue->launch(
                {.kernel = *scale, .groups = {16}, .local = {64}, .args = std::array<Arg, 3>{data, 1000u, factor}});
        const auto result = bench.read(data);
        for (std::uint32_t i = 0; i < 1000; ++i) REQUIRE(result[i] == i * 15);

        const auto place = bench.program->kernel("place");
        const Buffer grid = bench.context->allocate(4 * 2 * 3 * 4 * 2 * 2);
        bench.queue->launch({.kernel = *place, .groups = {2, 3, 2}, .local = {2, 2, 2}, .args = std::array<Arg, 1>{grid}});
        const auto groups = bench.read(grid);
        for (std::uint32_t z = 0, i = 0; z < 4; ++z)
            for (std::uint32_t y = 0; y < 6; ++y)
                for (std::uint32_t x = 0; x < 4; ++x, ++i) REQUIRE(groups[i] == x / 2 + 10 * (y / 2) + 100 * (z / 2));

        struct alignas(8) Pair { float x, y; };
        struct alignas(16) Quad { float x, y, z, w; };
        const auto vector = bench.program->kernel("vector");
        const Buffer floats = bench.context->allocate(24);
        bench.queue->launch(
            {.kernel = *vector, .groups = {}, .local = {}, .args = std::array<Arg, 3>{floats, Pair{1, 2}, Quad{3, 4, 5, 6}}});
        std::array<float, 6> values{};
        bench.queue->read(floats, 0, values.data(), sizeof values).wait();
        CHECK(values == std::array<float, 6>{1, 2, 3, 4, 5, 6});
    }
}

TEST_CASE("transfers, copies and parts of buffers") {
    const KernelFolder folder(kernels_text);
    for (const DevicePtr& device : devices_under_test()) {
        CAPTURE(device_label(*device));
        const auto context = open_for_test(device);
        const auto queue = context->create_queue();
        const std::size_t align = device->info().base_align, words = align;   // 4 * align bytes
        const std::vector<std::uint32_t> source = counting(words, 100);
        const Buffer whole = context->allocate(words * 4), other = context->allocate(words * 4);
        CHECK(context->allocated() == words * 8);
        queue->write(whole, 0, source.data(), words * 4);
        queue->copy(whole, 0, other, 0, words * 4);
        std::vector<std::uint32_t> back(words);
        queue->read(other, 0, back.data(), words * 4).wait();
        CHECK(back == source);

        std::uint32_t value = 0;
        queue->read(whole, 4 * 3, &value, 4).wait();
        CHECK(value == 103);
        queue->copy(whole, 0, other, 8, 4).wait();
        queue->read(other, 8, &value, 4).wait();
        CHECK(value == 100);

        Buffer part = whole.sub(align, 2 * align);
        CHECK(part.bytes() == 2 * align);
        queue->read(part, 0, &value, 4).wait();
        CHECK(value == 100 + align / 4);
        const Buffer inner = part.sub(align, align);   // a part of a part
        queue->read(inner, 0, &value, 4).wait();
        CHECK(value == 100 + align / 2);
        value = 4242;
        queue->write(inner, 0, &value, 4).wait();
        queue->read(whole, 2 * align, &value, 4).wait();
        CHECK(value == 4242);
        CHECK(whole.sub(0, whole.bytes()).bytes() == whole.bytes());
        CHECK(whole.sub(align, 0).bytes() == 0);
        CHECK(whole.sub(4 * align, 0).bytes() == 0);
        CHECK(context->allocated() == words * 8);   // parts are not counted twice

        CHECK(has(device_error([&] { whole.sub(align, 4 * align); }).what(), "within the buffer"));
        CHECK(has(device_error([&] { part.sub(3 * align, 0); }).what(), "within the buffer"));
        CHECK(has(device_error([&] { whole.sub(1, 4); }).what(), "multiple"));
        for (const auto& [offset, bytes] :
             {std::pair<std::size_t, std::size_t>{words * 4, 1}, {words * 4 + 1, 0}, {0, words * 4 + 1}, {4, SIZE_MAX - 2}}) {
            CAPTURE(offset);
            CAPTURE(bytes);
            CHECK(has(device_error([&] { queue->write(whole, offset, source.data(), bytes, "upload frame"); }).what(),
                      "upload frame"));
            CHECK(has(device_error([&] { queue->read(whole, offset, back.data(), bytes); }).what(), "within the buffer"));
            CHECK(has(device_error([&] { queue->copy(whole, 0, other, offset, bytes); }).what(), "within the buffer"));
            CHECK(has(device_error([&] { queue->copy(whole, offset, other, 0, bytes); }).what(), "within the buffer"));
        }
        CHECK(has(device_error([&] { queue->read(Buffer(), 0, back.data(), 4); }).what(), "empty"));
        CHECK_THROWS_AS(queue->copy(whole, 0, whole, 4, 8), DeviceError);   // they overlap
        queue->finish();
    }
}

TEST_CASE("parts of buffers are kernel arguments of their own") {
    const KernelFolder folder(kernels_text);
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        Bench bench(device);
        const auto scale = bench.program->kernel("scale");
        const std::uint32_t words = device->info().base_align / 4;
        Buffer data = bench.upload(counting(3 * words, 1));
        Buffer part = data.sub(4 * words, 4 * words);
        data = Buffer();   // the part keeps the whole alive
        bench.queue->launch({.kernel = *scale, .groups = {words}, .local = {1}, .args = std::array<Arg, 3>{part, words, 2u}});
        const auto result = bench.read(part);
        for (std::uint32_t i = 0; i < words; ++i) REQUIRE(result[i] == 2 * (words + i + 1));
    }
}

TEST_CASE("nothing is something: zero bytes, zero groups") {
    const KernelFolder folder(kernels_text);
    for (const DevicePtr& device : devices_under_test()) {
        CAPTURE(device_label(*device));
        const auto context = open_for_test(device);
        const auto queue = context->create_queue();
        const Buffer nothing = context->allocate(0), one = context->allocate(4);
        CHECK(nothing);
        CHECK(nothing.bytes() == 0);
        CHECK(queue->write(nothing, 0, nullptr, 0).complete());
        CHECK(queue->read(nothing, 0, nullptr, 0).complete());
        CHECK(queue->copy(nothing, 0, one, 4, 0).complete());
        CHECK(context->allocate_pinned(0)->bytes().empty());
        CHECK_THROWS_AS(queue->write(nothing, 0, "x", 1), DeviceError);
        CHECK(nothing.sub(0, 0).bytes() == 0);
        if (device->info().backend == Backend::native) continue;

        Bench bench(device);
        const auto scale = bench.program->kernel("scale");
        const Buffer data = bench.upload(counting(4, 1)), empty = bench.context->allocate(0);
        for (const NDRange groups : {NDRange{0, 1, 1}, NDRange{4, 0, 1}, NDRange{4, 1, 0}}) {
            const Event event =
                bench.queue->launch({.kernel = *scale, .groups = groups, .local = {1}, .args = std::array<Arg, 3>{data, 4u, 9u}});
            CHECK(event.complete());
            event.wait();
            REQUIRE(event.times());
            CHECK(event.times()->seconds() == 0);
        }
        CHECK(bench.read(data) == counting(4, 1));
        // A buffer of nothing is a valid argument.
        bench.queue->launch({.kernel = *scale, .groups = {1}, .local = {1}, .args = std::array<Arg, 3>{empty, 0u, 9u}}).wait();
        // With something to wait for, later commands still come after it.
        const std::vector<std::uint32_t> words = counting(4, 5);
        const Event written = bench.queue->write(data, 0, words.data(), 16);
        bench.queue
            ->launch({.kernel = *scale,
                      .groups = {0},
                      .local = {1},
                      .args = std::array<Arg, 3>{data, 4u, 9u},
                      .wait = std::array{written}})
            .wait();
        CHECK(bench.read(data) == counting(4, 5));
    }
}

TEST_CASE("wrong launches are errors that name step, kernel and limit") {
    const KernelFolder folder(kernels_text);
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        Bench bench(device);
        Bench other(device);
        const auto scale = bench.program->kernel("scale");
        const auto fixed = bench.program->kernel("fixed");
        const Buffer data = bench.upload(counting(64)), foreign = other.upload(counting(64));
        const Buffer none;
        const auto launch = [&](Kernel& kernel, NDRange groups, NDRange local, std::vector<Arg> args) {
            return device_error([&] {
                bench.queue->launch({.kernel = kernel, .groups = groups, .local = local, .args = args, .step = "demo/scale"});
            });
        };
        const std::vector<Arg> good{data, 64u, 2u};
        const bool cuda = device->info().backend == Backend::cuda;   // has one code for all of these
        const auto names = [cuda](const DeviceError& error, std::initializer_list<std::string_view> codes) {
            return cuda ? error.code_name == "CUDA_ERROR_INVALID_VALUE"
                        : std::find(codes.begin(), codes.end(), error.code_name) != codes.end();
        };

        const DeviceError few = launch(*scale, {1}, {1}, {data, 64u});
        CHECK(names(few, {"CL_INVALID_KERNEL_ARGS"}));
        CHECK(few.step == "demo/scale (kernel scale)");
        CHECK(has(few.what(), "kernel scale takes 3 arguments, 2 were given"));
        CHECK(has(launch(*scale, {1}, {1}, {data, 64u, 2u, 2u}).what(), "takes 3 arguments, 4 were given"));
        CHECK(has(launch(*scale, {1}, {1}, {none, 64u, 2u}).what(), "argument 0 of kernel scale is an empty buffer"));
        CHECK(has(launch(*scale, {1}, {1}, {foreign, 64u, 2u}).what(), "another device or context"));
        CHECK(has(launch(*scale, {1}, {1}, {data, std::uint64_t{64}, 2u}).what(),
                  "argument 1 of kernel scale was given a value of 8 bytes"));

        const std::size_t limit = scale->max_work_group();
        const DeviceError large = launch(*scale, {1}, {1, limit + 1, 1}, good);
        CHECK(names(large, {"CL_INVALID_WORK_GROUP_SIZE", "CL_INVALID_WORK_ITEM_SIZE"}));
        CHECK(names(launch(*scale, {1}, {2 * limit}, good), {"CL_INVALID_WORK_GROUP_SIZE", "CL_INVALID_WORK_ITEM_SIZE"}));
        CHECK(has(launch(*scale, {1}, {0}, good).what(), "at least 1"));
        if (cuda)
            CHECK(has(launch(*fixed, {1}, {4, 4, 1}, {data}).what(), "this kernel allows 8"));   // CUDA keeps the bound alone
        else CHECK(has(launch(*fixed, {1}, {2, 4, 1}, {data}).what(), "compiled for 4 x 2 x 1"));
        CHECK(names(launch(*scale, {SIZE_MAX}, {2}, good), {"CL_INVALID_GLOBAL_WORK_SIZE"}));

        const auto foreign_kernel = other.program->kernel("scale");
        CHECK(has(launch(*foreign_kernel, {1}, {1}, good).what(), "built for another device or context"));
        CHECK(has(device_error([&] { bench.program->kernel("scael"); }).what(), "scale"));
        CHECK(has(device_error([&] { bench.queue->host_task([] {}); }).what(), "native device"));
        CHECK(has(device_error([&] { bench.queue->copy(foreign, 0, data, 0, 4); }).what(), "another device or context"));
        CHECK(bench.read(data) == counting(64));   // nothing ran, and the queue still works

        bench.queue->launch({.kernel = *fixed, .groups = {1}, .local = {4, 2, 1}, .args = std::array<Arg, 1>{data}}).wait();
        CHECK(bench.read(data)[7] == 7);
        CHECK(has(device_error([&] { bench.context->allocate(std::size_t{1} << 60); }).what(), "in use already"));
        CHECK_THROWS_AS(bench.context->allocate(SIZE_MAX), DeviceError);
    }
}

TEST_CASE("a kernel takes the local memory that it declares, or little more") {
    const KernelFolder folder(kernels_text);
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        Bench bench(device);
        const auto turned = bench.program->kernel("turned");
        const auto* const built = dynamic_cast<const BuiltKernel*>(turned.get());
        REQUIRE(built != nullptr);
        const std::string& driver = device->info().driver;
        const bool says_nothing = has(device->info().version, "PoCL") && (driver.starts_with("5.") || driver.starts_with("6."));
        if (!says_nothing || built->local_memory() != 0) {
            CHECK(built->local_memory() >= 4096);
            CHECK(built->local_memory() < 8192);   // NVIDIA's driver may add 1 KiB
        }
        const Buffer data = bench.upload(counting(1024));
        bench.queue->launch({.kernel = *turned, .groups = {1}, .local = {64}, .args = std::array<Arg, 1>{data}}).wait();
        const std::vector<std::uint32_t> words = bench.read(data);
        CHECK(words.front() == 1023);
        CHECK(words.back() == 0);
    }
}

TEST_CASE("events complete, have times where the driver measures, and order queues") {
    const KernelFolder folder(kernels_text);
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        Bench bench(device);
        const auto scale = bench.program->kernel("scale");
        const std::uint32_t count = 1 << 18;
        const Buffer data = bench.upload(std::vector<std::uint32_t>(count, 1));
        const Event event = bench.queue->launch(
            {.kernel = *scale, .groups = {count / 64}, .local = {64}, .args = std::array<Arg, 3>{data, count, 2u}});
        while (!event.complete()) {}   // no flush: polling must not hang
        if (bench.context->capabilities().event_times) {
            REQUIRE(event.times());
            CHECK(event.times()->ended >= event.times()->started);
            CHECK(event.times()->started >= event.times()->queued);
            CHECK(event.times()->seconds() < 60);
        } else {
            CHECK_FALSE(event.times());
        }

        const auto second = bench.context->create_queue();
        const auto kernel = bench.program->kernel("scale");
        Event before = event;
        for (std::uint32_t i = 0; i < 10; ++i) {   // to and fro between two queues
            Queue& queue = i % 2 == 0 ? *second : *bench.queue;
            before = queue.launch({.kernel = *kernel,
                                   .groups = {count / 64},
                                   .local = {64},
                                   .args = std::array<Arg, 3>{data, count, 3u},
                                   .wait = std::array{before, Event()}});
        }
        before.wait();
        std::uint32_t last = 0;
        bench.queue->read(data, 4 * (count - 1), &last, 4).wait();
        CHECK(last == 2 * 59049);

        // Transfers have no wait list of their own: a barrier holds back all that comes after it.
        for (int i = 0; i < 5; ++i) {
            const std::vector<std::uint32_t> fives(count, 5);
            const Event up = second->write(data, 0, fives.data(), 4 * count);
            bench.queue->barrier(std::array{up, Event()});
            bench.queue->launch(
                {.kernel = *kernel, .groups = {count / 64}, .local = {64}, .args = std::array<Arg, 3>{data, count, 7u}});
            const Event computed = bench.queue->barrier({});
            second->barrier(std::array{computed});
            second->read(data, 4 * (count - 1), &last, 4).wait();
            CHECK(last == 35);
            CHECK(computed.complete());
        }

        Bench plain(device, false);
        const auto unprofiled = plain.program->kernel("scale");
        const Buffer own = plain.upload(counting(4));
        const Event untimed = plain.queue->launch({.kernel = *unprofiled,
                                                   .groups = {1},
                                                   .local = {4},
                                                   .args = std::array<Arg, 3>{own, 4u, 2u},
                                                   .wait = std::array{event}});
        untimed.wait();
        CHECK(untimed.complete());
        CHECK_FALSE(untimed.times());
    }
}

TEST_CASE("queue: to finish is to wait for commands that were sent to the device before, too") {
    const KernelFolder folder(kernels_text);
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        Bench bench(device);
        const std::vector<std::uint32_t> ones(1 << 22, 1);
        const Buffer data = bench.context->allocate(4 * ones.size());
        int early = 0;
        for (int i = 0; i < 20; ++i) {
            const Event written = bench.queue->write(data, 0, ones.data(), 4 * ones.size());
            bench.queue->flush();
            bench.queue->finish();
            early += written.complete() ? 0 : 1;
            written.wait();   // the memory goes at the end of the case
        }
        CHECK(early == 0);
    }
}

TEST_CASE("memory that a queue keeps goes when its command has ended, and stays where that is never known") {
    struct Command final : EventState {
        explicit Command(std::shared_ptr<const int> s) : state(std::move(s)) {}
        void wait() override {}
        bool complete() const override {
            if (*state < 0) throw DeviceError("the command", -5, "CL_OUT_OF_RESOURCES", "a test");
            return *state > 0;
        }
        std::optional<EventTimes> times() const override { return std::nullopt; }
        std::shared_ptr<const int> state;
    };
    for (const DevicePtr& device : devices_under_test()) {
        CAPTURE(device_label(*device));
        const auto context = open_for_test(device);
        const auto runs = std::make_shared<int>(0), ends = std::make_shared<int>(0), fails = std::make_shared<int>(-1);
        std::array<std::weak_ptr<const int>, 3> memory;
        {
            const std::unique_ptr<Queue> queue = context->create_queue();
            std::size_t i = 0;
            for (const auto& state : {runs, ends, fails}) {
                auto kept = std::make_shared<const int>(7);
                memory[i++] = kept;
                queue->keep(std::move(kept), Event(std::make_shared<Command>(state)));
            }
            CHECK(!memory[1].expired());
            *ends = 1;
            queue->keep(std::make_shared<const int>(8), Event());
            CHECK(memory[1].expired());
        }
        CHECK(!memory[0].expired());
        CHECK(!memory[2].expired());
    }
}

TEST_CASE("pinned memory serves transfers") {
    for (const DevicePtr& device : devices_under_test()) {
        CAPTURE(device_label(*device));
        const auto context = open_for_test(device);
        const auto queue = context->create_queue();
        const auto in = context->allocate_pinned(1 << 16), out = context->allocate_pinned(1 << 16);
        REQUIRE(in->bytes().size() == 1 << 16);
        for (std::size_t i = 0; i < in->bytes().size(); ++i) in->bytes()[i] = static_cast<std::byte>(i * 7);
        const Buffer buffer = context->allocate(1 << 16);
        queue->write(buffer, 0, in->bytes().data(), 1 << 16);
        queue->read(buffer, 0, out->bytes().data(), 1 << 16).wait();
        CHECK(std::equal(in->bytes().begin(), in->bytes().end(), out->bytes().begin()));
        CHECK(context->allocated() == 1 << 16);
    }
}

TEST_CASE("the native device works while its caller goes on, in order, and an error ends a call and no other") {
    for (const DevicePtr& device : devices_under_test()) {
        if (device->info().backend != Backend::native) continue;
        const auto context = device->open({});
        const auto queue = context->create_queue();
        const Buffer buffer = context->allocate(4);
        std::promise<void> gate;
        std::vector<int> order;
        const Event first = queue->host_task([&, open = gate.get_future().share()] {
            open.wait();
            order.push_back(1);
        });
        const std::uint32_t seven = 7;
        std::uint32_t read = 0;
        const Event written = queue->write(buffer, 0, &seven, 4), second = queue->host_task([&] { order.push_back(2); }),
                    down = queue->read(buffer, 0, &read, 4);
        CHECK_FALSE(first.complete());
        CHECK_FALSE(written.complete());
        CHECK(read == 0);
        gate.set_value();
        queue->finish();
        CHECK(order == std::vector<int>{1, 2});
        CHECK(read == 7);
        CHECK((written.complete() && second.complete() && down.complete()));

        // What comes after a task that throws is left out up to the end of the call, which throws the same.
        const auto fail = [&] { return queue->host_task([] { throw std::runtime_error("the task's own"); }); };
        const Event failed = fail(), skipped = queue->host_task([&] { order.push_back(3); }), end = queue->barrier({});
        const Event next = queue->host_task([&] { order.push_back(4); });
        CHECK_THROWS_WITH(failed.wait(), "the task's own");
        CHECK_THROWS_WITH(skipped.wait(), "the task's own");
        CHECK_THROWS_WITH(end.wait(), "the task's own");
        CHECK_NOTHROW(next.wait());
        CHECK(order == std::vector<int>{1, 2, 4});
        fail();
        CHECK_THROWS_WITH(queue->finish(), "the task's own");
        CHECK_NOTHROW(queue->finish());
        fail();   // and a queue may go whatever has happened
    }
}

TEST_CASE("the native device runs C++ and times it") {
    for (const DevicePtr& device : devices_under_test()) {
        if (device->info().backend != Backend::native) continue;
        const auto context = device->open({});
        CHECK(context->capabilities().fp64);
        const auto queue = context->create_queue();
        const Buffer buffer = context->allocate(1000);
        REQUIRE(buffer.host_pointer() != nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(buffer.host_pointer()) % 64 == 0);
        CHECK(buffer.sub(128, 8).host_pointer() == buffer.host_pointer() + 128);
        int ran = 0;
        const Event event = queue->host_task([&] { ++ran; }, "count");
        event.wait();
        CHECK(ran == 1);
        CHECK(event.complete());
        REQUIRE(event.times());
        CHECK(event.times()->ended >= event.times()->started);
        const auto unprofiled = context->create_queue({false});
        const Event untimed = unprofiled->host_task([] {});
        untimed.wait();
        CHECK_FALSE(untimed.times());
        CHECK(has(device_error([&] { context->build({"probe/fp64.cl", {}}); }).what(), "native device"));
        CHECK_THROWS_AS(context->allocate(SIZE_MAX), DeviceError);
        CHECK(context->allocated() == 1000);
        struct NoKernel final : Kernel {
            const std::string& name() const noexcept override { return text; }
            std::size_t max_work_group() const override { return 1; }
            std::string text = "none";
        } kernel;
        CHECK(has(device_error([&] { queue->launch({.kernel = kernel, .groups = {}, .local = {}, .args = {}}); }).what(),
                  "host_task"));
    }
}

TEST_CASE("queue: a recording runs its launches in order, as often as it is replayed, with the arguments that they had") {
    const KernelFolder folder(kernels_text);
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        Bench bench(device);
        const auto scale = bench.program->kernel("scale");
        const Buffer data = bench.upload(std::vector<std::uint32_t>(100, 1)),
                     other = bench.upload(std::vector<std::uint32_t>(100, 1));
        const std::array by_three{Arg(data), Arg(std::uint32_t{100}), Arg(std::uint32_t{3})};
        const std::array by_five{Arg(data), Arg(std::uint32_t{50}), Arg(std::uint32_t{5})};
        const std::array elsewhere{Arg(other), Arg(std::uint32_t{100}), Arg(std::uint32_t{7})};
        const Launch three{.kernel = *scale, .groups = {4}, .local = {32}, .args = by_three, .step = "three"};
        const Launch five{.kernel = *scale, .groups = {4}, .local = {32}, .args = by_five, .step = "five"};
        const Launch nothing{.kernel = *scale, .groups = {0}, .local = {32}, .args = by_five, .step = "nothing"};
        const auto recording = bench.queue->record(std::array{three, nothing, five});
        CHECK((recording != nullptr) == bench.context->capabilities().recordings);
        if (!recording) {
            MESSAGE(device_label(*device) << " records no launches");
            continue;
        }
        CHECK(bench.read(data) == std::vector<std::uint32_t>(100, 1));   // recorded is not run
        bench.queue->launch({.kernel = *scale, .groups = {4}, .local = {32}, .args = elsewhere, .step = "between"});
        bench.queue->replay(*recording, "twice", false);
        const Event done = bench.queue->replay(*recording, "twice");
        done.wait();
        std::vector<std::uint32_t> right(100, 9);
        std::fill_n(right.begin(), 50, 225u);
        CHECK(bench.read(data) == right);
        CHECK(bench.read(other) == std::vector<std::uint32_t>(100, 7));
        if (bench.context->capabilities().event_times) CHECK(done.times().has_value());

        // What would be wrong with a launch is wrong with a recording of it.
        const std::array too_few{Arg(data)};
        const Launch wrong{.kernel = *scale, .groups = {4}, .local = {32}, .args = too_few, .step = "wrong"};
        CHECK_THROWS_AS(bench.queue->record(std::array{three, wrong}), DeviceError);
        CHECK(bench.queue->record(std::span<const Launch>()) == nullptr);
        bench.queue->replay(*recording, "again").wait();
        CHECK(bench.read(data).back() == 27);
    }
}

TEST_CASE("queue: arguments are the same by their value, or by memory that no other has had") {
    for (const DevicePtr& device : kernel_devices_under_test()) {
        const auto context = open_for_test(device);
        const auto argument = [&] { return Arg(context->allocate(4096)); };
        const Arg first = argument();
        std::vector<Arg> others;
        for (int i = 0; i < 50; ++i) {
            others.push_back(argument());
            others.back().let_go();   // its address is free for the next one
        }
        CHECK(first == Arg(first));
        for (const Arg& other : others) CHECK_FALSE(other == first);
        CHECK_FALSE(others[3] == others[4]);
        CHECK(Arg(std::uint32_t{3}) == Arg(std::uint32_t{3}));
        CHECK_FALSE(Arg(std::uint32_t{3}) == Arg(std::uint64_t{3}));
        CHECK_FALSE(Arg(std::uint32_t{3}) == Arg(std::uint32_t{4}));
        break;
    }
}
