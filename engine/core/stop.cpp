#include "core/stop.hpp"

#include "parallax/host/error.hpp"

namespace parallax::engine {
namespace {

thread_local StopScope* innermost = nullptr;

}  // namespace

StopScope::StopScope(const std::function<bool()>& cancelled) noexcept : cancelled_(cancelled), outer_(innermost) {
    innermost = this;
}

StopScope::~StopScope() { innermost = outer_; }

void check_stop() {
    if (innermost == nullptr || !innermost->cancelled_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - innermost->asked_ < std::chrono::milliseconds(10)) return;
    innermost->asked_ = now;
    if (innermost->cancelled_()) throw CancelledError("stopped on request, while the host computed");
}

}  // namespace parallax::engine
