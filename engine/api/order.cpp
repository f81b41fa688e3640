#include "api/order.hpp"

namespace parallax {

void Order::before(host::Queue& queue, const DeviceArray& array, Use use) {
    std::erase_if(touches_, [](const Touch& touch) { return touch.done.ended(); });
    const host::Place place = host::place_of(array.buffer);
    std::vector<host::Event> wait;
    for (const Touch& touch : touches_) {
        if (touch.queue == &queue) continue;   // it goes in order
        if (use == Use::read && touch.use == Use::read) continue;
        if (place.overlaps(touch.place)) wait.push_back(touch.done);
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
