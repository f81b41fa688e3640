#include "parallax/host/queue.hpp"

#include "parallax/host/error.hpp"

#include <exception>

namespace parallax::host {
namespace {

bool is_over(const Event& event) noexcept {
    try {
        return event.complete();
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace

Queue::~Queue() {
    for (auto& [memory, until] : kept_)
        if (!is_over(until)) static_cast<void>(new std::shared_ptr<const void>(std::move(memory)));
}

Event Queue::replay(Recording&, std::string_view step, bool) {
    throw DeviceError("replay", 0, "", std::string(step), "this device records no launches");
}

void Queue::let_go_of_what_has_ended() {
    std::erase_if(kept_, [](const auto& entry) { return is_over(entry.second); });
}

void Queue::keep(std::shared_ptr<const void> memory, Event until) {
    let_go_of_what_has_ended();
    kept_.emplace_back(std::move(memory), std::move(until));
}

}  // namespace parallax::host
