// Complex transforms along one axis of a dense array [images][n][unit]: unit 1 is rows, else columns of width `unit`.
// The parts that `radix` is made of.
#pragma once

#include "algorithms/fft/transform.hpp"
#include "core/plan.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace parallax::engine::fft {

struct AxisShape {
    std::int64_t images = 1;
    std::int64_t n = 1;
    std::int64_t unit = 1;
    std::int64_t lines() const noexcept { return images * unit; }
    std::int64_t elements() const noexcept { return images * n * unit; }
};

class Axis1D {
public:
    virtual ~Axis1D() = default;
    /// `in` and `out` may be the same. `images` and `unit` may be smaller than planned for; the inverse has factor 1/n.
    virtual void enqueue(Execution&, std::string_view stage, const host::Buffer& in, const host::Buffer& out, std::int64_t images,
                         std::int64_t unit, Direction) = 0;
    /// "16 16 12", "1024 x 1024", "Bluestein 2048 (16 16 8)"
    virtual std::string describe() const = 0;
};

/// Longest axis: the twiddle tables of its passes have 2 x 8192 entries.
constexpr std::int64_t longest_axis = std::int64_t{1} << 26;

/// Empty, or why there is no transform of this length.
std::string axis_why_not(std::int64_t n);
/// One kernel, passes over global memory, or Bluestein: what n needs.
std::unique_ptr<Axis1D> make_axis(PlanBuilder&, const AxisShape&);

std::unique_ptr<Axis1D> make_short_axis(PlanBuilder&, const AxisShape&);
std::unique_ptr<Axis1D> make_long_axis(PlanBuilder&, const AxisShape&);
std::unique_ptr<Axis1D> make_bluestein_axis(PlanBuilder&, const AxisShape&);

/// Lengths of the passes over global memory for a smooth n.
std::vector<int> pass_lengths(std::int64_t n);

}  // namespace parallax::engine::fft
