// Complex transforms along one axis of a dense array [images][n][unit]: unit 1 is rows, else columns of width `unit`.
// The parts that `radix` is made of.
#pragma once

#include "algorithms/fft/line.hpp"
#include "algorithms/fft/transform.hpp"
#include "core/plan.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace parallax::engine::fft {

struct AxisShape {
    std::int64_t images = 1;
    std::int64_t n = 1;
    std::int64_t unit = 1;
    std::int64_t lines() const noexcept { return images * unit; }
    std::int64_t elements() const noexcept { return images * n * unit; }
    LineLayout layout() const noexcept { return unit == 1 ? LineLayout::rows : LineLayout::columns; }
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

/// Whether rows and passes read what they read once past the cache, so that it keeps what the next launch reads: arrays that a
/// cache of some 50 MB holds, about. Where two fit, it changes nothing; of larger ones passes take longer with it.
bool reads_past_cache(PlanBuilder&, const AxisShape&);
/// One such array, 64 MiB.
bool fits_cache(const AxisShape&) noexcept;

/// Longest axis: the twiddle tables of its passes have 2 x 8192 entries.
constexpr std::int64_t longest_axis = std::int64_t{1} << 26;

/// Empty, or why there is no transform of this length.
std::string axis_why_not(std::int64_t n);
/// How a device goes along an axis: a line in a work-group, in passes over global memory, or by Bluestein's convolution, which is
/// a line itself, or goes three times through global memory and back, or seven times.
enum class AxisWay { line, passes, bluestein_line, bluestein_passes, bluestein_slabs };
AxisWay axis_way(const host::DeviceInfo&, const AxisShape&);
std::unique_ptr<Axis1D> make_axis(PlanBuilder&, const AxisShape&);

std::unique_ptr<Axis1D> make_short_axis(PlanBuilder&, const AxisShape&);
std::unique_ptr<Axis1D> make_long_axis(PlanBuilder&, const AxisShape&);
std::unique_ptr<Axis1D> make_bluestein_line(PlanBuilder&, const AxisShape&);
std::unique_ptr<Axis1D> make_bluestein_passes(PlanBuilder&, const AxisShape&);
std::unique_ptr<Axis1D> make_bluestein_slabs(PlanBuilder&, const AxisShape&);

/// Lengths of the passes over global memory, each of which is a line; empty where n is no product of such.
std::vector<int> pass_lengths(std::int64_t n);
/// Of the convolution by which a line of n points goes.
std::int64_t bluestein_length(std::int64_t n);
/// The same as a product of two lines: of the first and the last pass, and of the middle one.
struct ConvolutionPasses {
    int ends, middle;
    std::int64_t points() const noexcept { return static_cast<std::int64_t>(ends) * middle; }
};
/// The fastest; empty where lines of a good length do not reach, from about 2^21 points on.
std::optional<ConvolutionPasses> convolution_passes(std::int64_t n);

}  // namespace parallax::engine::fft
