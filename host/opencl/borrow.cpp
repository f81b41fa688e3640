#include "opencl/borrow.hpp"

#include "opencl/buffer.hpp"
#include "opencl/context.hpp"
#include "opencl/errors.hpp"
#include "opencl/event.hpp"
#include "opencl/info.hpp"
#include "opencl/queue.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace parallax::host::opencl {
namespace {

constexpr const char* step = "take over an object of the host application";

/// Asks an object for one of its properties; `get` is its clGet...Info.
template <class T, class Get, class Object, class What>
T property(Get get, const char* call, Object object, What what) {
    T value{};
    check(get(object, what, sizeof value, &value, nullptr), call, step, "is the handle still alive, and of this driver?");
    return value;
}

ClContext& own_context(Context& context) {
    auto* own = dynamic_cast<ClContext*>(&context);
    if (own == nullptr)
        throw ConfigError(
            "", fmt::format("an engine on {}, which is a {} device", context.info().name, to_string(context.info().backend)),
            "an engine on an OpenCL device", "Engine::from_opencl takes the context that the object belongs to");
    return *own;
}

void check_context(const ClContext& own, cl_context other, const char* what) {
    if (own.handle() != other)
        throw ConfigError("", fmt::format("{} of another OpenCL context", what), "one of the engine's context",
                          "make the engine by Engine::from_opencl with that context");
}

template <class Handle>
void check_handle(Handle handle, const char* what) {
    if (handle == nullptr) throw ConfigError("", fmt::format("no {} (a null handle)", what), fmt::format("a {}", what));
}

}  // namespace

std::shared_ptr<Context> borrow_context(cl_context context, cl_device_id device, const ContextOptions& options) {
    check_handle(context, "cl_context");
    check_handle(device, "cl_device_id");
    std::size_t bytes = 0;
    check(clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes), "clGetContextInfo", step);
    std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
    check(clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices.data(), nullptr), "clGetContextInfo", step);
    const auto platform = property<cl_platform_id>(clGetDeviceInfo, "clGetDeviceInfo", device, CL_DEVICE_PLATFORM);
    DeviceInfo info = describe(device, platform_string(platform, CL_PLATFORM_NAME));
    if (std::find(devices.begin(), devices.end(), device) == devices.end())
        throw ConfigError("", fmt::format("the device {}", info.name), "a device of the context",
                          fmt::format("the context has {} other device{}", devices.size(), devices.size() == 1 ? "" : "s"));
    return std::make_shared<ClContext>(std::move(info), platform, device, cl::Context(context, true), true, options);
}

std::unique_ptr<Queue> borrow_queue(Context& context, cl_command_queue queue) {
    check_handle(queue, "cl_command_queue");
    ClContext& own = own_context(context);
    check_context(own, property<cl_context>(clGetCommandQueueInfo, "clGetCommandQueueInfo", queue, CL_QUEUE_CONTEXT), "a queue");
    if (property<cl_device_id>(clGetCommandQueueInfo, "clGetCommandQueueInfo", queue, CL_QUEUE_DEVICE) != own.device())
        throw ConfigError("", "a queue of another device of the context", fmt::format("a queue of {}", own.info().name));
    const auto properties =
        property<cl_command_queue_properties>(clGetCommandQueueInfo, "clGetCommandQueueInfo", queue, CL_QUEUE_PROPERTIES);
    return std::make_unique<ClQueue>(own.shared_from_this(), queue, properties);
}

Buffer borrow_memory(Context& context, cl_mem memory) {
    check_handle(memory, "cl_mem");
    ClContext& own = own_context(context);
    check_context(own, property<cl_context>(clGetMemObjectInfo, "clGetMemObjectInfo", memory, CL_MEM_CONTEXT), "memory");
    if (property<cl_mem_object_type>(clGetMemObjectInfo, "clGetMemObjectInfo", memory, CL_MEM_TYPE) != CL_MEM_OBJECT_BUFFER)
        throw ConfigError("", "an OpenCL image", "an OpenCL buffer", "copy the image by clEnqueueCopyImageToBuffer");
    const auto bytes = property<std::size_t>(clGetMemObjectInfo, "clGetMemObjectInfo", memory, CL_MEM_SIZE);
    return Buffer(std::make_shared<ClBuffer>(own.shared_from_this(), cl::Buffer(memory, true), bytes, true));
}

Event borrow_event(Context& context, cl_event event) {
    check_handle(event, "cl_event");
    ClContext& own = own_context(context);
    check_context(own, property<cl_context>(clGetEventInfo, "clGetEventInfo", event, CL_EVENT_CONTEXT), "an event");
    const auto queue = property<cl_command_queue>(clGetEventInfo, "clGetEventInfo", event, CL_EVENT_COMMAND_QUEUE);
    SharedQueue shared = queue != nullptr ? std::make_shared<const cl::CommandQueue>(queue, true) : nullptr;
    return Event(std::make_shared<ClEvent>(own.shared_from_this(), std::move(shared), cl::Event(event, true)));
}

}  // namespace parallax::host::opencl
