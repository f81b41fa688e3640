// How a row is sampled: the one answer to "sample", "end_to_end" and "sustained" (compare/worker.hpp), whoever computes the row.
#pragma once

#include <functional>

#include "parallax/host/json.hpp"
#include "timing/bench.hpp"

namespace parallax::engine::compare {

/// { "wall": [...], "device": [...], "stages": {name: [...]} }: warm-ups, then "samples" of them or "budget_s", whichever ends
/// first; short runs until they have taken "least_s", up to ten times as many. One is always taken, and no more than have "values" numbers
/// together. Warm-ups go on for "warm_s".
Json take_samples(const Json& request, const std::function<Sample()>& run);
/// A list for each time of EndToEnd; "warm": one run goes before, which does not count.
Json take_end_to_end(const Json& request, const std::function<EndToEnd()>& run);
/// Runs for "seconds" without pause: how many in each second, and percentiles of what run() says that it took.
Json run_without_pause(const Json& request, const std::function<double()>& run);

}   // namespace parallax::engine::compare
