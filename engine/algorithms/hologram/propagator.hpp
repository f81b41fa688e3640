// One plane of propagation on the device, by any method, from the spectrum or the frame that all planes share.
#pragma once

#include "algorithms/fft/transform.hpp"
#include "algorithms/hologram/steps.hpp"

namespace parallax::engine::hologram {

/// angular_spectrum, fresnel: spectrum x H -> inverse transform. convolution, rayleigh_sommerfeld: the transform of
/// g in place of H. With one plane the table (H or the transform of g) is kept until the distance changes.
class SpectrumPropagator {
public:
    /// `centred`: g as the paper has it, centred in the frame, so that the result needs its quadrants swapped.
    SpectrumPropagator(PlanBuilder&, const Geometry&, fft::Transform&, bool centred, int group);
    /// `slot`: index into PhaseTable::planes(). `changed`: the phase constants are new.
    void enqueue(Execution&, const PhaseTable&, const host::Buffer& spectrum, std::uint32_t slot, bool changed, const host::Buffer& out);

private:
    void make_table(Execution&, const PhaseTable&, std::uint32_t slot);

    Geometry geometry_;
    fft::Transform& transform_;
    int group_;
    bool kept_;                ///< one plane: the table serves frame after frame
    bool made_ = false;
    KernelPtr make_, multiply_;
    host::Buffer table_;       ///< none where H is made on the fly
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
