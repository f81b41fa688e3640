#include "program/recent_programs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace parallax::host;

namespace {

/// A program of no device, which is counted.
struct Counted {
    explicit Counted(int of) : number(of) { ++there; }
    ~Counted() { --there; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    int number;
    static inline std::atomic<int> there{0};
};
using Programs = RecentPrograms<Counted>;

Programs::Found get(Programs& programs, int number) {
    return programs.get(std::to_string(number), [&] { return std::make_shared<const Counted>(number); });
}

}  // namespace

TEST_CASE("programs that nobody uses go, those of longest ago first, and those in use stay") {
    {
        Programs programs;
        std::vector<std::shared_ptr<const Counted>> in_use;
        for (int i = 0; i < 100; ++i) in_use.push_back(get(programs, i).built);
        int most = 0;
        for (int i = 100; i < 5000; ++i) {
            CHECK_FALSE(get(programs, i).reused);
            CHECK(get(programs, 100).reused);   // asked for all the time
            most = std::max(most, Counted::there.load());
        }
        CHECK(most <= 100 + int(Programs::most_idle) + 1);
        CHECK(get(programs, 4999).reused);
        CHECK_FALSE(get(programs, 101).reused);
        for (int i = 0; i < 100; ++i) {
            const auto found = get(programs, i);
            CHECK(found.reused);
            CHECK(found.built == in_use[std::size_t(i)]);
        }
        in_use.clear();
        for (int i = 5000; i < 7000; ++i) get(programs, i);
        CHECK(Counted::there <= int(Programs::most_idle) + 1);   // and the last, which was in use as room was made
        CHECK(programs.size() <= Programs::most_idle + 1);
        CHECK(programs.find([](const Counted& one) { return one.number == 6999; })->number == 6999);
        CHECK(programs.find([](const Counted& one) { return one.number == 50; }) == nullptr);
    }
    CHECK(Counted::there == 0);
}

TEST_CASE("what cannot be built is asked for again, and takes no more room than others") {
    Programs programs;
    int calls = 0;
    const auto fails = [&]() -> std::shared_ptr<const Counted> {
        ++calls;
        throw std::runtime_error("does not compile");
    };
    for (int i = 0; i < 3; ++i) CHECK_THROWS_AS(programs.get("wrong", fails), std::runtime_error);
    CHECK(calls == 3);
    for (int i = 0; i < 3000; ++i) CHECK_THROWS_AS(programs.get("wrong " + std::to_string(i), fails), std::runtime_error);
    CHECK(programs.size() <= Programs::most_idle + 1);
}

TEST_CASE("threads that ask for many programs build each once at a time and get whole ones") {
    Programs programs;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 4000; ++i) {
                const int number = (i * 7 + t * 13) % 1500;
                if (get(programs, number).built->number != number) ++wrong;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(programs.size() <= Programs::most_idle + threads.size());
}
