#include "opencl/event.hpp"

#include "opencl/context.hpp"
#include "opencl/errors.hpp"
#include "watchdog.hpp"

#include <fmt/format.h>

namespace parallax::host::opencl {
namespace {

class FinishedEvent final : public EventState {
public:
    void wait() override {}
    bool complete() const override { return true; }
    std::optional<EventTimes> times() const override { return EventTimes{}; }
};

/// Throws where the command has failed.
cl_int status_of(cl_event event, ClContext& context, const std::string& step) {
    cl_int status = CL_QUEUED;
    context.check_wait(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), "clGetEventInfo", step);
    if (status < 0) context.check_wait(status, "the command", step);
    return status;
}

}  // namespace

std::optional<EventTimes> raw_times(cl_event event) {
    cl_ulong queued = 0, submitted = 0, started = 0, ended = 0;
    const auto read = [event](cl_profiling_info what, cl_ulong& value) {
        return clGetEventProfilingInfo(event, what, sizeof value, &value, nullptr) == CL_SUCCESS;
    };
    if (!read(CL_PROFILING_COMMAND_QUEUED, queued) || !read(CL_PROFILING_COMMAND_SUBMIT, submitted) ||
        !read(CL_PROFILING_COMMAND_START, started) || !read(CL_PROFILING_COMMAND_END, ended) || ended < started)
        return std::nullopt;
    return EventTimes{queued, submitted, started, ended};
}

ClEvent::ClEvent(std::shared_ptr<ClContext> context, SharedQueue queue, cl::Event event, std::string_view step, bool profiled,
                 std::chrono::duration<double> limit)
    : context_(std::move(context)), queue_(std::move(queue)), event_(std::move(event)), step_(step), profiled_(profiled), limit_(limit) {}

void ClEvent::flush() const { context_->check_wait(clFlush(queue()), "clFlush", step_); }

void ClEvent::wait() {
    if (context_->abandoned()) context_->require_sound("clWaitForEvents", step_);
    flush();
    if (limit_.count() > 0) return watch(*context_, limit_, "clGetEventInfo", step_, [this] { return complete(); });
    const cl_event event = event_();
    const cl_int waited = clWaitForEvents(1, &event);
    // "A command failed" says less than that command's own code.
    if (waited == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) status_of(event, *context_, step_);
    context_->check_wait(waited, "clWaitForEvents", step_);
}

bool ClEvent::complete() const {
    cl_int status = status_of(event_(), *context_, step_);
    if (status == CL_QUEUED) {   // who polls and never flushes would poll for ever
        flush();
        status = status_of(event_(), *context_, step_);
    }
    return status == CL_COMPLETE;
}

std::optional<EventTimes> ClEvent::times() const {
    if (!profiled_) return std::nullopt;   // rusticl has an answer here, too
    const auto times = raw_times(event_());
    // So short a time may be a short command, or that of a driver that measures nothing: the probe tells them apart.
    constexpr std::uint64_t doubtful_ns = 1000;
    if (times && times->ended - times->started < doubtful_ns && !context_->capabilities().event_times) return std::nullopt;
    return times;
}

Event finished_event() { return Event(std::make_shared<FinishedEvent>()); }

}  // namespace parallax::host::opencl
