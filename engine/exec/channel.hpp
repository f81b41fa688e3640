// A queue between threads that holds at most so many: who is fast waits for who is slow.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace parallax::engine {

template <class T>
class Channel {
public:
    explicit Channel(std::size_t capacity) : capacity_(capacity) {}

    /// Waits for room. False, and nothing is taken, once the channel is closed.
    bool push(T value) {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return closed_ || values_.size() < capacity_; });
        if (closed_) return false;
        values_.push_back(std::move(value));
        filled_.notify_one();
        return true;
    }
    /// Waits for a value; nothing once the channel is closed and empty.
    std::optional<T> pop() {
        std::unique_lock lock(mutex_);
        filled_.wait(lock, [&] { return closed_ || !values_.empty(); });
        return take();
    }
    /// Nothing if there is none now.
    std::optional<T> try_pop() {
        const std::lock_guard lock(mutex_);
        return take();
    }
    /// No more values go in; those that are in come out.
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        room_.notify_all();
        filled_.notify_all();
    }

private:
    std::optional<T> take() {
        if (values_.empty()) return std::nullopt;
        std::optional<T> value(std::move(values_.front()));
        values_.pop_front();
        room_.notify_one();
        return value;
    }

    const std::size_t capacity_;
    std::mutex mutex_;
    std::condition_variable room_, filled_;
    std::deque<T> values_;
    bool closed_ = false;
};

}  // namespace parallax::engine
