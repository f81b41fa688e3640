#pragma once

#include "opencl/api.hpp"
#include "parallax/host/event.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace parallax::host::opencl {

class ClContext;

/// A queue's handle, shared by the queue and its events: no call to the driver that could fail.
using SharedQueue = std::shared_ptr<const cl::CommandQueue>;

/// `step` is what the command did, for the error when it fails later; `profiled` and `limit` are the queue's.
class ClEvent final : public EventState {
public:
    ClEvent(std::shared_ptr<ClContext>, SharedQueue, cl::Event, std::string_view step, bool profiled,
            std::chrono::duration<double> limit);
    /// Of the host application, whose failures say nothing about our context. `queue` is null for a user event.
    ClEvent(std::shared_ptr<ClContext>, SharedQueue queue, cl::Event borrowed);
    void wait() override;
    bool complete() const override;
    std::optional<EventTimes> times() const override;
    cl_event handle() const noexcept { return event_(); }
    const ClContext& context() const noexcept { return *context_; }
    cl_command_queue queue() const noexcept { return queue_ ? (*queue_)() : nullptr; }
    /// Hands the commands of the event's queue to the device: without, another queue would wait for ever.
    void flush() const;

private:
    cl_int status() const;

    std::shared_ptr<ClContext> context_;
    SharedQueue queue_;        ///< kept alive here: not every driver's event does so
    cl::Event event_;
    std::string step_;
    bool profiled_, borrowed_ = false;
    std::chrono::duration<double> limit_;   ///< of a wait, 0: none
};

/// Something that is over already: a command on nothing.
Event finished_event();
/// Profiling times as the driver gives them, empty if it does not know them.
std::optional<EventTimes> raw_times(cl_event);

}  // namespace parallax::host::opencl
