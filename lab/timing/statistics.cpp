#include "timing/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <random>
#include <utility>

#include "timing/pair_ratios.hpp"

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

std::vector<double> medians_of(const Rounds& rounds) {
    std::vector<double> medians;
    for (const auto& round : rounds) medians.push_back(median(round));
    std::sort(medians.begin(), medians.end());
    return medians;
}

/// The part of a sorted list that holds the middle.
struct Middle {
    std::size_t out = 0;     ///< values that are left out at each end
    double confidence = 0;   ///< in how many cases it does
};

/// The shortest that does so in 95% of cases, or, where none does, all of the list: it has value number u with a chance in
/// proportion to ways[u], and is as long as ways less one.
Middle middle_by(const std::vector<double>& ways) {
    double all = 0, below = 0;
    for (const double one : ways) all += one;
    Middle middle{0, 1 - 2 * ways.front() / all};
    for (std::size_t u = 0; u + 1 < ways.size() / 2; ++u) {
        below += ways[u];
        if (1 - 2 * below / all < usual_confidence) break;
        middle = {u, usual_confidence};
    }
    return middle;
}

/// As many at each end as a normal distribution has beyond its 95%; of whole numbers, half of one belongs to the next.
Middle middle_of_normal(double mean, double deviation) {
    constexpr double normal_975 = 1.959964;
    return {static_cast<std::size_t>(std::max(0.0, std::floor(mean - normal_975 * deviation - 0.5))), usual_confidence};
}

/// Of n values: the sign test's. Up to `exact`, whose chances a double can hold, by the binomial coefficients.
Middle middle_of_values(std::size_t n) {
    constexpr std::size_t exact = 1000;
    const auto count = static_cast<double>(n);
    if (n > exact) return middle_of_normal(count / 2, std::sqrt(count) / 2);
    std::vector<double> chances{std::exp2(-count)};   // that u of them lie below the middle
    for (std::size_t u = 0; u < n; ++u)
        chances.push_back(chances.back() * static_cast<double>(n - u) / static_cast<double>(u + 1));
    return middle_by(chances);
}

/// In how many orders of m and n values u of the m x n pairs stand the wrong way round (Mann and Whitney 1947): the coefficients
/// of the Gaussian binomial, the product of (1 - q^(n + i)) / (1 - q^i) over i to m.
std::vector<double> ways_to_cross(std::size_t m, std::size_t n) {
    std::vector<double> ways(m * n + 1);
    ways[0] = 1;
    for (std::size_t i = 1; i <= m; ++i) {
        for (std::size_t u = ways.size(); u-- > n + i;) ways[u] -= ways[u - n - i];
        for (std::size_t u = i; u < ways.size(); ++u) ways[u] += ways[u - i];
    }
    return ways;
}

/// Of the ratios of m and n values, each by each: Mann and Whitney's. The coefficients lose their digits where there are many (and
/// take time by the cube); there, more than fifty and fifty, the normal distribution is as good.
Middle middle_of_ratios(std::size_t m, std::size_t n) {
    constexpr std::size_t exact = 50 * 50;
    if (m * n <= exact) {
        thread_local std::map<std::pair<std::size_t, std::size_t>, Middle> known;   // rows of a report are as many mostly
        const auto [at, fresh] = known.try_emplace(std::minmax(m, n));
        if (fresh) at->second = middle_by(ways_to_cross(std::min(m, n), std::max(m, n)));
        return at->second;
    }
    const auto of = static_cast<double>(m), to = static_cast<double>(n);
    return middle_of_normal(of * to / 2, std::sqrt(of * to * (of + to + 1) / 12));
}

/// What is left of a sorted list, about its middle.
template <class Sorted>
Estimate estimate_by(const Middle& middle, const Sorted& sorted, double value) {
    return {value, std::min(sorted.at(middle.out), value), std::max(sorted.at(sorted.size() - 1 - middle.out), value),
            middle.confidence};
}

/// What one process tells of itself.
Estimate alone(Estimate estimate) {
    estimate.confidence = 0;
    return estimate;
}

/// The 97.5% quantile of Student's distribution; above 30 degrees of freedom by the first terms of its series.
double student_975(std::size_t degrees) {
    constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    if (degrees <= std::size(table)) return table[degrees - 1];
    const auto n = static_cast<double>(degrees);
    return 1.95996 + 2.37227 / n + 2.82250 / (n * n);
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

Estimate estimate(const Rounds& given, Apart apart) {
    const Rounds rounds = without_empty(given);
    if (apart == Apart::processes && rounds.size() > 1) {
        const std::vector<double> medians = medians_of(rounds);
        return estimate_by(middle_of_values(medians.size()), medians, median(all_of(rounds)));
    }
    const Estimate found =
        interval(median(all_of(rounds)), [&](std::mt19937_64& random) { return median(resample(rounds, random)); });
    return apart == Apart::processes ? alone(found) : found;
}

Estimate estimate_ratio(const Rounds& given_a, const Rounds& given_b, Apart apart) {
    const Rounds a = without_empty(given_a), b = without_empty(given_b);
    if (apart == Apart::processes && std::min(a.size(), b.size()) > 1) {
        const std::vector<double> of = medians_of(a), to = medians_of(b);
        const PairRatios ratios(of, to);
        return estimate_by(middle_of_ratios(of.size(), to.size()), ratios, ratios.median());
    }
    const Estimate found = interval(median(all_of(a)) / median(all_of(b)), [&](std::mt19937_64& random) {
        return median(resample(a, random)) / median(resample(b, random));
    });
    return apart == Apart::processes ? alone(found) : found;
}

Estimate geometric_mean(const std::vector<double>& ratios) {
    const auto n = static_cast<double>(ratios.size());
    double mean = 0, squares = 0;
    for (const double ratio : ratios) mean += std::log(ratio) / n;
    for (const double ratio : ratios) squares += (std::log(ratio) - mean) * (std::log(ratio) - mean);
    const double half = ratios.size() > 1 ? student_975(ratios.size() - 1) * std::sqrt(squares / (n - 1) / n) : 0;
    constexpr double most = 1e300;   // of two cases that differ by much the interval ends nowhere
    return {std::exp(mean), std::max(std::exp(mean - half), 1 / most), std::min(std::exp(mean + half), most)};
}

std::string_view to_string(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::same: return "same";
        case Verdict::faster: return "faster";
        case Verdict::slower: return "slower";
        case Verdict::ambiguous:
            return "ambiguous";
    }
    return "unknown";
}

namespace {

/// Slower or faster, but for an interval of too few processes.
Verdict if_sure(const Estimate& ratio, Verdict verdict) {
    return ratio.confidence < usual_confidence ? Verdict::ambiguous : verdict;
}

}  // namespace

Verdict judge(const Estimate& ratio, double margin, double difference_s, double least_s) {
    if (std::abs(difference_s) < least_s) return Verdict::same;
    if (ratio.low > 1 + margin) return if_sure(ratio, Verdict::slower);
    if (ratio.high < 1 / (1 + margin)) return if_sure(ratio, Verdict::faster);
    return Verdict::same;
}

Verdict judge_repeat(const Estimate& ratio, double known, double margin, double difference_s, double least_s) {
    const auto within = [&](double most) { return ratio.low >= 1 / (1 + most) && ratio.high <= 1 + most; };
    const Verdict verdict = judge(ratio, std::max(known, margin), difference_s, least_s);
    if (verdict != Verdict::same || std::abs(difference_s) < least_s || within(known)) return verdict;
    return ratio.low <= 1 && ratio.high >= 1 && within(margin) ? Verdict::same : Verdict::ambiguous;
}

Verdict judge_processes(const Estimate& ratio, double known, double margin, double difference_s, double least_s) {
    const auto within = [&](double most) { return ratio.low >= 1 / (1 + most) && ratio.high <= 1 + most; };
    const double matters = std::max(known, margin);
    if (std::abs(difference_s) < least_s || within(known)) return Verdict::same;
    if (ratio.low > 1 && ratio.median > 1 + matters) return if_sure(ratio, Verdict::slower);
    if (ratio.high < 1 && ratio.median < 1 / (1 + matters)) return if_sure(ratio, Verdict::faster);
    return ratio.low <= 1 && ratio.high >= 1 && within(std::max(practical_margin, margin)) ? Verdict::same : Verdict::ambiguous;
}

}  // namespace parallax::engine::compare
