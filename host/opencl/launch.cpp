#include "opencl/launch.hpp"

#include "launch_checks.hpp"
#include "opencl/buffer.hpp"
#include "opencl/context.hpp"
#include "opencl/errors.hpp"
#include "opencl/event.hpp"
#include "opencl/program.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

namespace parallax::host::opencl {
namespace {

constexpr const char* enqueue = "clEnqueueNDRangeKernel";

cl_int code_of(GroupFault fault) {
    switch (fault) {
        case GroupFault::axis: return CL_INVALID_WORK_ITEM_SIZE;
        case GroupFault::items: return CL_INVALID_WORK_GROUP_SIZE;
        case GroupFault::local_memory: return CL_OUT_OF_RESOURCES;
    }
    return CL_INVALID_VALUE;
}

void check_local(const Launch& launch, const ClKernel& kernel, const ClContext& context,
                 const std::array<std::size_t, 3>& local) {
    const KernelLimits& limits = kernel.limits();
    if (const auto wrong = wrong_group(local, context.max_items(), limits.work_group, limits.local_memory, context.info()))
        fail(enqueue, code_of(wrong->fault), step_of(launch), wrong->why);
    if (limits.required[0] != 0 && limits.required != local)
        fail(enqueue, CL_INVALID_WORK_GROUP_SIZE, step_of(launch),
             fmt::format("a work-group of {}; the kernel was compiled for {}", shape_of(local), shape_of(limits.required)));
}

void set_arguments(const Launch& launch, const ClKernel& kernel, cl_kernel handle, const ClContext& context) {
    if (launch.args.size() != kernel.limits().arguments)
        fail("clSetKernelArg", CL_INVALID_KERNEL_ARGS, step_of(launch), wrong_argument_count(launch, kernel.limits().arguments));
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
        const Arg& arg = launch.args[i];
        cl_int status = CL_SUCCESS;
        if (arg.is_buffer()) {
            const auto* storage = dynamic_cast<const ClBuffer*>(arg.buffer());
            if (storage == nullptr || &storage->context() != &context)
                fail("clSetKernelArg", CL_INVALID_MEM_OBJECT, step_of(launch), wrong_buffer(launch, i));
            const cl_mem memory = storage->handle();
            status = clSetKernelArg(handle, static_cast<cl_uint>(i), sizeof memory, static_cast<const void*>(&memory));
        } else {
            status = clSetKernelArg(handle, static_cast<cl_uint>(i), arg.size(), arg.value());
        }
        if (status != CL_SUCCESS)
            fail("clSetKernelArg", status, step_of(launch),
                 arg.is_buffer()
                     ? fmt::format("argument {} of kernel {} was given a buffer", i, kernel.name())
                     : fmt::format("argument {} of kernel {} was given a value of {} bytes", i, kernel.name(), arg.size()));
    }
}

}  // namespace

PreparedLaunch prepare(const Launch& launch, const ClContext& context, cl_kernel own) {
    const auto* kernel = dynamic_cast<const ClKernel*>(&launch.kernel);
    if (kernel == nullptr || &kernel->context() != &context)
        fail(enqueue, CL_INVALID_KERNEL, step_of(launch), "the kernel was built for another device or context");

    PreparedLaunch prepared;
    prepared.kernel = own != nullptr ? own : kernel->handle();
    prepared.program = &kernel->program();
    prepared.step = launch.step.empty() ? std::string_view(kernel->name()) : launch.step;
    prepared.local = {launch.local.x, launch.local.y, launch.local.z};
    check_local(launch, *kernel, context, prepared.local);
    const std::array<std::size_t, 3> groups{launch.groups.x, launch.groups.y, launch.groups.z};
    for (std::size_t i = 0; i < 3; ++i) {
        if (groups[i] > context.max_global() / prepared.local[i])
            fail(enqueue, CL_INVALID_GLOBAL_WORK_SIZE, step_of(launch),
                 fmt::format("{} groups of {} work-items in dimension {} are more than {} can count", groups[i],
                             prepared.local[i], i, context.info().name));
        prepared.global[i] = groups[i] * prepared.local[i];
        prepared.empty = prepared.empty || groups[i] == 0;
    }
    set_arguments(launch, *kernel, prepared.kernel, context);
    return prepared;
}

std::vector<cl_event> wait_list(std::span<const Event> events, const ClContext& context, cl_command_queue queue) {
    std::vector<cl_event> list;
    for (const Event& event : events) {
        if (!event) continue;
        const auto* state = dynamic_cast<const ClEvent*>(event.state());
        if (state != nullptr && &state->context() == &context) {
            if (state->queue() != queue) state->flush();
            list.push_back(state->handle());
        } else {
            event.wait();
        }
    }
    return list;
}

void check_launch(const Launch& launch, ClContext& context, cl_int status) {
    if (status == CL_SUCCESS) return;
    std::string hint;
    if (status == CL_INVALID_WORK_GROUP_SIZE || status == CL_INVALID_WORK_ITEM_SIZE || status == CL_OUT_OF_RESOURCES)
        hint = fmt::format("{} groups of {} x {} x {} work-items on {}: use a smaller work_group_size{}", launch.groups.count(),
                           launch.local.x, launch.local.y, launch.local.z, context.info().name,
                           status == CL_OUT_OF_RESOURCES ? " or smaller tiles" : "");
    context.check_command(status, enqueue, step_of(launch), hint);
}

}  // namespace parallax::host::opencl
