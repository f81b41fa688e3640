// Medians, intervals and verdicts, held against what is known of simulated samples.
#include "timing/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace parallax::engine::compare;

namespace {

/// Times as they come: a long tail above, and rounds that differ by `drift`.
Rounds simulate(std::mt19937_64& random, double typical, double noise, double drift, int rounds = 5, int samples = 6) {
    std::normal_distribution<double> normal;
    Rounds all;
    for (int r = 0; r < rounds; ++r) {
        const double level = typical * std::exp(drift * normal(random));
        all.emplace_back();
        for (int i = 0; i < samples; ++i) all.back().push_back(level * std::exp(noise * std::abs(normal(random))));
    }
    return all;
}

double difference(const Rounds& a, const Rounds& b) { return estimate(a).median - estimate(b).median; }

}  // namespace

TEST_CASE("statistics: medians and percentiles of short lists") {
    CHECK(median({3}) == 3);
    CHECK(median({4, 1}) == 2.5);
    CHECK(median({9, 1, 5}) == 5);
    CHECK(percentile({1, 2, 3, 4, 5}, 0) == 1);
    CHECK(percentile({5, 1, 3}, 1) == 5);
    CHECK(percentile({0, 10}, 0.25) == 2.5);
}

TEST_CASE("statistics: an interval holds its median, is the same every time, and shrinks to nothing where nothing varies") {
    std::mt19937_64 random(1);
    const Rounds rounds = simulate(random, 1e-3, 0.1, 0.02);
    const Estimate a = estimate(rounds), b = estimate(rounds);
    CHECK(a.low <= a.median);
    CHECK(a.median <= a.high);
    CHECK(a.low < a.high);
    CHECK(a.low == b.low);
    CHECK(a.high == b.high);
    const Estimate flat = estimate({{2, 2}, {2}});
    CHECK(flat.low == 2);
    CHECK(flat.high == 2);
    const Estimate one = estimate({{}, {7}});   // a round that gave nothing does not count
    CHECK(one.median == 7);
}

TEST_CASE("statistics: intervals hold the true median about as often as they say") {
    std::mt19937_64 random(2);
    const double truth = 1e-3 * std::exp(0.1 * 0.6744897501960817);   // median of |normal|
    int held = 0;
    constexpr int trials = 300;
    for (int i = 0; i < trials; ++i) {
        const Estimate e = estimate(simulate(random, 1e-3, 0.1, 0.0, 5, 12));
        held += e.low <= truth && truth <= e.high;
    }
    CHECK(held >= trials * 90 / 100);
    CHECK(held < trials);
}

TEST_CASE("statistics: the same thing twice is called the same in at least 95% of trials, under noise and drift") {
    struct Condition { double noise, drift; };
    for (const auto& [noise, drift] : {Condition{0.01, 0.0}, Condition{0.1, 0.02}, Condition{0.3, 0.05}, Condition{0.05, 0.1}}) {
        CAPTURE(noise);
        CAPTURE(drift);
        std::mt19937_64 random(3);
        int same = 0;
        constexpr int trials = 200;
        for (int i = 0; i < trials; ++i) {
            const Rounds a = simulate(random, 1e-3, noise, drift), b = simulate(random, 1e-3, noise, drift);
            same += judge(estimate_ratio(a, b), practical_margin, difference(a, b)) == Verdict::same;
        }
        CHECK(same >= trials * 95 / 100);
    }
}

TEST_CASE("statistics: a fifth more or less is seen, a hundredth is not") {
    std::mt19937_64 random(4);
    int slower = 0, faster = 0, same = 0;
    constexpr int trials = 100;
    for (int i = 0; i < trials; ++i) {
        const Rounds base = simulate(random, 1e-3, 0.05, 0.01), more = simulate(random, 1.2e-3, 0.05, 0.01),
                     little = simulate(random, 1.01e-3, 0.05, 0.01);
        slower += judge(estimate_ratio(more, base), practical_margin, difference(more, base)) == Verdict::slower;
        faster += judge(estimate_ratio(base, more), practical_margin, difference(base, more)) == Verdict::faster;
        same += judge(estimate_ratio(little, base), practical_margin, difference(little, base)) == Verdict::same;
    }
    CHECK(slower >= 95);
    CHECK(faster >= 95);
    CHECK(same >= 95);
    CHECK(judge({2, 1.9, 2.1}, practical_margin, 1e-6) == Verdict::same);   // a microsecond is below what clocks tell
}
