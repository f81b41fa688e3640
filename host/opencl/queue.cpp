#include "opencl/queue.hpp"

#include "opencl/buffer.hpp"
#include "opencl/command_buffer.hpp"
#include "opencl/context.hpp"
#include "opencl/errors.hpp"
#include "opencl/event.hpp"
#include "opencl/first_launch.hpp"
#include "opencl/launch.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

namespace parallax::host::opencl {
namespace {

cl::CommandQueue create(const ClContext& context, bool profiled) {
    cl_int status = CL_SUCCESS;
    const cl_command_queue queue =
        clCreateCommandQueue(context.handle(), context.device(), profiled ? CL_QUEUE_PROFILING_ENABLE : 0, &status);
    check(status, "clCreateCommandQueue", "open a queue on " + context.info().name);
    return cl::CommandQueue(queue);
}

/// A command that ends when all before it have ended. To wait for it is to wait for them, which clFinish is not with every
/// driver: Mesa's rusticl 22.3 forgets what clFlush has sent.
cl_int mark(cl_command_queue queue, cl::Event& marker) {
    cl_event event = nullptr;
    const cl_int status = clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event);
    if (status == CL_SUCCESS) marker = cl::Event(event);
    return status;
}

void wait_for_all(cl_command_queue queue) {
    cl::Event marker;
    if (mark(queue, marker) == CL_SUCCESS && clFlush(queue) == CL_SUCCESS && marker.wait() == CL_SUCCESS) return;
    clFinish(queue);
}

}  // namespace

ClQueue::ClQueue(std::shared_ptr<ClContext> context, bool profiled)
    : context_(std::move(context)),
      queue_(std::make_shared<const cl::CommandQueue>(create(*context_, profiled))),
      profiled_(profiled) {}

ClQueue::ClQueue(std::shared_ptr<ClContext> context, cl_command_queue hosts, cl_command_queue_properties properties)
    : context_(std::move(context)), profiled_((properties & CL_QUEUE_PROFILING_ENABLE) != 0) {
    const bool in_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
    cl::CommandQueue retained(hosts, true);
    borrowed_ = in_order;
    if (!in_order) tied_ = retained;
    queue_ = std::make_shared<const cl::CommandQueue>(in_order ? std::move(retained) : create(*context_, profiled_));
}

ClQueue::~ClQueue() {
    if (context_->abandoned())
        clRetainCommandQueue(handle());   // for good: letting go might wait
    else if (!borrowed_)
        wait_for_all(handle());   // transfers still under way use the caller's memory, which may go next
    else if (const cl_event last = last_(); last != nullptr && clFlush(handle()) == CL_SUCCESS)
        clWaitForEvents(1, &last);   // the host application's commands behind ours are not ours to wait for
}

cl_mem ClQueue::range(const Buffer& buffer, std::size_t offset, std::size_t bytes, const char* call,
                      std::string_view step) const {
    context_->require_sound(call, step);
    if (!buffer) fail(call, CL_INVALID_MEM_OBJECT, step, "the buffer is empty");
    const auto* storage = dynamic_cast<const ClBuffer*>(buffer.storage());
    if (storage == nullptr || &storage->context() != context_.get())
        fail(call, CL_INVALID_CONTEXT, step, "the buffer belongs to another device or context");
    if (offset > storage->bytes() || bytes > storage->bytes() - offset)
        fail(call, CL_INVALID_VALUE, step,
             fmt::format("{} bytes at offset {} do not lie within the buffer's {} bytes", bytes, offset, storage->bytes()));
    return storage->handle();
}

Event ClQueue::event(cl_event handle, std::string_view step) const {
    if (borrowed_) last_ = cl::Event(handle, true);
    return Event(std::make_shared<ClEvent>(context_, queue_, cl::Event(handle), step, profiled_, limit_));
}

Event ClQueue::launch(const Launch& launch) {
    context_->require_sound("clEnqueueNDRangeKernel", launch.step.empty() ? launch.kernel.name() : launch.step);
    const std::vector<cl_event> wait = wait_list(launch.wait, *context_, handle());
    const cl_uint waits = static_cast<cl_uint>(wait.size());
    const cl_event* first = wait.empty() ? nullptr : wait.data();
    cl_event done = nullptr;
    const PreparedLaunch prepared = prepare(launch, *context_);
    if (prepared.empty) {
        if (wait.empty()) return finished_event();
        // Commands after this one must still come after what it would have waited for.
        context_->check_command(clEnqueueMarkerWithWaitList(handle(), waits, first, &done), "clEnqueueMarkerWithWaitList",
                                prepared.step);
        return event(done, prepared.step);
    }
    meet_first_launch(*context_, *prepared.program, launch.kernel.name(), prepared.global, prepared.local);
    // A command that fails on NVIDIA's devices takes its context along, so that whoever waits next is told.
    const bool silent = !launch.event && !borrowed_ && tied_() == nullptr && context_->info().vendor == "NVIDIA Corporation";
    const cl_int status = clEnqueueNDRangeKernel(handle(), prepared.kernel, 3, nullptr, prepared.global.data(),
                                                 prepared.local.data(), waits, first, silent ? nullptr : &done);
    check_launch(launch, *context_, status);
    return silent ? Event() : event(done, prepared.step);
}

std::unique_ptr<Recording> ClQueue::record(std::span<const Launch> launches) {
    if (!context_->capabilities().recordings) return nullptr;
    return make_command_buffer(*context_, handle(), launches);
}

Event ClQueue::replay(Recording& recording, std::string_view step, bool) {
    context_->require_sound("clEnqueueCommandBufferKHR", step);
    cl_event done = nullptr;
    context_->check_command(dynamic_cast<CommandBuffer&>(recording).enqueue(&done), "clEnqueueCommandBufferKHR", step);
    return event(done, step);
}

Event ClQueue::write(const Buffer& buffer, std::size_t offset, const void* data, std::size_t bytes, std::string_view step) {
    const cl_mem memory = range(buffer, offset, bytes, "clEnqueueWriteBuffer", step);
    if (bytes == 0) return finished_event();
    cl_event done = nullptr;
    context_->check_command(clEnqueueWriteBuffer(handle(), memory, CL_FALSE, offset, bytes, data, 0, nullptr, &done),
                            "clEnqueueWriteBuffer", step);
    return event(done, step);
}

Event ClQueue::read(const Buffer& buffer, std::size_t offset, void* data, std::size_t bytes, std::string_view step) {
    const cl_mem memory = range(buffer, offset, bytes, "clEnqueueReadBuffer", step);
    if (bytes == 0) return finished_event();
    cl_event done = nullptr;
    context_->check_command(clEnqueueReadBuffer(handle(), memory, CL_FALSE, offset, bytes, data, 0, nullptr, &done),
                            "clEnqueueReadBuffer", step);
    return event(done, step);
}

Event ClQueue::copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset, std::size_t bytes,
                    std::string_view step) {
    const cl_mem source = range(from, from_offset, bytes, "clEnqueueCopyBuffer", step);
    const cl_mem target = range(to, to_offset, bytes, "clEnqueueCopyBuffer", step);
    if (bytes == 0) return finished_event();
    cl_event done = nullptr;
    context_->check_command(clEnqueueCopyBuffer(handle(), source, target, from_offset, to_offset, bytes, 0, nullptr, &done),
                            "clEnqueueCopyBuffer", step);
    return event(done, step);
}

Event ClQueue::host_task(const std::function<void()>&, std::string_view step) {
    throw DeviceError("host_task", 0, "", std::string(step),
                      fmt::format("{} runs kernels; C++ variants run on the native device", context_->info().name));
}

Event ClQueue::barrier(std::span<const Event> wait, std::string_view step) {
    constexpr const char* call = "clEnqueueBarrierWithWaitList";
    context_->require_sound(call, step);
    std::vector<cl_event> waits = wait_list(wait, *context_, handle());
    cl::Event before;
    if (tied_() != nullptr) {
        cl_event marker = nullptr;
        context_->check_command(clEnqueueMarkerWithWaitList(tied_(), 0, nullptr, &marker), "clEnqueueMarkerWithWaitList", step);
        before = cl::Event(marker);
        context_->check_wait(clFlush(tied_()), "clFlush", step);
        waits.push_back(marker);
    }
    cl_event done = nullptr;
    context_->check_command(
        clEnqueueBarrierWithWaitList(handle(), static_cast<cl_uint>(waits.size()), waits.empty() ? nullptr : waits.data(), &done),
        call, step);
    Event result = event(done, step);
    if (tied_() != nullptr) {
        flush();
        context_->check_command(clEnqueueBarrierWithWaitList(tied_(), 1, &done, nullptr), call, step);
    }
    return result;
}

void ClQueue::flush() { context_->check_wait(clFlush(handle()), "clFlush", "send the commands to the device"); }

void ClQueue::finish(std::string_view step) {
    constexpr const char* call = "clEnqueueMarkerWithWaitList";
    if (step.empty()) step = "wait for the device";
    if (context_->abandoned()) context_->require_sound(call, step);
    if (borrowed_) {
        if (last_() != nullptr) ClEvent(context_, queue_, last_, step, false, limit_).wait();
        return;
    }
    cl::Event marker;
    context_->check_command(mark(handle(), marker), call, step);
    ClEvent(context_, queue_, marker, step, false, limit_).wait();
}

}  // namespace parallax::host::opencl
