#include "opencl/native.hpp"

#include "opencl/buffer.hpp"
#include "opencl/context.hpp"
#include "opencl/errors.hpp"
#include "opencl/event.hpp"
#include "opencl/queue.hpp"

namespace parallax::host::opencl {

cl_context context_handle(Context& context) {
    const auto* own = dynamic_cast<ClContext*>(&context);
    return own != nullptr ? own->handle() : nullptr;
}

cl_platform_id platform_handle(Context& context) {
    const auto* own = dynamic_cast<ClContext*>(&context);
    return own != nullptr ? own->platform() : nullptr;
}

cl_device_id device_handle(Context& context) {
    const auto* own = dynamic_cast<ClContext*>(&context);
    return own != nullptr ? own->device() : nullptr;
}

cl_command_queue queue_handle(Queue& queue) {
    const auto* own = dynamic_cast<ClQueue*>(&queue);
    return own != nullptr ? own->handle() : nullptr;
}

cl_mem memory_handle(const Buffer& buffer) {
    const auto* own = dynamic_cast<const ClBuffer*>(buffer.storage());
    return own != nullptr ? own->handle() : nullptr;
}

cl_kernel kernel_handle(Kernel& kernel) {
    const auto* own = dynamic_cast<ClKernel*>(&kernel);
    return own != nullptr ? own->handle() : nullptr;
}

cl_program program_handle(Program& program) {
    const auto* own = dynamic_cast<ClProgram*>(&program);
    return own != nullptr ? own->handle() : nullptr;
}

void meet_first_launch(Context& context, cl_kernel kernel, cl_uint dimensions, const std::size_t* global,
                       const std::size_t* local) {
    if (auto* own = dynamic_cast<ClContext*>(&context)) own->meet_first_launch(kernel, dimensions, global, local);
}

std::uint64_t local_memory_use(Context& context, cl_kernel kernel) {
    const auto* own = dynamic_cast<const ClContext*>(&context);
    return own != nullptr ? local_memory_use(kernel, *own) : 0;
}

void check_command(Queue& queue, cl_int code, const char* call, std::string_view step) {
    if (auto* own = dynamic_cast<ClQueue*>(&queue)) own->context()->check_command(code, call, step);
    check(code, call, step);
}

Event make_event(Queue& queue, cl_event event, std::string_view step) {
    const auto* own = dynamic_cast<ClQueue*>(&queue);
    if (own == nullptr) {
        clReleaseEvent(event);
        fail("make_event", CL_INVALID_COMMAND_QUEUE, step, "the queue is not of an OpenCL device");
    }
    return own->event(event, step);
}

cl_event event_handle(const Event& event) {
    const auto* own = dynamic_cast<const ClEvent*>(event.state());
    return own != nullptr ? own->handle() : nullptr;
}

std::shared_ptr<Program> build_text(Context& context, const std::string& name, const std::string& text,
                                    const std::string& options) {
    auto* own = dynamic_cast<ClContext*>(&context);
    if (own == nullptr) fail("build_text", CL_INVALID_CONTEXT, "build " + name, "the context is not of an OpenCL device");
    return own->build_text(name, text, options);
}

}  // namespace parallax::host::opencl
