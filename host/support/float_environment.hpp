// The arithmetic that results are computed with, whatever the caller has set for its own.
#pragma once

#include <cfenv>

namespace parallax::host {

/// As long as it lives this thread, and those that it starts, round to nearest, keep numbers below the normal ones, and trap
/// nothing: as a program begins. Then the caller's environment holds again, with the flags that were up. Hosts round otherwise
/// for intervals, trap while they are debugged, and have small numbers flushed by the start-up code of -ffast-math: each would
/// change what is computed here, or end the host.
class FloatEnvironment {
public:
    FloatEnvironment() noexcept {
        std::fegetenv(&callers_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~FloatEnvironment() { std::fesetenv(&callers_); }
    FloatEnvironment(const FloatEnvironment&) = delete;
    FloatEnvironment& operator=(const FloatEnvironment&) = delete;

private:
    std::fenv_t callers_{};
};

}  // namespace parallax::host
