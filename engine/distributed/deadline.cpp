#include "distributed/deadline.hpp"

#include <chrono>
#include <utility>

namespace parallax::engine::distributed {

Deadline::Deadline(double seconds, std::function<void()> late) {
    if (!(seconds > 0)) return;
    thread_ = std::thread([this, seconds, late = std::move(late)] {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return over_; })) late();
    });
}

Deadline::~Deadline() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

}  // namespace parallax::engine::distributed
