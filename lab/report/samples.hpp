// The samples of a row, by the rounds in which they were taken.
#pragma once

#include "parallax/host/json.hpp"
#include "timing/statistics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::compare {

/// Empty where a sample is missing: a driver that measures some runs and not others measures nothing.
Rounds rounds_of(const Json& samples, const std::string& name);
bool has_samples(const Rounds&);
/// Whether they can stand in a ratio: a clock that is too coarse tells 0.
bool is_timed(const Rounds&);
/// Of `samples`, or of those from end to end: the sum of the kernels' event times, empty where the driver does not tell all of them.
Rounds device_rounds(const Json& samples);
/// All of them, round after round.
std::vector<double> flat(const Rounds&);

/// What a row's rounds are; of two rows processes only where both are.
Apart apart_of(const Json& samples);
Apart apart_of(const Json& row, const Json& other);

/// Writes an interval's `confidence` where it is not the usual one.
void tell_confidence(Json&, const Estimate&);

/// Which time of a row is meant: the device's (the host's clock where its driver does not tell), or from host memory to host
/// memory.
enum class Span { device, end_to_end };
/// "device" or "end_to_end".
std::optional<Span> span_named(const std::string&);
Rounds rounds_of(const Json& row, Span);

}  // namespace parallax::engine::compare
