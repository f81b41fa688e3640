// What Bluestein's transforms are made of: the chirp, its spectrum, and the slabs of lines in which they go through memory.
#pragma once

#include "algorithms/fft/axis.hpp"
#include "algorithms/fft/reference.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace parallax::engine::fft {

/// exp(-i pi y^2 / n) for y to n. y^2 mod 2n is exact in integers, so that the chirp is exact to float for any n.
std::vector<Complex> chirp(std::int64_t n);
/// Spectrum of the conjugate chirp wrapped around m points, times factor.
std::vector<Complex> chirp_spectrum(const std::vector<Complex>& chirp, std::int64_t m, double factor);
host::Buffer upload(PlanBuilder&, const std::vector<Complex>&);

/// Some lines of an array: point y of line x of image s is at origin + s * image_stride + y * point_stride + x.
struct Slab {
    std::int64_t origin, image_stride, point_stride, images, width;
};
/// How many lines go at once where each takes m points between the passes: as many as `most_bytes` and a small share of the
/// device's memory hold, beyond `slabs_bytes` no more than half of what the arrays leave, and no more than its largest allocation
/// holds. Of columns 8 at least, where one allocation holds them.
std::int64_t slab_lines(const host::DeviceInfo&, const AxisShape&, std::int64_t m, std::uint64_t most_bytes);
/// The workspace of three passes. Slabs that stay in a GPU's cache save less than launches take.
constexpr std::uint64_t passes_bytes = std::uint64_t{256} << 20;
/// That of seven, whose transforms want one or two more as large.
constexpr std::uint64_t slabs_bytes = std::uint64_t{64} << 20;
/// Each slab of an array as enqueue() gets it.
void each_slab(std::int64_t n, bool rows, std::int64_t images, std::int64_t unit, std::int64_t most_lines,
               const std::function<void(const Slab&)>&);

}   // namespace parallax::engine::fft
