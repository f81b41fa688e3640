#include "api/handover.hpp"

#include <system_error>
#include <utility>

namespace parallax {

bool Handover::complete() const {
    {
        const std::lock_guard lock(mutex_);
        if (!over_) return false;
    }
    return handed().complete();
}

host::Event Handover::handed() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return over_; });
    if (problem_) std::rethrow_exception(problem_);
    return event_;
}

void Handover::end(host::Event event) {
    {
        const std::lock_guard lock(mutex_);
        event_ = std::move(event);
        over_ = true;
    }
    changed_.notify_all();
}

void Handover::end(std::exception_ptr problem) {
    {
        const std::lock_guard lock(mutex_);
        problem_ = std::move(problem);
        over_ = true;
    }
    changed_.notify_all();
}

host::Event handed(const host::Event& event) {
    const auto* const handover = dynamic_cast<const Handover*>(event.state());
    return handover != nullptr ? handover->handed() : event;
}

Turns::~Turns() {
    if (thread_.joinable()) thread_.join();
}

void Turns::lock() {
    mutex_.lock();
    if (thread_.joinable()) end();
}

void Turns::end() {
    thread_.join();
    const std::function<void()> after = std::exchange(after_, {});
    if (after) after();
}

void Turns::hand_over(std::function<void()> work, std::function<void()> after) {
    after_ = std::move(after);
    try {
        thread_ = std::thread(work);
    } catch (const std::system_error&) {   // none to be had: the caller hands it over
        work();
        std::exchange(after_, {})();
    }
}

}  // namespace parallax
