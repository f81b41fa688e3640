// The constants of kernels_cl/hologram/propagate.clh for every plane, made in double and kept on the device.
#pragma once

#include "algorithms/hologram/optics.hpp"
#include "core/plan.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace parallax::engine::hologram {

/// One plane's constants; the layout is that of propagate.clh.
struct PhaseConstants {
    std::uint64_t turns[4];     ///< per step in x and y (single transform: also of the output), constant phase; or X, Y, C, D
    float scale[4];             ///< |d|/lambda, amplitude, sign of d, lambda/(2 pi |d|)
    float unit[2];              ///< lambda^2 f^2 (transfer) or (dx/d)^2 (impulse) of one step; single transform: exp(ik|d|)
    std::int32_t limit[2];      ///< largest |kx|, |ky| inside the band limit; -1: an impulse response
};

/// x turns, signed, as a fraction of a turn in 64-bit fixed point.
std::uint64_t fixed_turns(long double x);
PhaseConstants phase_constants(const Geometry&, std::size_t plane);
/// LONG_PHASE and SMALL_ANGLES of propagate.clh.
void add_phase_defines(host::Defines&, const Geometry&);

/// Device copies of the constants of all planes, and the list `planes` through which kernels find theirs:
/// slot i < count holds i, slot `count` is written by the focus search.
class PhaseTable {
public:
    PhaseTable(PlanBuilder&, std::size_t planes);
    /// New distances for the next execution; neither builds nor allocates.
    void set(const Geometry&);
    /// Uploads what set() left; true if there was something new.
    bool upload(Execution&);

    std::size_t count() const noexcept { return count_; }
    /// Whether the plane of a slot has an impulse response; nothing where only the device knows.
    std::optional<bool> is_impulse(std::uint32_t slot) const noexcept;
    const host::Buffer& turns() const noexcept { return turns_; }
    const host::Buffer& scale() const noexcept { return scale_; }
    const host::Buffer& unit() const noexcept { return unit_; }
    const host::Buffer& limit() const noexcept { return limit_; }
    const host::Buffer& planes() const noexcept { return planes_; }

private:
    std::size_t count_;
    host::Buffer turns_, scale_, unit_, limit_, planes_;
    std::vector<std::uint64_t> host_turns_;
    std::vector<float> host_scale_, host_unit_;
    std::vector<std::int32_t> host_limit_;
    std::vector<bool> impulse_;
    bool fresh_ = false;
};

}  // namespace parallax::engine::hologram
