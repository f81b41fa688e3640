// Medians with intervals, and what may be said of two of them.
#pragma once

#include <string_view>
#include <vector>

namespace parallax::engine::compare {

/// Samples by the round in which they were taken: within a round they resemble each other, between rounds clocks and neighbours
/// change.
using Rounds = std::vector<std::vector<double>>;

/// What is apart from round to round: turns of one process, or processes. Where memory lies and which clocks a device has changes
/// with the process, and times by a few hundredths with it.
enum class Apart { turns, processes };
/// Of fewer it is not judged whether they differ.
inline constexpr std::size_t least_processes = 4;

/// How often an interval is to hold what it is of.
inline constexpr double usual_confidence = 0.95;

struct Estimate {
    double median = 0, low = 0, high = 0;
    double confidence = usual_confidence;   ///< of the interval: less where so few processes allow no more, 0 of a single one
};

/// Of a list that is not empty; of an even number of values, the mean of the middle two.
double median(std::vector<double>);
/// The value below which a share `p` (0 to 1) of the list lies, in proportion between neighbours.
double percentile(std::vector<double>, double p);

/// Median of all samples. Interval: percentiles of the medians of 1000 resamplings, first of rounds, then of samples within each
/// (a bootstrap in two stages, Davison and Hinkley 1997, 3.8), with a fixed seed: the same samples give the same interval.
/// Of processes: the order statistics of their medians between which the median of all processes lies in 95% of cases, whatever
/// their distribution (the sign test's; Conover 1999, 3.2); of two to five all of them, 50 to 93.75% of cases; of more than 1000 as
/// many as the normal distribution says. A single process tells what its own samples differ by, and nothing of others.
Estimate estimate(const Rounds&, Apart = Apart::turns);
/// median(a) / median(b), the interval by resampling both. Of processes: the middle of the ratios of their medians, each of a
/// with each of b, and the interval of Mann and Whitney's test (Hodges and Lehmann 1963), which one odd process in ten does not
/// touch; where they are few, two and two to three and three, all of them, 67 to 90% of cases; of more than 2500 ratios by the
/// normal distribution (Mann and Whitney 1947). The ratios are not made: it takes time in proportion to the processes.
Estimate estimate_ratio(const Rounds& a, const Rounds& b, Apart = Apart::turns);

/// Geometric mean of ratios that are above 0. Interval: by Student's t of their logarithms, as if the ratios were drawn from all
/// that could have been measured; of a single ratio it is the ratio.
Estimate geometric_mean(const std::vector<double>& ratios);

enum class Verdict { same, faster, slower, ambiguous };
std::string_view to_string(Verdict) noexcept;

/// A ratio new / old of times: "same" unless its whole interval lies beyond `margin` on one side, so that a difference is claimed
/// only where it is too large to matter little and too sure to be chance. Differences below `least_s`, which clocks cannot tell,
/// are "same". Of an interval of less than the usual confidence no difference is claimed, here and below: it is ambiguous.
Verdict judge(const Estimate& ratio, double margin, double difference_s, double least_s = 2e-6);

/// What a repeated measurement tells: slower or faster as judge() says, the same where the whole interval lies within `known`, or
/// holds 1 and lies within `margin`, ambiguous where it is too wide or too far off for either.
Verdict judge_repeat(const Estimate& ratio, double known, double margin, double difference_s, double least_s = 2e-6);

/// What two runs of the same thing in different processes may differ by: places in memory, clocks, neighbours.
inline constexpr double practical_margin = 0.05;
/// The same on a quiet machine, whose rows are looked through for slowdowns of a twentieth.
inline constexpr double repeat_margin = 0.025;

/// The same where the interval holds what processes differ by: slower or faster where 1 lies outside and the ratio beyond both
/// `known` and `margin`; the same where the whole interval lies within `known`, or holds 1 and lies within the larger of
/// practical_margin and `margin`; ambiguous else.
Verdict judge_processes(const Estimate& ratio, double known, double margin, double difference_s, double least_s = 2e-6);

}  // namespace parallax::engine::compare
