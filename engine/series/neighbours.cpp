#include "series/neighbours.hpp"

#include <iterator>

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
        if (const auto known = frames_.find(item); known != frames_.end()) {
            recent_.splice(recent_.end(), recent_, known->second.place);
            return known->second.frame;   // perhaps still being read
        }
        recent_.push_back(item);
        frames_.emplace(item, Kept{mine, std::prev(recent_.end())});
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
