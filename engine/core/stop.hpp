// A stop on request, of which work on the host hears between its loops: a device has launches to be asked before, the host has not.
#pragma once

#include <chrono>
#include <functional>

namespace parallax::engine {

/// While it lives, the loops of this thread (core/threads.hpp) ask `cancelled` before they begin. `cancelled` must outlive it.
class StopScope {
public:
    explicit StopScope(const std::function<bool()>& cancelled) noexcept;
    ~StopScope();
    StopScope(const StopScope&) = delete;
    StopScope& operator=(const StopScope&) = delete;

private:
    friend void check_stop();

    const std::function<bool()>& cancelled_;
    StopScope* outer_;
    std::chrono::steady_clock::time_point asked_{};
};

/// Asks, a hundred times a second at most. Throws CancelledError.
void check_stop();

}  // namespace parallax::engine
