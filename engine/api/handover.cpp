#include "api/handover.hpp"

#include <chrono>
#include <exception>
#include <utility>

namespace parallax {

bool Handover::complete() const {
    return handed_.wait_for(std::chrono::seconds(0)) == std::future_status::ready && handed().complete();
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
    } catch (const std::exception&) {   // none to be had: the caller hands it over
        work();
        std::exchange(after_, {})();
    }
}

}  // namespace parallax
