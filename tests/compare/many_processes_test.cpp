// Intervals of many processes: as wide as the tests that they are of have them, and in time that grows with the samples.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

#include "seed.hpp"
#include "timing/pair_ratios.hpp"
#include "timing/statistics.hpp"

using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

/// Processes of one sample each.
Rounds each_alone(const std::vector<double>& values) {
    Rounds rounds;
    for (const double value : values) rounds.push_back({value});
    return rounds;
}

std::vector<double> ratios_of(const std::vector<double>& of, const std::vector<double>& to) {
    std::vector<double> ratios;
    for (const double a : of)
        for (const double b : to) ratios.push_back(a / b);
    std::sort(ratios.begin(), ratios.end());
    return ratios;
}

/// Times about a second, of which no two are alike.
std::vector<double> times(std::mt19937_64& random, std::size_t count) {
    std::lognormal_distribution<double> about(0, 0.5);
    std::vector<double> all(count);
    for (double& one : all) one = about(random);
    return all;
}

/// How many an interval leaves out at its lower end, of a sorted list; at its upper end it must be as many.
std::size_t left_out(const Estimate& e, const std::vector<double>& sorted) {
    const auto low = std::lower_bound(sorted.begin(), sorted.end(), e.low);
    REQUIRE(*low == e.low);
    const auto out = low - sorted.begin();
    REQUIRE(e.high == *(sorted.end() - 1 - out));
    return static_cast<std::size_t>(out);
}

}   // namespace

TEST_CASE("statistics: the ratios of pairs are found in their order without being made, ties and all") {
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < drawn_count(60); ++i) {
        const auto list = [&] {
            std::vector<double> values(1 + random() % 12);
            const double unit = std::exp2(static_cast<double>(random() % 2000) - 1000);
            for (double& value : values)   // ties, tiny ones, and such as differ in their last bit
                value = random() % 2 == 0 ? unit * static_cast<double>(1 + random() % 4)
                                          : std::nextafter(1e-3, static_cast<double>(random() % 2));
            std::sort(values.begin(), values.end());
            return values;
        };
        const std::vector<double> of = list(), to = list(), all = ratios_of(of, to);
        const PairRatios ratios(of, to);
        REQUIRE(ratios.size() == all.size());
        for (std::size_t k = 0; k < all.size(); ++k) REQUIRE(ratios.at(k) == all[k]);
        REQUIRE(ratios.median() == median(all));
    }
}

TEST_CASE("statistics: as many pairs are left out as Mann and Whitney's test has, and as many values as the sign test's") {
    std::mt19937_64 random(20261128);
    struct Known { std::size_t of, to, pairs; };
    // Counted with whole numbers of any length. Of 60 and more the normal distribution says the same to one pair in a hundred.
    for (const auto& [of, to, pairs] : {Known{4, 4, 0}, Known{6, 6, 5}, Known{20, 20, 127}, Known{30, 40, 434}, Known{50, 50, 965},
                                        Known{5, 500, 618}, Known{60, 60, 1426}, Known{30, 100, 1145}, Known{100, 100, 4197}}) {
        CAPTURE(of);
        CAPTURE(to);
        const std::vector<double> a = times(random, of), b = times(random, to);
        const Estimate e = estimate_ratio(each_alone(a), each_alone(b), Apart::processes);
        const std::size_t out = left_out(e, ratios_of(a, b));
        CHECK(out <= pairs);
        CHECK(out * 100 >= pairs * 99);
        if (of * to <= 2500) CHECK(out == pairs);
        CHECK(e.confidence == usual_confidence);
    }
    for (const auto& [count, values] : {std::pair<std::size_t, std::size_t>{6, 0}, {20, 5}, {100, 39}, {500, 227}, {1000, 468}, {1001, 469}, {2000, 955}}) {
        CAPTURE(count);
        std::vector<double> a = times(random, count);
        const Estimate e = estimate(each_alone(a), Apart::processes);
        std::sort(a.begin(), a.end());
        const std::size_t out = left_out(e, a);
        CHECK(out <= values);
        CHECK(out + 1 >= values);
    }
}

TEST_CASE("statistics: of a thousand processes as few equal rows are called different as of twenty") {
    std::mt19937_64 random(20261129);
    constexpr int trials = 100;
    for (const std::size_t processes : {20, 400, 1000}) {
        CAPTURE(processes);
        int differ = 0, off = 0;
        for (int i = 0; i < trials; ++i) {
            const std::vector<double> a = times(random, processes);
            const Estimate ratio = estimate_ratio(each_alone(a), each_alone(times(random, processes)), Apart::processes),
                           time = estimate(each_alone(a), Apart::processes);
            differ += ratio.low > 1 || ratio.high < 1;
            off += time.low > 1 || time.high < 1;
        }
        CHECK(differ <= trials / 10);
        CHECK(off <= trials / 10);
    }
}

TEST_CASE("statistics: twenty thousand processes against as many take a moment and no square of memory") {
    std::mt19937_64 random(1);
    const Rounds a = each_alone(times(random, 20000)), b = each_alone(times(random, 20000));
    const auto began = std::chrono::steady_clock::now();
    const Estimate ratio = estimate_ratio(a, b, Apart::processes);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));   // 0.05 s where nobody else is at work
    CHECK(ratio.low < ratio.median);
    CHECK(ratio.high < 1.1);
}
