// U = IFFT(FFT(h) H) for a real hologram h on a CPU, in three passes over memory: real rows to a half spectrum; columns
// forward, times H, and back; rows back, with the modulus. Kernels: hologram/fused_lanes.cl, fft/lanes_rows.cl.
#pragma once

#include "algorithms/fft/lanes.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace parallax::engine::hologram {

class FusedLanes {
public:
    enum class Output { modulus, field };

    /// Empty if it can work on frames of this size on that device, else why not.
    static std::string why_not(std::int64_t width, std::int64_t height, const host::DeviceInfo&);

    FusedLanes(PlanBuilder&, std::int64_t width, std::int64_t height);

    /// real_in: f32 [height][width]. transfer: float2 [height][width], H(kx, ky) in the FFT's order, which must be even in
    /// kx and in ky: only kx <= width / 2, ky <= height / 2 are read. out: f32 |U| or float2 U, [height][width]; may not
    /// be one of the other two.
    void enqueue(Execution&, const host::Buffer& real_in, const host::Buffer& transfer, const host::Buffer& out, Output);

    std::string describe() const;

private:
    std::int32_t width_, panels_;
    std::unique_ptr<fft::lanes::Pass> rows_, modulus_rows_, field_rows_;
    std::vector<int> radices_;
    std::unique_ptr<host::Kernel> columns_;
    host::Buffer twiddles_, order_;
    std::size_t groups_ = 1;
    Scratch half_, folded_, scratch_;
};

}  // namespace parallax::engine::hologram
