// What the device variants share: planes in batches, grey levels to floats and back, edges in passes of their own, the
// stopping rule.
#pragma once

#include "algorithms/diffusion_lb/parameters.hpp"
#include "core/plan.hpp"

#include <array>

namespace parallax::engine::diffusion_lb {

/// Rows [from, to) of every plane.
struct Rows {
    std::int64_t from = 0, to = 0;
    std::int64_t count() const noexcept { return to - from; }
};

inline constexpr std::int64_t most_groups = 65535;   ///< of axes y and z on CUDA

/// Rows that are written, in chunks of a work-group each.
struct Chunks {
    /// Of so many rows each; or two, where the rows are to be written once more so many further down.
    Chunks(Rows, std::int64_t rows_of_each, std::int64_t again_after);
    std::size_t count;
    std::int32_t first_row, end_row, apart, rows;
};

/// Planes of floats with padded rows, as many at a time as fill a device.
struct Layout {
    Planes planes;
    std::int64_t margin = 0;       ///< floats before column 0, a multiple of 16, and as many behind the last one
    std::int64_t pitch = 0;        ///< floats from row to row, a multiple of 32
    std::int64_t batch = 1;        ///< planes in flight

    Layout() = default;
    explicit Layout(const Planes&, std::int64_t margin = 0);
    std::size_t plane_floats() const noexcept { return static_cast<std::size_t>(planes.height * pitch); }
    std::size_t batch_floats() const noexcept { return plane_floats() * static_cast<std::size_t>(batch); }
    std::int32_t width() const noexcept { return static_cast<std::int32_t>(planes.width); }
    std::int32_t height() const noexcept { return static_cast<std::int32_t>(planes.height); }
    std::int32_t pitch32() const noexcept { return static_cast<std::int32_t>(pitch); }
    /// A work-item a pixel of `count` planes in groups of 64 of a row; a group takes several rows of tall images.
    host::NDRange pixels(std::int64_t count) const noexcept { return pixels(count, all_rows()); }
    host::NDRange pixels(std::int64_t count, Rows) const noexcept;
    Rows all_rows() const noexcept { return {0, planes.height}; }
    /// The rows and so many more on either side, as far as there are any.
    Rows wider(Rows, std::int64_t by) const noexcept;
};
inline std::size_t size(std::int64_t v) { return static_cast<std::size_t>(v); }
inline constexpr host::NDRange pixel_group{64, 1, 1};

// Constants that follow from the parameters.
float coupling_of(const LbParameters&);
float inverse_k2(const LbParameters&);
/// The first eight of the Gaussian, zeros behind them.
std::array<std::array<float, 4>, 2> gaussian_arguments(const LbParameters&);
std::int64_t radius_of(const LbParameters&);

/// Grey levels to floats and back; and, for each plane, after how many steps it was done.
class Conversion {
public:
    Conversion(PlanBuilder&, const Layout&);
    void begin(Execution&, const host::Buffer& image, const host::Buffer& a, std::int64_t first, std::int64_t count);
    void end(Execution&, const host::Buffer& a, const host::Buffer& b, const host::Buffer& image, std::int64_t first,
             std::int64_t count, int iterations);
    /// The record `iterations`.
    void record(Execution&, int iterations);
    const host::Buffer& states(Execution& x) const { return x.buffer(states_); }

private:
    Layout layout_;
    std::unique_ptr<host::Kernel> begin_, end_;
    Scratch states_;
};

/// I -> 1 - omega by three launches.
class EdgePasses {
public:
    EdgePasses(PlanBuilder&, const Layout&, const LbParameters&);
    void enqueue(Execution& x, const host::Buffer& intensity, const host::Buffer& keep, std::int64_t count) {
        enqueue(x, intensity, keep, count, layout_.all_rows());
    }
    /// Of some rows; looks at radius + 1 rows more on either side.
    void enqueue(Execution&, const host::Buffer& intensity, const host::Buffer& keep, std::int64_t count, Rows);
    /// The smoothing alone, into the buffer that it returns.
    const host::Buffer& smooth(Execution& x, const host::Buffer& intensity, std::int64_t count) {
        return smooth(x, intensity, count, layout_.all_rows());
    }
    const host::Buffer& smooth(Execution&, const host::Buffer& intensity, std::int64_t count, Rows);

private:
    Layout layout_;
    LbParameters parameters_;
    std::int32_t radius_;
    std::unique_ptr<host::Kernel> smooth_, edges_;
    host::Buffer gaussian_;
    Scratch rows_, smoothed_;
};

/// Steps of fused.cl or simd.cl leave sums of their changes; this decides on the device whether later steps run.
class Judge {
public:
    Judge(PlanBuilder&, const Layout&, const LbParameters&, std::int64_t parts);
    const host::Buffer& sums(Execution&) const;
    /// `step`: the number of steps that planes first, first + 1, ... have taken.
    void enqueue(Execution&, const host::Buffer& states, std::int64_t first, std::int64_t count, int step);

private:
    float bound2_;
    std::int64_t parts_;
    std::unique_ptr<host::Kernel> kernel_;
    Scratch sums_;
};

}  // namespace parallax::engine::diffusion_lb
