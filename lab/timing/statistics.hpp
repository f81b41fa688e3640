// Medians with intervals, and what may be said of two of them.
#pragma once

#include <string_view>
#include <vector>

namespace parallax::engine::compare {

/// Samples by the round in which they were taken: within a round they resemble each other, between rounds clocks and neighbours
/// change.
using Rounds = std::vector<std::vector<double>>;

struct Estimate {
    double median = 0, low = 0, high = 0;   ///< 95% interval
};

/// Of a list that is not empty; of an even number of values, the mean of the middle two.
double median(std::vector<double>);
/// The value below which a share `p` (0 to 1) of the list lies, in proportion between neighbours.
double percentile(std::vector<double>, double p);

/// Median of all samples. Interval: percentiles of the medians of 1000 resamplings, first of rounds, then of samples within each
/// (a bootstrap in two stages, Davison and Hinkley 1997, 3.8), with a fixed seed: the same samples give the same interval.
Estimate estimate(const Rounds&);
/// median(a) / median(b), the interval by resampling both.
Estimate estimate_ratio(const Rounds& a, const Rounds& b);

/// Geometric mean of ratios that are above 0. Interval: by Student's t of their logarithms, as if the ratios were drawn from all
/// that could have been measured; of a single ratio it is the ratio.
Estimate geometric_mean(const std::vector<double>& ratios);

enum class Verdict { same, faster, slower, ambiguous };
std::string_view to_string(Verdict) noexcept;

/// A ratio new / old of times: "same" unless its whole interval lies beyond `margin` on one side, so that a difference is claimed
/// only where it is too large to matter little and too sure to be chance. Differences below `least_s`, which clocks cannot tell,
/// are "same".
Verdict judge(const Estimate& ratio, double margin, double difference_s, double least_s = 2e-6);

/// What a repeated measurement tells: slower or faster as judge() says, the same where the whole interval lies within `known`, or
/// holds 1 and lies within `margin`, ambiguous where it is too wide or too far off for either.
Verdict judge_repeat(const Estimate& ratio, double known, double margin, double difference_s, double least_s = 2e-6);

/// What two runs of the same thing in different processes may differ by: places in memory, clocks, neighbours.
inline constexpr double practical_margin = 0.05;
/// The same on a quiet machine, whose rows are looked through for slowdowns of a twentieth.
inline constexpr double repeat_margin = 0.025;

}  // namespace parallax::engine::compare
