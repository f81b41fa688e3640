// Waits that take longer: PARALLAX_FAULTS_SLOWER=0.05 lets whatever a thread waits for take a twentieth longer, from the first
// command since the last wait on, by a processor that is busy meanwhile. Time really passes, so that no figure is touched.
#pragma once

#include <chrono>
#include <cstdlib>

namespace parallax_slower {

/// A share of the environment's, 0 where it says nothing.
inline double share_of(const char* variable) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? 0.0 : std::atof(text);
}

class Waits {
public:
    /// A command is sent.
    void begin() {
        if (share_ > 0 && began_ == Clock::time_point()) began_ = Clock::now();
    }
    /// What was sent has ended.
    void end() {
        if (share_ <= 0 || began_ == Clock::time_point()) return;
        const auto now = Clock::now();
        const auto until = now + std::chrono::duration_cast<Clock::duration>((now - began_) * share_);
        began_ = {};
        while (Clock::now() < until) {
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    double share_ = share_of("PARALLAX_FAULTS_SLOWER");
    Clock::time_point began_{};
};

inline Waits& waits() {
    thread_local Waits of_thread;
    return of_thread;
}

}   // namespace parallax_slower
