// Host memory that commands of a queue read or write until they have ended.
#pragma once

#include "parallax/host/queue.hpp"

#include <exception>
#include <memory>
#include <utility>

namespace parallax::host {

/// Owns a T (a vector, an array) whose memory asynchronous commands of `queue` use. When an error comes between a
/// command and its end, the destructor waits for the queue before the memory goes. A driver that cannot even do that
/// keeps the memory for good: a leak does less harm than a late write into what has another owner by then.
///
///     InFlight<std::vector<float>> values(queue, std::vector<float>(n));
///     queue.read(buffer, 0, values->data(), bytes).wait();
///     values.landed();
template <class T>
class InFlight {
public:
    InFlight(Queue& queue, T memory) : queue_(queue), memory_(std::make_unique<T>(std::move(memory))) {}
    ~InFlight() {
        if (landed_) return;
        try {
            queue_.finish();
        } catch (const std::exception&) {
            static_cast<void>(memory_.release());
        }
    }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

    T& operator*() noexcept { return *memory_; }
    T* operator->() noexcept { return memory_.get(); }
    /// Every command that uses the memory has ended.
    void landed() noexcept { landed_ = true; }

private:
    Queue& queue_;
    std::unique_ptr<T> memory_;
    bool landed_ = false;
};

}  // namespace parallax::host
