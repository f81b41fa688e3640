// Third pass of `fused` and `fused_mirrored`: rows are transformed back and stored as what was asked for
// (hologram/fused_rows_inverse.cl).
#pragma once

#include "algorithms/fft/line_kernel.hpp"
#include "algorithms/hologram/optics.hpp"
#include "core/plan.hpp"

#include <cstdint>

namespace parallax::engine::hologram {

class FusedRowsBack {
public:
    /// Of a spectrum of width x rows, of which the first `kept` rows are there, in tiles as `tiles` says (TILE, MIRRORED, as
    /// `mirrored`).
    FusedRowsBack(PlanBuilder&, const Problem&, const Geometry&, std::int64_t width, std::int64_t rows, std::int64_t kept,
                  const host::Defines& tiles, bool mirrored);
    /// Where the spectrum is; `quarters` is read where it is mirrored (hologram/quarters.hpp), `minus` where not.
    /// Planes: `count`, each `stride` numbers behind the one before.
    struct From {
        const host::Buffer &plus, &minus, &quarters;
        std::uint64_t stride = 0;
        std::uint32_t count = 1;
    };
    /// From plane `plane` on of every output that the bindings have.
    void outputs(Execution&, const From&, const Bindings&, std::int64_t plane);
    /// Amplitude alone, into `amplitude` (width x height a plane): for the focus metric.
    void amplitude_only(Execution&, const From&, const host::Buffer& amplitude);

private:
    void store(Execution&, fft::LineKernel&, const From&, const host::Buffer& amplitude, const host::Buffer& phase,
               const host::Buffer& intensity, const host::Buffer& field, std::int64_t first);

    std::int64_t width_, height_, rows_;   // of what is stored, and of the columns that are there
    float factor_;
    fft::LineKernel outputs_, amplitude_;
    host::Buffer twiddles_;
};

}  // namespace parallax::engine::hologram
