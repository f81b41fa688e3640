// How long a process could have gone on. The clock is no measure of it where others have the processors: there a driver that
// wants ten milliseconds takes minutes, and looks like one that hangs.
#pragma once

#include <chrono>
#include <cstdint>

namespace parallax::host {

/// Counts what a process and its children compute, and what they sleep: not what they wait for a processor or a disk, nor while
/// they are stopped. Where the system does not tell (elsewhere than on Linux), all time counts.
class OwnTime {
public:
    explicit OwnTime(std::int64_t process) : process_(process) {}

    /// To be asked for again and again, ten times a second: of a time that nobody looked, a quarter of a second counts at most,
    /// since who could not look had no processor either.
    std::chrono::duration<double> so_far();

private:
    using Clock = std::chrono::steady_clock;

    std::int64_t process_;
    Clock::time_point looked_ = Clock::now();
    double computed_s_ = 0;   ///< by all of its threads, up to then
    double own_s_ = 0;
};

}  // namespace parallax::host
