#include "api/order.hpp"

#include <exception>
#include <memory>
#include <utility>

namespace parallax {
namespace {

/// The end of a command, however it ended.
class End final : public host::EventState {
public:
    explicit End(host::Event of) : of_(std::move(of)) {}
    void wait() override {
        try {
            of_.wait();
        } catch (const std::exception&) {   // whoever waits for it itself is told
        }
    }
    bool complete() const override { return of_.ended(); }
    std::optional<host::EventTimes> times() const override { return of_.times(); }

private:
    host::Event of_;
};

}  // namespace

void Order::before(host::Queue& queue, const DeviceArray& array, Use use) {
    std::erase_if(touches_, [](const Touch& touch) { return touch.done.ended(); });
    const host::Place place = host::place_of(array.buffer);
    std::vector<host::Event> wait;
    for (const Touch& touch : touches_) {
        if (touch.queue == &queue) continue;   // it goes in order
        if (use == Use::read && touch.use == Use::read) continue;
        if (place.overlaps(touch.place))
            wait.push_back(fails_alone_ ? host::Event(std::make_shared<End>(touch.done)) : touch.done);
    }
    if (!wait.empty()) queue.barrier(wait, "what was called before");
}

void Order::after(const host::Queue& queue, const DeviceArray& array, Use use, host::Event done) {
    const host::Place place = host::place_of(array.buffer);
    // A queue goes in order: its last command of a kind stands for those before.
    std::erase_if(touches_, [&](const Touch& touch) {
        return touch.queue == &queue && touch.use == use && touch.place.memory == place.memory &&
               touch.place.first == place.first && touch.place.bytes == place.bytes;
    });
    touches_.push_back({place, use, &queue, std::move(done)});
}

}  // namespace parallax
