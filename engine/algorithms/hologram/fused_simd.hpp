// U = IFFT(FFT(h) H) for a real hologram h on a CPU, in three passes over memory: real rows to a half spectrum; columns
// forward, times H, and back; rows back, with the modulus. Kernels: hologram/fused_simd.cl, fft/simd_rows.cl.
#pragma once

#include "algorithms/fft/simd.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace parallax::engine::hologram {

struct FusedSimdSpec {
    std::int64_t width = 0, height = 0;             ///< of the frame that is transformed
    std::int64_t out_width = 0, out_height = 0;     ///< what is kept of it, from (0, 0)
    std::string input_type = "float";               ///< uchar, ushort or float
    bool modulus = true, field = true;              ///< what will be asked for
};

class FusedSimd {
public:
    /// Empty if it can work on frames of this size on that device, else why not.
    static std::string why_not(std::int64_t width, std::int64_t height, const host::DeviceInfo&);

    FusedSimd(PlanBuilder&, const FusedSimdSpec&);

    /// Pass 1, once a frame. real_in: [height][width].
    void forward(Execution&, const host::Buffer& real_in);
    /// Pass 2, once a plane. transfer: float2 [height][width], H(kx, ky) in the FFT's order, which must be even in kx and
    /// in ky: only transfer_width() columns and the rows up to height / 2 are read.
    void columns(Execution&, const host::Buffer& transfer);
    /// Pass 3, for each output of the plane: f32 |U| or float2 U, [out_height][out_width], from element `first` of `out` on.
    void modulus(Execution&, const host::Buffer& out, std::int64_t first);
    void field(Execution&, const host::Buffer& out, std::int64_t first);

    std::int64_t transfer_width() const noexcept { return std::int64_t{16} * panels_; }
    std::string describe() const;

private:
    std::int32_t width_, panels_;
    std::optional<fft::simd::LongRows> rows_, modulus_rows_, field_rows_;
    std::vector<int> radices_;
    std::unique_ptr<host::Kernel> columns_;
    host::Buffer twiddles_, order_;
    std::size_t groups_ = 1;
    Scratch half_, folded_, scratch_;
};

}  // namespace parallax::engine::hologram
