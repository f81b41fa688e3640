#include "core/threads.hpp"

#include "core/stop.hpp"
#include "parallax/host/error.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

using namespace parallax::engine;

TEST_CASE("threads: a team's ranges cover each item once, loop after loop") {
    for (const int threads : {1, 2, 5}) {
        Team team(threads);
        for (const std::int64_t count : {0, 1, 3, 4, 5, 1000}) {
            std::vector<int> times(static_cast<std::size_t>(count), 0);
            for (int loop = 0; loop < 200; ++loop)
                team.ranges(count, [&](std::int64_t first, std::int64_t end) {
                    for (std::int64_t i = first; i < end; ++i) ++times[static_cast<std::size_t>(i)];
                });
            CHECK(std::all_of(times.begin(), times.end(), [](int n) { return n == 200; }));
        }
    }
}

TEST_CASE("threads: what one throws is thrown when all have ended, and the team goes on") {
    Team team(4);
    std::atomic<int> ended{0};
    const auto broken = [&](std::int64_t first, std::int64_t) {
        if (first == 2) throw std::runtime_error("the third range");
        ++ended;
    };
    CHECK_THROWS_WITH_AS(team.ranges(4, broken), "the third range", std::runtime_error);
    CHECK(ended == 3);
    team.ranges(4, [&](std::int64_t, std::int64_t) { ++ended; });
    CHECK(ended == 7);
}

TEST_CASE("threads: no more of them than have enough to do") {
    std::atomic<int> ranges{0};
    parallel_ranges(
        elements_worth_a_thread, 0, [&](std::int64_t first, std::int64_t end) { ranges += end > first ? 1 : 0; },
        elements_worth_a_thread);
    CHECK(ranges == 1);
    std::atomic<std::int64_t> sum{0};
    parallel_parts(100, 3, [&](std::int64_t part) { sum += part; });
    CHECK(sum == 4950);
}

TEST_CASE("threads: a stop on request is heard between loops, by who is to stop alone") {
    const auto loop = [](int loops) {
        Team team(2);
        std::atomic<int> done{0};
        for (int i = 0; i < loops; ++i) team.ranges(4, [&](std::int64_t, std::int64_t) { ++done; });
        return done.load();
    };
    int asked = 0;
    const std::function<bool()> third = [&] { return ++asked == 3; };
    {
        const StopScope scope(third);
        CHECK_THROWS_AS(loop(5000000), parallax::CancelledError);   // half a minute
        std::thread other([&] { CHECK(loop(10) == 20); });
        other.join();
    }
    CHECK(asked == 3);
    CHECK(loop(10) == 20);
}
