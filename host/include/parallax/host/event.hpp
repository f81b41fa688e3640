// The completion of one command, and its times where the driver gives them.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace parallax::host {

/// Device timestamps in nanoseconds on the device's own clock.
struct EventTimes {
    std::uint64_t queued = 0, submitted = 0, started = 0, ended = 0;
    double seconds() const noexcept { return double(ended - started) * 1e-9; }
};

class EventState {
public:
    virtual ~EventState() = default;
    virtual void wait() = 0;
    virtual bool complete() const = 0;
    /// Empty where the queue is not profiled or the driver does not measure (START == END on rusticl).
    virtual std::optional<EventTimes> times() const = 0;
};

class Event {
public:
    Event() = default;
    explicit Event(std::shared_ptr<EventState> state) : state_(std::move(state)) {}
    explicit operator bool() const noexcept { return state_ != nullptr; }
    void wait() const { if (state_) state_->wait(); }
    bool complete() const { return !state_ || state_->complete(); }
    /// Whether it is over, well or badly: whoever waits for it is told which.
    bool ended() const noexcept {
        try {
            return complete();
        } catch (const std::exception&) {
            return true;
        }
    }
    std::optional<EventTimes> times() const { return state_ ? state_->times() : std::nullopt; }
    EventState* state() const noexcept { return state_.get(); }

private:
    std::shared_ptr<EventState> state_;
};

}  // namespace parallax::host
