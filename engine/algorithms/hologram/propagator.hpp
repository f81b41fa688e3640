// One plane of propagation on the device, by any method, from the spectrum or the frame that all planes share.
#pragma once

#include "algorithms/fft/transform.hpp"
#include "algorithms/hologram/steps.hpp"

#include <optional>

namespace parallax::engine::hologram {

/// METHOD of hologram/propagate.clh; method_table: H or the transform of g, from a TransferTable; method_tiles: H from a
/// KeptTransfer; method_axes: H from an AxisTable.
std::int64_t method_define(Method);
inline constexpr std::int64_t method_table = 4;
inline constexpr std::int64_t method_tiles = 5;
inline constexpr std::int64_t method_axes = 6;

/// Columns and rows of a table that are made, from (0, 0).
struct TableExtent {
    std::int64_t columns = 0, rows = 0;
};

/// What a spectrum is multiplied by, as a table in transform order: H, or the transform of the impulse response g. In a stack
/// it may be H for some planes and g for others.
class TransferTable {
public:
    /// `transform` may be null where no plane has an impulse response. `centred`: g as the paper has it, centred in the frame,
    /// so that the result needs its quadrants swapped. `endless_mean`: the frame is padded by its mean, which is a plane wave
    /// without end where g ends with the frame. `extent`: of H, where less than all of it is read.
    TransferTable(PlanBuilder&, const Geometry&, fft::Transform* transform, bool centred, bool endless_mean, int group,
                  std::optional<TableExtent> extent = {});
    /// Leaves the plane's in buffer(). The only plane's stays there until its phase constants have `changed`.
    void make(Execution&, const PhaseTable&, std::uint32_t slot, bool changed);
    const host::Buffer& buffer() const noexcept { return table_; }

private:
    bool made_ = false;
    std::uint32_t width_, height_;
    PixelGrid grid_, transfer_grid_;
    fft::Transform* transform_;
    KernelPtr transfer_, impulse_, endless_mean_;
    host::Buffer table_;
};

/// Spectrum x table or H -> inverse transform. With one plane the table is kept until the distance changes; in a stack H is
/// made on the fly, unless some plane has an impulse response: then a table is made anew for each.
class SpectrumPropagator {
public:
    SpectrumPropagator(PlanBuilder&, const Geometry&, fft::Transform&, bool centred, bool endless_mean, int group);
    /// `slot`: index into PhaseTable::planes(). `changed`: the phase constants are new.
    void enqueue(Execution&, const PhaseTable&, const host::Buffer& spectrum, std::uint32_t slot, bool changed,
                 const host::Buffer& out);

private:
    Geometry geometry_;
    fft::Transform& transform_;
    int group_;
    std::optional<TransferTable> table_;
    KernelPtr multiply_;
};

/// fresnel_single_fft: chirp, one transform, chirp.
class SingleTransformPropagator {
public:
    SingleTransformPropagator(PlanBuilder&, const Geometry&, fft::Transform&, int group);
    void enqueue(Execution&, const PhaseTable&, const host::Buffer& frame, std::uint32_t slot, const host::Buffer& work,
                 const host::Buffer& out);

private:
    Geometry geometry_;
    fft::Transform& transform_;
    int group_;
    KernelPtr chirp_in_, chirp_out_;
};

}  // namespace parallax::engine::hologram
