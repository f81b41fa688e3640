#include "algorithms/hologram/plane_batches.hpp"

#include "core/integers.hpp"
#include "core/memory_share.hpp"

#include <algorithm>
#include <cstdint>

namespace parallax::engine::hologram {

namespace {

// Work-groups for each compute unit (an H200, 21 planes: 640 x 480 takes .38 ms plane by plane, .13 by 8 at once, .12 by 16).
constexpr std::int64_t enough_to_overlap = 10;   // whose waiting others fill
constexpr std::int64_t enough_to_share = 3;      // where each does more
constexpr std::int64_t enough_of_one_plane = 2;
constexpr std::int64_t planes_that_share = 8;    // an eighth of a transform forward each; more would save little more

std::int64_t units_of(const PlanBuilder& builder) { return std::max<std::int64_t>(1, builder.device().compute_units); }
/// The size of parts that are alike.
std::int64_t even_parts(std::int64_t all, std::int64_t most) { return divided_up(all, divided_up(all, most)); }

/// Bytes of the inputs and of what is made of them.
std::uint64_t arrays_of(const Problem& problem, const Geometry& geometry) {
    std::uint64_t bytes = 0, each = 0;   // of an element of a plane
    for (const auto& [port, desc] : problem.inputs) bytes += desc.dense_bytes();
    for (const char* const port : {"amplitude", "phase", "intensity"}) each += problem.wants(port) ? sizeof(float) : 0;
    each += problem.wants("field") ? 2 * sizeof(float) : 0;
    const bool all = problem.parameters.as<HologramParameters>().planes == Planes::all;
    return bytes + each * (all ? geometry.distances.size() : 1) * static_cast<std::uint64_t>(geometry.width * geometry.height);
}

/// Planes whose buffers leave room for the arrays, other plans and the caller, and are none of them larger than may be.
/// bytes, amplitude: of a plane between the passes, and of its amplitude where that is measured.
std::int64_t planes_that_fit(const PlanBuilder& builder, const Problem& problem, const Geometry& geometry, std::size_t bytes,
                             std::size_t amplitude) {
    const host::DeviceInfo& device = builder.device();
    const std::uint64_t memory = device.global_memory;   // or a limit below it
    const std::uint64_t arrays = arrays_of(problem, geometry), usable = memory / 10 * 9,
                        left = usable > arrays ? (usable - arrays) / 2 : 0;
    std::uint64_t planes = std::min(small_share(memory), left) / std::max<std::uint64_t>(1, bytes + amplitude);
    if (device.max_allocation > 0)
        planes = std::min<std::uint64_t>(planes, device.max_allocation / std::max<std::uint64_t>({1, bytes, amplitude}));
    return static_cast<std::int64_t>(planes);
}

}  // namespace

PolicyField planes_at_once_field() {
    return {"planes_at_once",
            0,
            {0, 1, 2, 4, 8, 16, 32},
            "planes of a stack that share launches; 0: chosen by the frame and the device"};
}

PolicyField planes_together_field() {
    return {"planes_together",
            0,
            {0, 1, 2, 4, 8},
            "planes of these that a work-group makes from one transform forward; 0: as many as leave the device full"};
}

std::int64_t planes_at_once(const PlanBuilder& builder, const Problem& problem, const Geometry& geometry, const Policy& policy,
                            std::int64_t groups, std::size_t bytes) {
    if (has_impulse_response(geometry)) return 1;
    const bool measured = problem.parameters.as<HologramParameters>().autofocus.has_value();   // from amplitudes of their own
    const auto amplitude = static_cast<std::size_t>(measured ? geometry.width * geometry.height : 0) * sizeof(float);
    const auto all = static_cast<std::int64_t>(geometry.distances.size());
    const std::int64_t asked = policy.at("planes_at_once");
    const std::int64_t full = divided_up(enough_to_overlap * units_of(builder), groups);
    const std::int64_t wanted = asked != 0 ? asked : std::max(planes_that_share, full);
    const std::int64_t most =
        std::clamp<std::int64_t>(std::min(wanted, planes_that_fit(builder, problem, geometry, bytes, amplitude)), 1, all);
    return asked != 0 ? most : even_parts(all, most);
}

std::int64_t planes_together(const PlanBuilder& builder, const Policy& policy, std::int64_t groups, std::int64_t at_once) {
    const std::int64_t asked = policy.at("planes_together"), units = units_of(builder);
    if (asked != 0) return std::min(asked, at_once);
    if (groups >= enough_of_one_plane * units) return at_once;
    return even_parts(at_once, std::clamp<std::int64_t>(at_once * groups / (enough_to_share * units), 1, at_once));
}

}  // namespace parallax::engine::hologram
