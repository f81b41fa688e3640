// Work shared out among threads of the processor. What is thrown in one of them is thrown when all have ended.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace parallax::engine {

/// body(first, end) on consecutive ranges of [0, count), one a thread. `threads` 0: as many as the processor runs.
template <class Body>
void parallel_ranges(std::int64_t count, int threads, const Body& body) {
    const std::int64_t wanted = threads > 0 ? threads : static_cast<std::int64_t>(std::thread::hardware_concurrency());
    const std::int64_t ranges = std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(count, 1));
    std::mutex mutex;
    std::exception_ptr problem;
    const auto run = [&](std::int64_t i) {
        try {
            body(count * i / ranges, count * (i + 1) / ranges);
        } catch (...) {
            const std::lock_guard lock(mutex);
            problem = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        others.reserve(static_cast<std::size_t>(ranges - 1));
        for (std::int64_t i = 1; i < ranges; ++i) others.emplace_back(run, i);
        run(0);
    }
    if (problem) std::rethrow_exception(problem);
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
