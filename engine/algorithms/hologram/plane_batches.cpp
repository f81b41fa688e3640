#include "algorithms/hologram/plane_batches.hpp"

#include "core/integers.hpp"

#include <algorithm>

namespace parallax::engine::hologram {

namespace {

constexpr std::int64_t groups_a_unit = 2;       // that a device wants before it is full
constexpr std::int64_t planes_that_share = 4;   // a fourth of a transform forward each; more would save little more
constexpr std::int64_t share_of_memory = 16;    // other plans and the caller's arrays want memory, too

std::int64_t groups_wanted(const PlanBuilder& builder) {
    return groups_a_unit * std::max<std::int64_t>(1, builder.device().compute_units);
}

}  // namespace

PolicyField planes_at_once_field() {
    return {"planes_at_once", 0, {0, 1, 2, 4, 8, 16, 32}, "planes of a stack that share launches; 0: chosen by the frame and the device"};
}

PolicyField planes_together_field() {
    return {"planes_together",
            0,
            {0, 1, 2, 4, 8},
            "planes of these that a work-group makes from one transform forward; 0: as many as leave the device full"};
}

std::int64_t planes_at_once(const PlanBuilder& builder, const Geometry& geometry, const Policy& policy, std::int64_t groups,
                            std::size_t bytes) {
    if (has_impulse_response(geometry)) return 1;
    const std::int64_t asked = policy.at("planes_at_once");
    const std::int64_t wanted =
        asked != 0 ? asked : std::max(planes_that_share, divided_up(groups_wanted(builder), std::max<std::int64_t>(1, groups)));
    const auto held = static_cast<std::int64_t>(builder.device().global_memory / share_of_memory / std::max<std::size_t>(1, bytes));
    return std::clamp<std::int64_t>(std::min(wanted, held), 1, static_cast<std::int64_t>(geometry.distances.size()));
}

std::int64_t planes_together(const PlanBuilder& builder, const Policy& policy, std::int64_t groups, std::int64_t at_once) {
    const std::int64_t asked = policy.at("planes_together");
    const std::int64_t full = std::min(planes_that_share, at_once * groups / groups_wanted(builder));
    return std::clamp<std::int64_t>(asked != 0 ? asked : full, 1, at_once);
}

}  // namespace parallax::engine::hologram
