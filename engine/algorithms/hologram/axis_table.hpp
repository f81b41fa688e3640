// What the y axis says of each plane's transfer function, on the device: the column passes of `fused` and `fused_mirrored` make H
// of it and of their column's own number (hologram/axes.clh) in less time than reading it takes.
#pragma once

#include "algorithms/hologram/steps.hpp"
#include "core/policy.hpp"

#include <cstdint>

namespace parallax::engine::hologram {

/// Whether H is made so: the policy keeps it (keep_transfer), every plane has a transfer function, a float holds what its axes do
/// not say, and the table takes at most a sixteenth of the device's memory.
bool makes_of_axes(const PlanBuilder&, const Geometry&, const Policy&);
/// METHOD and what belongs to it, for the column kernel.
void add_axes_defines(host::Defines&, PlanBuilder&, const Geometry&);

class AxisTable {
public:
    /// `rows`: y from 0 on, as many as the kernel reads.
    AxisTable(PlanBuilder&, const Geometry&, std::int64_t rows, int group);
    /// At the first call, and when the phase constants have `changed`.
    void make(Execution&, const PhaseTable&, bool changed);
    const host::Buffer& buffer() const noexcept { return table_; }

private:
    std::int64_t rows_;
    PixelGrid grid_;
    KernelPtr kernel_;
    host::Buffer table_;
    bool made_ = false;
};

}  // namespace parallax::engine::hologram
