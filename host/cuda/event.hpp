// Events and their times. CUDA measures between two events and knows no clock: a queue's clock starts at an event of its own.
#pragma once

#include "cuda/api.hpp"
#include "parallax/host/event.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace parallax::host::cuda {

class CudaContext;

/// Owns a CUevent.
class EventHandle {
public:
    /// Not timed ones are cheaper. The context must be current.
    EventHandle(std::shared_ptr<CudaContext>, bool timed, std::string_view step);
    ~EventHandle();
    EventHandle(const EventHandle&) = delete;
    EventHandle& operator=(const EventHandle&) = delete;
    void record(CUstream, std::string_view step) const;
    CUevent get() const noexcept { return event_; }
    const std::shared_ptr<CudaContext>& context() const noexcept { return context_; }

private:
    std::shared_ptr<CudaContext> context_;
    CUevent event_ = nullptr;
};

/// Nanoseconds from one event to a later one, empty until both are complete. The context must be current.
std::optional<double> elapsed(const EventHandle& from, const EventHandle& to);

/// A point on a queue's clock. CUDA tells spans in milliseconds as a float, whose last digit grows with the span: queues
/// therefore begin a new origin now and then, and origins add up in double.
class Origin {
public:
    /// `handle` is recorded already; `before` is the origin that it continues, null for a queue's first.
    Origin(std::unique_ptr<EventHandle> handle, std::shared_ptr<Origin> before)
        : handle_(std::move(handle)), before_(std::move(before)) {}
    const EventHandle& handle() const noexcept { return *handle_; }
    /// Since the queue's first origin; empty until the device has come there. The context must be current.
    std::optional<double> nanoseconds();

private:
    std::unique_ptr<EventHandle> handle_;
    std::mutex mutex_;                    ///< guards the two members below
    std::shared_ptr<Origin> before_;      ///< let go once the sum is known
    std::optional<double> sum_;
};

/// `step` is what the command did, for the error when it fails later.
class CudaEvent final : public EventState {
public:
    /// `start` and `origin` are null where the queue is not profiled.
    CudaEvent(std::unique_ptr<EventHandle> start, std::unique_ptr<EventHandle> end, std::shared_ptr<Origin> origin,
              std::string_view step, std::chrono::duration<double> limit);
    void wait() override;
    bool complete() const override;
    /// Queued and submitted are not measured by CUDA: both are given as the start.
    std::optional<EventTimes> times() const override;
    CUevent handle() const noexcept { return end_->get(); }

private:
    std::unique_ptr<EventHandle> start_, end_;
    std::shared_ptr<Origin> origin_;
    std::string step_;
    std::chrono::duration<double> limit_;   ///< of a wait, 0: none
};

/// Something that is over already: a command on nothing.
Event finished_event();

}  // namespace parallax::host::cuda
