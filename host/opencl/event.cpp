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
    : context_(std::move(context)),
      queue_(std::move(queue)),
      event_(std::move(event)),
      step_(step),
      profiled_(profiled),
      limit_(limit) {}

ClEvent::ClEvent(std::shared_ptr<ClContext> context, SharedQueue queue, cl::Event borrowed)
    : context_(std::move(context)),
      queue_(std::move(queue)),
      event_(std::move(borrowed)),
      step_("a command of the host application"),
      profiled_(false),
      borrowed_(true),
      limit_(0) {}

/// Throws where the command has failed.
cl_int ClEvent::status() const {
    cl_int status = CL_QUEUED;
    context_->check_wait(clGetEventInfo(event_(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
                         "clGetEventInfo", step_);
    if (status >= 0) return status;
    if (borrowed_) fail("the command", status, step_, "it is not one of Parallax: the host application enqueued it");
    context_->check_wait(status, "the command", step_);
    return status;
}

void ClEvent::flush() const {
    if (queue() == nullptr) return;   // a user event of the host application
    context_->check_wait(clFlush(queue()), "clFlush", step_);
}

void ClEvent::wait() {
    if (context_->abandoned()) context_->require_sound("clWaitForEvents", step_);
    flush();
    if (limit_.count() > 0) return watch(*context_, limit_, "clGetEventInfo", step_, [this] { return complete(); });
    const cl_event event = event_();
    const cl_int waited = clWaitForEvents(1, &event);
    // "A command failed" says less than that command's own code, and drivers differ in what they say of the host's own events.
    if (waited != CL_SUCCESS || borrowed_) status();
    context_->check_wait(waited, "clWaitForEvents", step_);
}

bool ClEvent::complete() const {
    cl_int now = status();
    if (now == CL_QUEUED) {   // who polls and never flushes would poll for ever
        flush();
        now = status();
    }
    return now == CL_COMPLETE;
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
