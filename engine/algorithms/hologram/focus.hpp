// Which plane of a stack is in focus, and how far that can be trusted (docs/theory/holography.md#focus).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/hologram/optics.hpp"

namespace parallax::engine::hologram {

struct Focus {
    std::size_t index = 0;  ///< best plane
    double distance = 0;    ///< metres, refined by the parabola through three planes; the plane's own at the ends
};
/// `values` that are not finite never win. Planes may stand in any order: the parabola goes through the nearest ones.
Focus best_focus(const std::vector<double>& distances, const std::vector<double>& values, Metric, ObjectKind);

struct FocusFlags {
    bool at_end = false;     ///< the best plane is the first or the last by distance
    bool flat = false;       ///< (best - median) / (1.4826 MAD) < 2, or another top farther than 2 planes has .9 of its height
    bool symmetric = false;  ///< planes on both sides of the sensor, which a real in-line hologram does not tell apart
};
/// One plane alone has nothing to be at the end of or flat against.
FocusFlags focus_flags(const std::vector<double>& distances, const std::vector<double>& values, const Autofocus&, bool in_line);
/// What a variant that has measured every plane makes of the values.
struct FocusRecorder {
    Autofocus autofocus;
    Geometry geometry;
    bool in_line = true;

    /// Warnings for the flags that are set.
    std::vector<std::string> judge(const std::vector<double>& values) const;
    /// {"metric", "object", "distance_um", "value", "method", "at_end", "flat", "symmetric", "best_index", "plane_distance_um",
    /// "best_distance_um"}
    Json record(const std::vector<double>& values) const;
};

}  // namespace parallax::engine::hologram
