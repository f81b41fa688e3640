// Calls whose commands a thread hands to the device, a few ahead of it, so that a wish to cancel is heard between any two of
// them: what a driver has got, nobody gets back.
//
//   caller    submit(f, token)   submit(g)
//   thread    [f 1][f 2] . . [f 3] . . [f 4]
//   caller                                  [g]      waits until the last of f is handed over, not until it has ended
#pragma once

#include "api/local.hpp"
#include "parallax/host/event.hpp"

#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace parallax {

/// The end of a call that is being handed over.
class PARALLAX_LOCAL Handover final : public host::EventState {
public:
    explicit Handover(std::shared_future<host::Event> handed) : handed_(std::move(handed)) {}
    void wait() override { handed().wait(); }
    bool complete() const override;
    std::optional<host::EventTimes> times() const override { return handed().times(); }
    /// The driver's own event; waits until there is one. Throws what ended the call before.
    host::Event handed() const { return handed_.get(); }

private:
    std::shared_future<host::Event> handed_;
};

/// The driver's own event, whether it was handed over or is there.
host::Event handed(const host::Event&);

/// A session's lock. Whoever takes it waits first until nothing is being handed over any more.
class PARALLAX_LOCAL Turns {
public:
    ~Turns();
    void lock();
    void unlock() { mutex_.unlock(); }
    /// By one who has it: `work` in a thread, and `after` when the next one takes the lock.
    void hand_over(std::function<void()> work, std::function<void()> after);

private:
    void end();

    std::recursive_mutex mutex_;   ///< a preparation makes plans from its own thread
    std::thread thread_;
    std::function<void()> after_;
};

}  // namespace parallax
