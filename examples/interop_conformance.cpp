// Whether Parallax and an OpenCL driver share objects as they should. Run it on the driver that your application uses:
//
//   interop_conformance [PART OF A DEVICE'S NAME]
//
// Each line is a check. The status is 0 if all passed, 1 if one failed, 2 if there is no such device.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <parallax/parallax.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t count = 4096;
const auto layout = parallax::ArrayDesc::dense(parallax::ElementType::f32, {{'y', 64}, {'x', 64}});

/// The host application's side: objects of its own, made and released by plain OpenCL.
struct Host {
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_mem memory = nullptr;

    explicit Host(cl_device_id d, cl_command_queue_properties properties = 0) : device(d) {
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
        queue = clCreateCommandQueue(context, device, properties, nullptr);
        memory = clCreateBuffer(context, CL_MEM_READ_WRITE, count * sizeof(float), nullptr, nullptr);
    }
    ~Host() {
        release_memory();
        release_queue();
        release_context();
    }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    void release_memory() {
        if (memory) clReleaseMemObject(memory);
        memory = nullptr;
    }
    void release_queue() {
        if (queue) clReleaseCommandQueue(queue);
        queue = nullptr;
    }
    void release_context() {
        if (context) clReleaseContext(context);
        context = nullptr;
    }
    std::array<cl_uint, 3> references() const {
        std::array<cl_uint, 3> counts{};
        clFinish(queue);
        clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(cl_uint), &counts[0], nullptr);
        clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(cl_uint), &counts[1], nullptr);
        clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof(cl_uint), &counts[2], nullptr);
        return counts;
    }
};

int failures = 0;

void check(const char* what, const std::function<bool()>& passes) {
    bool passed = false;
    std::string why;
    try {
        passed = passes();
    } catch (const std::exception& error) {
        why = error.what();
    }
    std::printf("%-6s %s%s%s\n", passed ? "ok" : "FAILED", what, why.empty() ? "" : ": ", why.c_str());
    std::fflush(stdout);
    failures += passed ? 0 : 1;
}

/// Drivers may let go a little later than they are told to.
bool soon(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

bool all_are(const std::vector<float>& values, float expected) {
    return std::all_of(values.begin(), values.end(), [&](float value) { return value == expected; });
}

parallax::Call add(const parallax::Array& image, double value, const parallax::Array& into) {
    parallax::CallOptions options;
    options.into["image"] = into;
    return parallax::call(parallax::ArithmeticParameters{.value = value}, {{"image", image}}, std::move(options));
}

/// The host fills, Parallax adds 1, the host reads: ordered by the queue alone, with no wait in between.
bool between_commands(cl_device_id device, cl_command_queue_properties properties) {
    Host host(device, properties);
    const auto engine = parallax::Engine::from_opencl(host.context, host.device);
    auto session = parallax::Session::from_queue(engine, host.queue);
    const auto array = session.wrap(host.memory, layout);
    session.prepare({add(array, 1, array)}).wait();
    std::vector<float> result(count);
    for (float start = 1; start < 20; ++start) {
        const std::vector<float> first(count, start);
        const bool ordered = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
        clEnqueueWriteBuffer(host.queue, host.memory, CL_FALSE, 0, count * sizeof(float), first.data(), 0, nullptr, nullptr);
        const auto pending = session.submit(add(array, 1, array));
        cl_event after = pending.done().opencl();
        // In a queue that is out of order the event says when; Parallax itself comes after all that was there before.
        clEnqueueReadBuffer(host.queue, host.memory, CL_FALSE, 0, count * sizeof(float), result.data(), ordered ? 0 : 1,
                            ordered ? nullptr : &after, nullptr);
        clFinish(host.queue);
        if (!all_are(result, start + 1)) return false;
    }
    return true;
}

bool user_event_holds_work(cl_device_id device) {
    Host host(device);
    const auto engine = parallax::Engine::from_opencl(host.context, host.device);
    parallax::Session session(engine);
    const auto array = session.wrap(host.memory, layout);
    session.run(add(array, 1, array));
    cl_event gate = clCreateUserEvent(host.context, nullptr);
    auto call = add(array, 1, array);
    call.options.wait = {session.wrap(gate)};
    auto pending = session.submit(call);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    const bool held = !pending.done().complete();
    clSetUserEventStatus(gate, CL_COMPLETE);
    clReleaseEvent(gate);
    pending.get();
    return held && pending.done().complete();
}

bool failed_event_is_an_error(cl_device_id device) {
    Host host(device);
    const auto engine = parallax::Engine::from_opencl(host.context, host.device);
    parallax::Session session(engine);
    cl_event gate = clCreateUserEvent(host.context, nullptr);
    const parallax::Event event = session.wrap(gate);
    clSetUserEventStatus(gate, -1);
    clReleaseEvent(gate);
    bool told = false;
    try {
        event.wait();
    } catch (const parallax::DeviceError&) {
        told = true;
    }
    const std::vector<float> ones(count, 1);
    const auto image = session.upload({ones, {{'y', 64}, {'x', 64}}});   // the engine is none the worse for it
    return told && session.download(session.run(add(image, 1, image)).array("image")).as<float>()[count - 1] == 2;
}

bool references_return(cl_device_id device) {
    Host host(device);
    const std::vector<float> zeros(count);   // PoCL's queues hold their last command, which holds the queue
    clEnqueueWriteBuffer(host.queue, host.memory, CL_TRUE, 0, count * sizeof(float), zeros.data(), 0, nullptr, nullptr);
    clFinish(host.queue);
    auto before = host.references();   // a driver's threads let go of a command a little after its end (rusticl)
    for (int i = 0; i < 20; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        const auto now = host.references();
        for (std::size_t k = 0; k < before.size(); ++k) before[k] = std::min(before[k], now[k]);
    }
    {
        const auto engine = parallax::Engine::from_opencl(host.context, host.device);
        auto session = parallax::Session::from_queue(engine, host.queue);
        const auto array = session.wrap(host.memory, layout);
        const auto held = host.references();
        if (held[0] <= before[0] || held[1] <= before[1] || held[2] <= before[2]) return false;
        session.run(add(array, 1, array));
    }
    if (soon([&] { return host.references() == before; })) return true;
    const auto after = host.references();
    throw std::runtime_error("context, queue, memory: " + std::to_string(before[0]) + ", " + std::to_string(before[1]) + ", " +
                             std::to_string(before[2]) + " before, " + std::to_string(after[0]) + ", " +
                             std::to_string(after[1]) + ", " + std::to_string(after[2]) + " after");
}

/// Every order in which engine, session, array and the host's context, queue and memory may go, after work in flight.
bool orders_of_destruction(cl_device_id device) {
    std::array<int, 6> order{0, 1, 2, 3, 4, 5};
    int number = 0;
    do {
        if (number++ % 31 != 0) continue;   // 24 of 720
        Host host(device);
        std::optional<parallax::Engine> engine = parallax::Engine::from_opencl(host.context, host.device);
        std::optional<parallax::Session> session = parallax::Session::from_queue(*engine, host.queue);
        std::optional<parallax::Array> array = session->wrap(host.memory, layout);
        auto pending = session->submit(add(*array, 1, *array));
        for (const int which : order) {
            switch (which) {
                case 0: engine.reset(); break;
                case 1: session.reset(); break;
                case 2: array.reset(); break;
                case 3: host.release_context(); break;
                case 4: host.release_queue(); break;
                default: host.release_memory();
            }
        }
        pending.get();
    } while (std::next_permutation(order.begin(), order.end()));
    return true;
}

bool threads_share_an_engine(cl_device_id device) {
    Host host(device);
    const auto engine = parallax::Engine::from_opencl(host.context, host.device);
    std::array<bool, 4> right{};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < right.size(); ++t) {
        threads.emplace_back([&, t] {
            try {
                parallax::Session session(engine);
                const std::vector<float> start(count, static_cast<float>(t));
                const auto image = session.upload({start, {{'y', 64}, {'x', 64}}});
                for (int i = 0; i < 25; ++i) session.submit(add(image, 1, image));
                const auto result = session.download(image);
                right[t] = std::all_of(result.as<float>(), result.as<float>() + count,
                                       [&](float v) { return v == static_cast<float>(t + 25); });
            } catch (const std::exception& error) {
                std::printf("       %s\n", error.what());
            }
        });
    }
    for (auto& thread : threads) thread.join();
    return std::all_of(right.begin(), right.end(), [](bool r) { return r; });
}

bool foreign_objects_are_refused(cl_device_id device) {
    Host host(device), other(device);
    const auto engine = parallax::Engine::from_opencl(host.context, host.device);
    parallax::Session session(engine);
    int refused = 0;
    const auto refuses = [&](const std::function<void()>& work) {
        try {
            work();
        } catch (const parallax::ConfigError&) {
            ++refused;
        }
    };
    refuses([&] { session.wrap(other.memory, layout); });
    refuses([&] { parallax::Session::from_queue(engine, other.queue); });
    refuses([&] { session.wrap(host.memory, parallax::ArrayDesc::dense(parallax::ElementType::f32, {{'x', count + 1}})); });
    refuses([&] { parallax::Engine::from_opencl(nullptr, host.device); });
    return refused == 4;
}

cl_device_id find(const std::string& part) {
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(0, nullptr, &platform_count) != CL_SUCCESS) return nullptr;
    std::vector<cl_platform_id> platforms(platform_count);
    clGetPlatformIDs(platform_count, platforms.data(), nullptr);
    for (cl_platform_id platform : platforms) {
        cl_uint device_count = 0;
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &device_count) != CL_SUCCESS) continue;
        std::vector<cl_device_id> devices(device_count);
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, device_count, devices.data(), nullptr);
        for (cl_device_id device : devices) {
            char name[256] = "";
            clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, nullptr);
            if (std::string(name).find(part) == std::string::npos) continue;
            std::printf("Parallax %s on %s\n", parallax::version(), name);
            return device;
        }
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    const cl_device_id device = find(argc > 1 ? argv[1] : "");
    if (device == nullptr) {
        std::fprintf(stderr, "no OpenCL device%s%s\n", argc > 1 ? " with this in its name: " : "", argc > 1 ? argv[1] : "");
        return 2;
    }
    check("commands in order between the host's", [&] { return between_commands(device, 0); });
    check("the same with profiling", [&] { return between_commands(device, CL_QUEUE_PROFILING_ENABLE); });
    cl_command_queue_properties properties = 0;
    clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
    if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
        check("the same in a queue that is out of order",
              [&] { return between_commands(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); });
    check("a user event holds work back", [&] { return user_event_holds_work(device); });
    check("a failed event of the host is an error, and no more", [&] { return failed_event_is_an_error(device); });
    check("reference counts return to what they were", [&] { return references_return(device); });
    check("objects go in any order", [&] { return orders_of_destruction(device); });
    check("threads share an engine", [&] { return threads_share_an_engine(device); });
    check("objects of another context are refused", [&] { return foreign_objects_are_refused(device); });
    std::printf("%s\n", failures == 0 ? "all passed" : "not all passed");
    return failures == 0 ? 0 : 1;
}
