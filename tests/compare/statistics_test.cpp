// Medians, intervals and verdicts, held against what is known of simulated samples.
#include "timing/statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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

TEST_CASE(
    "statistics: of processes an interval holds what they differ by, as often as it says, and an odd one does not move it") {
    std::mt19937_64 random(20261125);
    constexpr int trials = 400;
    for (const std::size_t processes : {4, 5, 10}) {
        CAPTURE(processes);
        int held = 0, held_alone = 0;
        for (int i = 0; i < trials; ++i) {
            const auto rounds = [&] { return simulate(random, 1e-3, 0, 0.02, static_cast<int>(processes), 9); };
            const Rounds a = rounds(), b = rounds();
            const auto holds = [](const Estimate& e, double truth) { return e.low <= truth && truth <= e.high; };
            held += holds(estimate_ratio(a, b, Apart::processes), 1);
            held_alone += holds(estimate(a, Apart::processes), 1e-3);
        }
        CHECK(held >= trials * 93 / 100);
        CHECK(held_alone >= trials * (processes == 4 ? 83 : 90) / 100);   // of four the whole range holds the middle in 7 of 8
    }
    // Of 36 pairs of 6 and 6 five may be left out at each end (2 x 19 of 924 orders).
    const Rounds ones{{1}, {1.01}, {1.02}, {1.03}, {1.04}, {1.05}};
    Rounds odd = ones;
    odd[2] = {9};
    CHECK(estimate_ratio(ones, ones, Apart::processes).median == doctest::Approx(1));
    CHECK(estimate_ratio(ones, ones, Apart::processes).high < 1.04);
    CHECK(estimate_ratio(odd, ones, Apart::processes).median < 1.02);
}

TEST_CASE("statistics: an interval of few processes has the confidence that it says, and all of them where that is below 95%") {
    std::mt19937_64 random(20261127);
    constexpr int trials = 2000;
    const double known[] = {0.5, 0.75, 0.875, 0.9375, 0.95, 0.95};   // of two to seven
    for (int processes = 2; processes <= 7; ++processes) {
        CAPTURE(processes);
        int held = 0;
        Estimate last;
        for (int i = 0; i < trials; ++i) {
            const Rounds rounds = simulate(random, 1, 0, 0.02, processes, 1);
            last = estimate(rounds, Apart::processes);
            held += last.low <= 1 && 1 <= last.high;
            if (last.confidence >= usual_confidence) continue;
            std::vector<double> all;
            for (const auto& round : rounds) all.push_back(round[0]);
            REQUIRE(last.low == *std::min_element(all.begin(), all.end()));
            REQUIRE(last.high == *std::max_element(all.begin(), all.end()));
        }
        CHECK(last.confidence == doctest::Approx(known[processes - 2]));
        CHECK(held >= trials * (last.confidence - 0.03));
        if (last.confidence < usual_confidence) CHECK(held <= trials * (last.confidence + 0.03));
    }
    for (const auto& [of, to] :
         {std::pair(2, 2), std::pair(2, 3), std::pair(3, 3), std::pair(3, 4), std::pair(4, 4), std::pair(2, 9)}) {
        CAPTURE(of);
        CAPTURE(to);
        int held = 0;
        double said = 0;
        for (int i = 0; i < trials; ++i) {
            const Estimate ratio =
                estimate_ratio(simulate(random, 1, 0, 0.02, of, 1), simulate(random, 1, 0, 0.02, to, 1), Apart::processes);
            held += ratio.low <= 1 && 1 <= ratio.high;
            said = ratio.confidence;
        }
        // 1 - 2 m! n! / (m + n)!, or 95%
        const double orders = std::tgamma(of + to + 1) / std::tgamma(of + 1) / std::tgamma(to + 1);
        CHECK(said == doctest::Approx(std::min(usual_confidence, 1 - 2 / orders)));
        CHECK(held >= trials * (said - 0.03));
    }
    // One process tells what its samples differ by; turns of one are no processes.
    const Rounds one{{1, 1.01, 1.02}}, turns{{1, 1.1}, {1.01, 1.1}};
    CHECK(estimate(one, Apart::processes).confidence == 0);
    CHECK(estimate(one, Apart::processes).high == estimate(one).high);
    CHECK(estimate_ratio(one, turns, Apart::processes).confidence == 0);
    CHECK(estimate(turns).confidence == usual_confidence);
    CHECK(estimate_ratio(turns, turns).confidence == usual_confidence);
}

TEST_CASE("statistics: what is said of measurements in fresh processes") {
    const auto verdict = [](double low, double high, double margin = repeat_margin) {
        return judge_processes({(low + high) / 2, low, high}, repeat_margin, margin, 1e-3);
    };
    CHECK(verdict(0.97, 1.045) == Verdict::same);
    CHECK(verdict(1.005, 1.02) == Verdict::same);   // surely more, and too little to matter
    CHECK(verdict(1.01, 1.09) == Verdict::slower);
    CHECK(verdict(0.91, 0.99) == Verdict::faster);
    CHECK(verdict(0.97, 1.06) == Verdict::ambiguous);         // too wide
    CHECK(verdict(1.005, 1.04) == Verdict::ambiguous);        // surely more, and it may matter
    CHECK(verdict(1.01, 1.09, 0.06) == Verdict::ambiguous);   // nights of this row differ by that
    CHECK(verdict(0.97, 1.06, 0.06) == Verdict::same);
    CHECK(judge_processes({2, 1.9, 2.1}, repeat_margin, repeat_margin, 1e-6) == Verdict::same);
}

TEST_CASE("statistics: in ten processes that differ by two hundredths equal rows are the same in 95%, and a twentieth is found") {
    std::mt19937_64 random(20261126);
    constexpr int trials = 400;
    for (const double odd : {0.0, 0.02}) {   // the share of processes that a neighbour made a tenth slower
        CAPTURE(odd);
        const auto row = [&](double seconds) {
            Rounds rounds = simulate(random, seconds, 0.01, odd > 0 ? 0.01 : 0.019, 10, 10);
            for (auto& round : rounds)
                if (std::uniform_real_distribution<double>()(random) < odd)
                    for (double& value : round) value *= 1.1;
            return rounds;
        };
        const auto said = [&](double times) {
            const Rounds a = row(1e-3), b = row(1e-3 * times);
            return judge_processes(estimate_ratio(b, a, Apart::processes), repeat_margin, repeat_margin, difference(b, a));
        };
        int same = 0, slower = 0, faster = 0;
        for (int i = 0; i < trials; ++i) {
            same += said(1) == Verdict::same;
            slower += said(1.05) == Verdict::slower;
            faster += said(1 / 1.05) == Verdict::faster;
        }
        CHECK(same >= trials * 94 / 100);
        CHECK(slower >= trials * 95 / 100);
        CHECK(faster >= trials * 95 / 100);
    }
}
