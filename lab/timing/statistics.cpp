#include "timing/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace parallax::engine::compare {

namespace {

constexpr int resamplings = 1000;

std::vector<double> all_of(const Rounds& rounds) {
    std::vector<double> all;
    for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
    return all;
}

/// A number below n; what std::uniform_int_distribution does differs between libraries.
std::size_t below(std::mt19937_64& random, std::size_t n) { return static_cast<std::size_t>(random() % n); }

std::vector<double> resample(const Rounds& rounds, std::mt19937_64& random) {
    std::vector<double> sample;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        const auto& round = rounds[below(random, rounds.size())];
        for (std::size_t i = 0; i < round.size(); ++i) sample.push_back(round[below(random, round.size())]);
    }
    return sample;
}

Rounds without_empty(const Rounds& rounds) {
    Rounds kept;
    for (const auto& round : rounds) {
        if (!round.empty()) kept.push_back(round);
    }
    return kept;
}

template <class Statistic>
Estimate interval(double value, const Statistic& statistic) {
    std::mt19937_64 random(20261121);
    std::vector<double> values;
    values.reserve(resamplings);
    for (int i = 0; i < resamplings; ++i) values.push_back(statistic(random));
    return {value, std::min(percentile(values, 0.025), value), std::max(percentile(values, 0.975), value)};
}

}  // namespace

double percentile(std::vector<double> values, double p) {
    std::sort(values.begin(), values.end());
    const double place = p * static_cast<double>(values.size() - 1);
    const auto i = static_cast<std::size_t>(place);
    if (i + 1 >= values.size()) return values.back();
    return values[i] + (place - static_cast<double>(i)) * (values[i + 1] - values[i]);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Estimate estimate(const Rounds& given) {
    const Rounds rounds = without_empty(given);
    return interval(median(all_of(rounds)), [&](std::mt19937_64& random) { return median(resample(rounds, random)); });
}

Estimate estimate_ratio(const Rounds& given_a, const Rounds& given_b) {
    const Rounds a = without_empty(given_a), b = without_empty(given_b);
    return interval(median(all_of(a)) / median(all_of(b)),
                    [&](std::mt19937_64& random) { return median(resample(a, random)) / median(resample(b, random)); });
}

std::string_view to_string(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::same: return "same";
        case Verdict::faster: return "faster";
        case Verdict::slower: return "slower";
    }
    return "unknown";
}

Verdict judge(const Estimate& ratio, double margin, double difference_s, double least_s) {
    if (std::abs(difference_s) < least_s) return Verdict::same;
    if (ratio.low > 1 + margin) return Verdict::slower;
    if (ratio.high < 1 / (1 + margin)) return Verdict::faster;
    return Verdict::same;
}

}  // namespace parallax::engine::compare
