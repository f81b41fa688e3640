#include "series/neighbours.hpp"

namespace parallax::engine::series {

std::vector<Frame> Neighbours::around(std::size_t item, std::int64_t window) {
    const auto [first, end] = taken_around(item, window, items_);
    std::vector<Frame> frames;
    for (std::size_t i = first; i < end; ++i) frames.push_back(frame(i).get());
    return frames;
}

std::shared_future<Frame> Neighbours::frame(std::size_t item) {
    std::promise<Frame> promise;
    const std::shared_future<Frame> mine = promise.get_future().share();
    {
        const std::lock_guard lock(mutex_);
        recent_.remove(item);
        recent_.push_back(item);
        if (const auto known = frames_.find(item); known != frames_.end()) return known->second;   // perhaps still being read
        frames_.emplace(item, mine);
        while (frames_.size() > kept_) {
            frames_.erase(recent_.front());   // whoever waits for it holds its future
            recent_.pop_front();
        }
    }
    try {
        promise.set_value(read_(item));
    } catch (...) {
        promise.set_exception(std::current_exception());
    }
    return mine;
}

}  // namespace parallax::engine::series
