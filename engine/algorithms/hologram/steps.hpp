// The steps that the device variants of `hologram` share, each a small owner of its kernels. A step is made once
// with the plan and enqueued once a frame or a plane.
#pragma once

#include "algorithms/hologram/focus.hpp"
#include "algorithms/hologram/optics.hpp"
#include "algorithms/hologram/phase_table.hpp"
#include "core/plan.hpp"

#include <memory>
#include <optional>

namespace parallax::engine::hologram {

using KernelPtr = std::unique_ptr<host::Kernel>;

// Reductions use one shape on every device, so that their sums, and what follows from them, are the same everywhere.
inline constexpr std::int64_t reduce_group = 256, reduce_groups = 256;
inline constexpr host::NDRange reduce_many{reduce_groups, 1, 1}, reduce_one{1, 1, 1}, reduce_local{reduce_group, 1, 1};
host::Defines reduce_defines();   ///< GROUP, GROUPS

/// Work-groups for one work-item a pixel: rows of `group` work-items.
struct PixelGrid {
    host::NDRange groups, local;
    PixelGrid(std::int64_t width, std::int64_t height, int group)
        : groups{static_cast<std::size_t>((width + group - 1) / group), static_cast<std::size_t>(height), 1},
          local{static_cast<std::size_t>(group), 1, 1} {}
};

/// Camera frames -> h -> padded frame (hologram/prepare.cl). The frame is float2 (`complex_frame`) or float.
class Intake {
public:
    Intake(PlanBuilder&, const Problem&, const Geometry&, bool complex_frame, int group);
    void enqueue(Execution&, const Bindings&, const host::Buffer& h, const host::Buffer& frame);
    /// The first half: h (f32, width x height), and its mean if that is needed.
    void normalise(Execution&, const Bindings&, const host::Buffer& h, bool needs_mean);
    const host::Buffer& mean() const noexcept { return mean_value_; }

private:
    Geometry geometry_;
    int group_;
    bool has_background_, has_dark_, needs_mean_;
    KernelPtr normalise_, mean_, frame_;
    host::Buffer sums_, mean_value_;
};

/// Metric of each plane and the best of them (hologram/focus.cl).
class FocusSearch {
public:
    /// at_once: planes that are measured together, at most.
    FocusSearch(PlanBuilder&, const Autofocus&, std::size_t planes, std::size_t at_once, std::int64_t width, std::int64_t height);
    /// Of `count` planes from `plane` on, which lie in `amplitude` one after the other.
    void measure(Execution&, const host::Buffer& amplitude, std::uint32_t plane, std::uint32_t count);
    /// planes[count] = best.
    void choose(Execution&, const PhaseTable&);
    /// Warnings, and the record `focus` if it is wanted.
    void report(Execution&, const FocusRecorder&, bool wants_record);

private:
    Autofocus autofocus_;
    std::int64_t width_, pixels_;
    std::size_t planes_;
    std::array<int, 4> region_;
    KernelPtr partial_, final_, mean_partial_, mean_final_, best_;
    host::Buffer sums_, values_, means_;
};

/// Field -> amplitude, phase, intensity, field (hologram/finish.cl), cropped.
class Finish {
public:
    struct Shape {
        std::int64_t width, height, padded_width;
        int group;
        bool folded = false;   ///< the field's points are in the order of fft/mirror.clh
    };
    Finish(PlanBuilder&, const Problem&, const Shape&);
    /// Writes plane `plane` of every output that the bindings have.
    void enqueue(Execution&, const host::Buffer& field, const Bindings&, std::int64_t plane);
    /// Amplitude alone, into `amplitude` (width x height): for the focus metric.
    void amplitude_only(Execution&, const host::Buffer& field, const host::Buffer& amplitude);

private:
    Shape shape_;
    KernelPtr outputs_, amplitude_;
};

/// "uchar", "float", ... the OpenCL C name of an element type.
const char* kernel_type(ElementType);
/// Whether the camera frames can be read by device kernels on this device.
Support supports_inputs(const Problem&, host::Context&);
/// Whether the transfer function is even and the frame real, as the fused variants need; their FFT is their own.
Support supports_half_spectrum(const Problem&);
/// HOLOGRAM_TYPE, HAS_BACKGROUND, ...: how kernels read the camera frames of this problem.
void add_frame_types(host::Defines&, const Problem&);

}  // namespace parallax::engine::hologram
