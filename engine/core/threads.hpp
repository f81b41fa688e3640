// Work shared out among threads of the processor. What is thrown in one of them is thrown when all have ended.
#pragma once

#include "support/platform.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace parallax::engine {

/// Threads that wait for the next loop. Iterative schemes keep one, since their loops are shorter than the start of a thread.
///
///     Team team(0);
///     for (int step = 0; step < steps; ++step)
///         team.ranges(height, [&](std::int64_t first, std::int64_t end) { for (auto y = first; y < end; ++y) update(y); });
class Team {
public:
    /// `threads`, of which the caller is one; 0: as many as can run at once. Fewer where the system gives no more.
    explicit Team(int threads);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    /// body(first, end) on consecutive ranges of [0, count), one a thread, until all have ended; none where check_stop() throws.
    template <class Body>
    void ranges(std::int64_t count, const Body& body) {
        run(
            count, [](const void* of, std::int64_t first, std::int64_t end) { (*static_cast<const Body*>(of))(first, end); },
            &body);
    }

private:
    using Call = void (*)(const void* body, std::int64_t first, std::int64_t end);
    void run(std::int64_t count, Call, const void* body);
    void work(std::int64_t range) noexcept;
    void help(std::int64_t range);

    Call call_ = nullptr;
    const void* body_ = nullptr;
    std::int64_t count_ = 0, ranges_ = 0;
    std::atomic<std::uint32_t> loop_{0};            ///< which loop it is; each is one more
    std::atomic<int> at_work_{0};                   ///< helpers that have not ended this loop
    std::atomic<bool> over_{false};
    std::mutex mutex_;
    std::exception_ptr problem_;                    ///< under mutex_ while a loop runs
    std::vector<std::thread> helpers_;
};

/// Starting a thread takes as long as some operations on so many elements.
constexpr std::int64_t elements_worth_a_thread = std::int64_t{1} << 14;

/// body(first, end) on consecutive ranges of [0, count), one a thread. `threads` 0: as many as can run at once, but no more than
/// have `least` items each.
template <class Body>
void parallel_ranges(std::int64_t count, int threads, const Body& body, std::int64_t least = 1) {
    const std::int64_t wanted = threads > 0          ? threads
                                : count / least <= 1 ? 1
                                                     : std::min<std::int64_t>(host::platform::processors(), count / least);
    Team(static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(count, 1)))).ranges(count, body);
}

/// body(part) for each of [0, parts), the next one by whichever thread is free.
template <class Body>
void parallel_parts(std::int64_t parts, int threads, const Body& body) {
    std::atomic<std::int64_t> next{0};
    parallel_ranges(parts, threads, [&](std::int64_t, std::int64_t) {
        for (std::int64_t i = next++; i < parts; i = next++) body(i);
    });
}

}  // namespace parallax::engine
