// What the y axis says of each plane's transfer function, on the device: the column passes of `fused` and `fused_mirrored` make H
// of it and of their column's own number (hologram/axes.clh) in less time than reading it takes.
#pragma once

#include "algorithms/hologram/kept_transfer.hpp"
#include "algorithms/hologram/propagator.hpp"
#include "algorithms/hologram/steps.hpp"
#include "core/policy.hpp"

#include <cstdint>
#include <optional>

namespace parallax::engine::hologram {

/// Whether H is made so: the policy keeps it (keep_transfer), every plane has a transfer function, a float holds what its axes do
/// not say, and the table takes a small share of the device's memory.
bool makes_of_axes(const PlanBuilder&, const Geometry&, const Policy&);

/// METHOD for the column kernel, and what belongs to it: H comes from a table, from what its axes say, from tiles in which it is
/// kept, or is made of the phase constants alone.
void add_transfer_method(host::Defines&, PlanBuilder&, const Geometry&, bool table, bool of_axes, bool kept);

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

/// What the column kernel reads H from; `other` where that is nothing.
const host::Buffer& transfer_buffer(const std::optional<TransferTable>&, const std::optional<AxisTable>&,
                                    const std::optional<KeptTransfer>&, const host::Buffer& other);

}  // namespace parallax::engine::hologram
