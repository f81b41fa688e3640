// Where two right answers may differ by more than the tolerance, because the problem magnifies what floats round: what is within
// that is put in place of what was made, and the rest is left to be compared. docs/testing.md has the rules.
#pragma once

#include "parallax/array.hpp"
#include "parallax/host/json.hpp"

namespace parallax::tests::sizes {

/// A phase where the amplitude is near zero, and on either side of pi. `amplitude`: the reference's.
void settle_phase(HostArray& made, const HostArray& right, const HostArray& amplitude, double tolerance);

/// The record `focus`: of planes that are as good as each other by the reference either may be chosen, and where their values
/// hardly differ they say little about the distance between the planes. True where another plane was chosen.
bool settle_focus(Json& made, const Json& right, double tolerance);

/// The record `carrier`: what floats leave of a peak's place; and of peaks that are equally strong either may be taken.
void settle_carrier(Json& made, const Json& right);

/// The record `metrics`: SSIM is a mean of numbers up to 1 and PSNR a logarithm; near 0 both are what is left of larger ones.
void settle_metrics(Json& made, const Json& right);

}  // namespace parallax::tests::sizes
