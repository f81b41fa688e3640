// Ranks that are threads.
#include "core/part.hpp"
#include "distributed/deadline.hpp"
#include "distributed/threads.hpp"
#include "jobs/support.hpp"

#include <atomic>
#include <chrono>

using namespace parallax;
using namespace parallax::engine::distributed;
using parallax::tests::error_of;

TEST_CASE("ranks: neighbours exchange, everyone hears rank 0 and each other") {
    for (const int size : {1, 2, 5}) {
        run_in_threads(size, [&](Communicator& ranks) {
            std::vector<int> mine(1000, ranks.rank()), left(1000, -1), right(1000, -1);
            for (int round = 0; round < 50; ++round) {
                std::vector<Message> messages;
                if (ranks.rank() > 0)
                    messages.push_back(
                        {ranks.rank() - 1, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(left))});
                if (ranks.rank() + 1 < size)
                    messages.push_back(
                        {ranks.rank() + 1, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(right))});
                ranks.exchange(messages);
                if (ranks.rank() > 0 && left != std::vector<int>(1000, ranks.rank() - 1)) throw Error("wrong rows from the left");
                if (ranks.rank() + 1 < size && right != std::vector<int>(1000, ranks.rank() + 1))
                    throw Error("wrong rows from the right");
            }
            if (broadcast(ranks, ranks.rank() == 0 ? "word" : "noise") != "word") throw Error("not what rank 0 said");
            const std::vector<std::string> all = gather_everywhere(ranks, std::to_string(ranks.rank()));
            if (all.size() != static_cast<std::size_t>(size) || all.back() != std::to_string(size - 1))
                throw Error("not what the ranks said");
        });
    }
}

TEST_CASE("ranks: one that fails ends those that wait for it, and its error is the one that is told") {
    const Error error = error_of<IoError>([] {
        run_in_threads(4, [](Communicator& ranks) {
            if (ranks.rank() == 2) throw IoError("rows.npy", "cannot be read");
            barrier(ranks);
        });
    });
    CHECK(std::string(error.what()).find("rows.npy") != std::string::npos);
}

TEST_CASE("ranks: shares are whole units, even, and all of it") {
    for (const std::int64_t slices : {1, 7, 64, 1000})
        for (const int ranks : {1, 2, 3, 8})
            for (const std::int64_t unit : {1, 64}) {
                std::int64_t next = 0;
                for (int rank = 0; rank < ranks; ++rank) {
                    const engine::Slices share = share_of(slices, ranks, rank, unit);
                    CHECK(share.first == next);
                    CHECK((share.end % unit == 0 || share.end == slices));
                    next = share.end;
                }
                CHECK(next == slices);
            }
}

TEST_CASE("ranks: a deadline is told once, and not at all where the call ends before it") {
    using namespace std::chrono_literals;
    std::atomic<int> told = 0;
    {
        const Deadline deadline(.05, [&] { ++told; });
        for (int i = 0; i < 500 && told == 0; ++i) std::this_thread::sleep_for(10ms);
        CHECK(told == 1);
        std::this_thread::sleep_for(100ms);
    }
    CHECK(told == 1);
    const auto start = std::chrono::steady_clock::now();
    { const Deadline deadline(3600, [&] { ++told; }); }
    { const Deadline none(0, [&] { ++told; }); }
    CHECK(told == 1);
    CHECK(std::chrono::steady_clock::now() - start < 60s);
}
