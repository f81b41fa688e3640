#include "opencl/event.hpp"

#include "opencl/context.hpp"
#include "opencl/errors.hpp"

#include <fmt/format.h>

namespace parallax::host::opencl {
namespace {

class FinishedEvent final : public EventState {
public:
    void wait() override {}
    bool complete() const override { return true; }
    std::optional<EventTimes> times() const override { return EventTimes{}; }
};

cl_int status_of(cl_event event, const std::string& step) {
    cl_int status = CL_QUEUED;
    check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), "clGetEventInfo", step);
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

ClEvent::ClEvent(std::shared_ptr<ClContext> context, SharedQueue queue, cl::Event event, std::string_view step, bool profiled)
    : context_(std::move(context)), queue_(std::move(queue)), event_(std::move(event)), step_(step), profiled_(profiled) {}

void ClEvent::flush() const { check(clFlush(queue()), "clFlush", step_); }

void ClEvent::wait() {
    flush();
    const cl_event event = event_();
    const cl_int waited = clWaitForEvents(1, &event);
    // "A command failed" says less than that command's own code.
    if (waited == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        if (const cl_int status = status_of(event, step_); status < 0) fail("the command", status, step_);
    check(waited, "clWaitForEvents", step_);
}

bool ClEvent::complete() const {
    cl_int status = status_of(event_(), step_);
    if (status == CL_QUEUED) {   // who polls and never flushes would poll for ever
        flush();
        status = status_of(event_(), step_);
    }
    if (status < 0) fail("the command", status, step_);
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
