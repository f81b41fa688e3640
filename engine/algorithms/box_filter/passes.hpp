// One pass along one axis; pixel, strip and image are made of such passes.
#pragma once

#include "algorithms/box_filter/device.hpp"

#include <memory>
#include <vector>

namespace parallax::engine::box_filter {

enum class Walk { pixel, strip };   ///< kernels of passes.cl

/// The array as [outer][n][inner], filtered along n.
struct AxisPass {
    std::int64_t n = 1, inner = 1, window = 1;
    std::int64_t taps = 1; ///< elements of the image in one that this pass reads: the windows of the passes before
    bool first = true;     ///< reads the image
    bool last = true;      ///< writes means
};

/// Passes along x, y and z, those with a window of one element left out; at least one.
std::vector<AxisPass> passes_of(const BoxSpec&);

class PassKernel {
public:
    /// group: work-items; parts: of a line, 0: as many as keep the device busy.
    PassKernel(PlanBuilder&, const BoxSpec&, const AxisPass&, Walk, std::int64_t group, std::int64_t parts);
    void enqueue(Execution&, const host::Buffer& in, const host::Buffer& out);

private:
    BoxSpec spec_;
    AxisPass pass_;
    Walk walk_;
    std::int64_t group_, lines_, part_ = 0, parts_ = 1;
    std::unique_ptr<host::Kernel> kernel_;
};

/// Work-items of a group that a pass takes where a policy leaves it open.
std::int64_t pass_group(const PlanBuilder&, int policy);

}  // namespace parallax::engine::box_filter
