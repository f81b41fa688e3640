// Planes that are filtered along both of their axes in one kernel; fused and simd are one or two such passes. A volume's second
// pass goes along z: there, the planes' rows are what lies between two neighbours in z, and windows have one column.
#pragma once

#include "algorithms/box_filter/device.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace parallax::engine::box_filter {

struct PlanePass {
    std::int64_t planes = 1, width = 1, height = 1, channels = 1;
    std::int64_t window_x = 1, window_y = 1;
    std::int64_t taps = 1;   ///< elements of the image in one that this pass reads
    bool first = true;       ///< reads the image
    bool last = true;        ///< writes means
};

/// Rows that a work-group takes at a time.
inline constexpr std::int64_t rows_a_turn = 8;
/// Windows that a work-item makes at once, at most 8 and at most the window's length.
constexpr std::int64_t block_of(std::int64_t window) noexcept {
    return window >= 8 ? 8 : window >= 4 ? 4 : window >= 2 ? 2 : 1;
}

/// One pass, or two where windows are deep.
std::vector<PlanePass> plane_passes_of(const BoxSpec&);

class PlaneKernel {
public:
    virtual ~PlaneKernel() = default;
    virtual void enqueue(Execution&, const char* stage, const host::Buffer& in, const host::Buffer& out) = 0;
};

using MakePlaneKernel = std::function<std::unique_ptr<PlaneKernel>(const PlanePass&)>;

/// The plan that runs them, with sums in between.
std::unique_ptr<Plan> make_planes_plan(PlanBuilder&, const BoxSpec&, const MakePlaneKernel&);

/// The same for a variant whose passes are all kernels of one class.
template <class Kernel>
std::unique_ptr<Plan> planes_plan(PlanBuilder& builder, const Problem& problem, const Policy& policy) {
    const BoxSpec spec = spec_of(problem);
    return make_planes_plan(builder, spec,
                            [&](const PlanePass& pass) { return std::make_unique<Kernel>(builder, spec, pass, policy); });
}

}  // namespace parallax::engine::box_filter
