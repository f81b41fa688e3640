// The files of an input, several at a time: a job may name a hundred thousand, and what each costs is its opening.
#pragma once

#include "core/threads.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>

namespace parallax::engine {

/// body(i) for each of [0, count), on several threads where there are hundreds. Of those that throw the first in their order is heard.
template <class Body>
void each_file(std::size_t count, const Body& body) {
    constexpr std::int64_t worth_a_thread = 64;
    std::mutex mutex;
    std::exception_ptr problem;
    std::atomic<std::int64_t> first{static_cast<std::int64_t>(count)};   ///< that has thrown
    parallel_ranges(static_cast<std::int64_t>(count), 0, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end && i < first; ++i) {
            try {
                body(static_cast<std::size_t>(i));
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (i >= first) return;
                first = i;
                problem = std::current_exception();
            }
        }
    }, worth_a_thread);
    if (problem) std::rethrow_exception(problem);
}

}  // namespace parallax::engine
