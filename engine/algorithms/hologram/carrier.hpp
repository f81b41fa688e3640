// The carrier of an off-axis hologram: h = |O + R|^2 with R = exp(-2 pi i c.x) has the order O R* at +c, its conjugate at -c and
// the zero order about 0. Frequencies are in pixels of the unpadded hologram's spectrum, from its centre.
// Mathematics: docs/theory/holography.md#off-axis-holograms
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/hologram/parameters.hpp"
#include "parallax/array.hpp"

namespace parallax::engine::hologram {

struct Carrier {
    double x = 0, y = 0, radius = 0;
    double confidence = 0;  ///< sqrt(first/second peak) of a carrier that was looked for; 0: it was given
};

/// The strongest peak is sqrt(first/second) times the next in amplitude. Of what was measured, real off-axis holograms have 8 to
/// 19, simulated ones 145 and more; in-line holograms, photographs and noise 1.0 to 1.7, and so has a hologram whose zero order
/// hides its carrier. In the gap: no carrier below the first, doubt below the second.
inline constexpr double least_confidence = 2, doubtful_confidence = 4;

/// Peaks nearer to the centre than this belong to the zero order.
double carrier_core(std::int64_t width, std::int64_t height);

/// What is stated, its radius filled in.
Carrier stated_carrier(const OffAxis&);
/// Looks for the strongest local peak of |FFT((h - mean h) Hann)| in the half plane of `side`, farther from the centre than
/// carrier_core(), then for the maximum between the pixels. A local peak is not below any of its eight neighbours. The second
/// peak is the strongest other one farther than a third of the carrier from it. Confidence 0 where there is no peak at all.
Carrier find_carrier(const std::vector<double>& h, std::int64_t width, std::int64_t height, const OffAxis& = {}, int threads = 0);

/// How much of a hologram is fringes of about that carrier, whatever their phase: of blocks of 32 x 32 pixels, less their means,
/// the root of the sum of |sum of h Hann exp(-i c.x)|^2 over that of |h Hann|^2. An object's phase and a carrier that drifts by
/// some pixels turn blocks against each other, and do not count. Without a transform, and of large frames of a part: for frames of
/// which each is to be asked. 0 where nothing can be said.
double fringes_at(const HostArray&, double x, double y);

/// Throws ConfigError where the carrier lies outside the spectrum or its disc holds the zero order.
void check_carrier(const Carrier&, std::int64_t width, std::int64_t height);
/// Throws ConfigError where a stated carrier is in the other half of the spectrum than its `side` says.
void check_side(const OffAxis&);
/// A disc that comes near the zero order or leaves the spectrum.
std::vector<std::string> carrier_warnings(const Carrier&, std::int64_t width, std::int64_t height);
/// Both, of a carrier that was looked for; throws ConfigError where that found none, and warns where it is in doubt.
std::vector<std::string> judge_found_carrier(const Carrier&, const OffAxis&, std::int64_t width, std::int64_t height);
/// {"x", "y", "radius"}, and the confidence of one that was looked for.
Json carrier_record(const Carrier&);

}  // namespace parallax::engine::hologram
