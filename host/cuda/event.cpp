#include "cuda/event.hpp"

#include "cuda/context.hpp"
#include "watchdog.hpp"

#include <cmath>

namespace parallax::host::cuda {
namespace {

class FinishedEvent final : public EventState {
public:
    void wait() override {}
    bool complete() const override { return true; }
    std::optional<EventTimes> times() const override { return EventTimes{}; }
};

}  // namespace

EventHandle::EventHandle(std::shared_ptr<CudaContext> context, bool timed, std::string_view step) : context_(std::move(context)) {
    check(context_->driver(), context_->driver().event_create(&event_, timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING),
          "cuEventCreate", step);
}

EventHandle::~EventHandle() {
    if (const Current current = context_->current_or_gone()) context_->driver().event_destroy(event_);
}

void EventHandle::record(CUstream stream, std::string_view step) const {
    check(context_->driver(), context_->driver().event_record(event_, stream), "cuEventRecord", step);
}

std::optional<double> elapsed(const EventHandle& from, const EventHandle& to) {
    float milliseconds = 0;
    if (from.context()->driver().event_elapsed_time(&milliseconds, from.get(), to.get()) != CUDA_SUCCESS) return std::nullopt;
    return std::fmax(0.0, 1e6 * static_cast<double>(milliseconds));
}

std::optional<double> Origin::nanoseconds() {
    const std::lock_guard lock(mutex_);
    if (sum_) return sum_;
    if (!before_) {
        sum_ = 0.0;
    } else if (const auto start = before_->nanoseconds()) {
        if (const auto span = elapsed(before_->handle(), handle())) {
            sum_ = *start + *span;
            before_ = nullptr;
        }
    }
    return sum_;
}

CudaEvent::CudaEvent(std::unique_ptr<EventHandle> start, std::unique_ptr<EventHandle> end, std::shared_ptr<Origin> origin,
                     std::string_view step, std::chrono::duration<double> limit)
    : start_(std::move(start)), end_(std::move(end)), origin_(std::move(origin)), step_(step), limit_(limit) {}

void CudaEvent::wait() {
    const CudaContext& context = *end_->context();
    if (limit_.count() > 0) return watch(*end_->context(), limit_, "cuEventQuery", step_, [this] { return complete(); });
    const Current current = context.current(step_);
    check(context.driver(), context.driver().event_synchronize(end_->get()), "cuEventSynchronize", step_);
}

bool CudaEvent::complete() const {
    const CudaContext& context = *end_->context();
    const Current current = context.current(step_);
    const CUresult status = context.driver().event_query(end_->get());
    if (status == CUDA_ERROR_NOT_READY) return false;
    check(context.driver(), status, "cuEventQuery", step_);
    return true;
}

std::optional<EventTimes> CudaEvent::times() const {
    if (!start_ || !origin_) return std::nullopt;
    const CudaContext& context = *end_->context();
    const Current current = context.current(step_);
    // The span first: it is exact however long the queue has lived, and complete only when all the rest is.
    const auto span = elapsed(*start_, *end_);
    if (!span) return std::nullopt;
    const auto begin = origin_->nanoseconds();
    const auto offset = elapsed(origin_->handle(), *start_);
    if (!begin || !offset) return std::nullopt;
    EventTimes times;
    times.queued = times.submitted = times.started = static_cast<std::uint64_t>(std::llround(*begin + *offset));
    times.ended = times.started + static_cast<std::uint64_t>(std::llround(*span));
    return times;
}

Event finished_event() { return Event(std::make_shared<FinishedEvent>()); }

}  // namespace parallax::host::cuda
