// One plane of propagation on the device, by any method, from the spectrum or the frame that all planes share.
#pragma once

#include "algorithms/fft/transform.hpp"
#include "algorithms/hologram/steps.hpp"

#include <optional>

namespace parallax::engine::hologram {

/// METHOD of hologram/transfer.cl.
std::int64_t method_define(Method);

/// What a spectrum is multiplied by, as a table in transform order: H, or the transform of the impulse response g.
class TransferTable {
public:
    /// `centred`: g as the paper has it, centred in the frame, so that the result needs its quadrants swapped.
    TransferTable(PlanBuilder&, const Geometry&, fft::Transform&, bool centred, int group);
    void make(Execution&, const PhaseTable&, std::uint32_t slot);
    const host::Buffer& buffer() const noexcept { return table_; }

private:
    Geometry geometry_;
    fft::Transform& transform_;
    int group_;
    KernelPtr kernel_;
    host::Buffer table_;
};

/// Spectrum x table or H -> inverse transform. With one plane the table is kept until the distance changes; in a stack H is
/// made on the fly, and only impulse responses need a table, made anew for each plane.
class SpectrumPropagator {
public:
    SpectrumPropagator(PlanBuilder&, const Geometry&, fft::Transform&, bool centred, int group);
    /// `slot`: index into PhaseTable::planes(). `changed`: the phase constants are new.
    void enqueue(Execution&, const PhaseTable&, const host::Buffer& spectrum, std::uint32_t slot, bool changed, const host::Buffer& out);

private:
    Geometry geometry_;
    fft::Transform& transform_;
    int group_;
    bool kept_, made_ = false;
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
