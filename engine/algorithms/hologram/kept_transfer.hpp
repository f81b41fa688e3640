// The transfer function in a table on the device, in the order in which the column passes of `fused` and `fused_mirrored` read
// it. That of the only plane is kept: a frame then costs its reading, where it would cost the making of H.
#pragma once

#include "algorithms/hologram/steps.hpp"
#include "core/policy.hpp"

namespace parallax::engine::hologram {

/// A column pass that reads H in tiles (hologram/fused_tiles.clh).
struct TransferTiles {
    std::int64_t columns = 0, rows = 0;   ///< of H, from (0, 0); columns of all tiles
    int tile = 0;                         ///< columns of one
    bool mirrored = false;                ///< those with even numbers come first in a tile
    std::size_t bytes() const noexcept { return static_cast<std::size_t>(columns * rows) * 2 * sizeof(float); }
};

/// Of the memory that the plan may use (core/memory_share.hpp).
bool is_small_share(const PlanBuilder&, std::uint64_t bytes);
/// Policy field of the variants that can keep H.
PolicyField keep_transfer_field();
/// Whether H is kept: the policy says so, there is one plane and it has a transfer function, and the table takes a small share
/// of the device's memory.
bool keeps_transfer(const PlanBuilder&, const Geometry&, const Policy&, std::size_t bytes);

class KeptTransfer {
public:
    KeptTransfer(PlanBuilder&, const Geometry&, const TransferTiles&, int group);
    /// At the first call, and when the phase constants have `changed`.
    void make(Execution&, const PhaseTable&, bool changed);
    const host::Buffer& buffer() const noexcept { return table_; }

private:
    TransferTiles tiles_;
    PixelGrid grid_;
    KernelPtr transfer_;
    host::Buffer table_;
    bool made_ = false;
};

}  // namespace parallax::engine::hologram
