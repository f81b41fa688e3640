// What `metrics` compares, and what it says of it.
#pragma once

#include "core/algorithm.hpp"

#include <cstdint>

namespace parallax::engine::metrics {

/// The window of SSIM goes so far to every side; as in ssim.cl.
inline constexpr std::int64_t reach = 5;

struct MetricsParameters {
    double range = 0;   ///< 0: 255, 65535, and 1 for f32
};

/// Two arrays of one shape as planes: slices by channels, channels last in memory.
struct Pair {
    ElementType image = ElementType::f32, reference = ElementType::f32;
    std::int64_t width = 0, height = 0, slices = 1;
    int channels = 1;
    double range = 1;

    std::int64_t planes() const noexcept { return slices * channels; }
    std::int64_t count() const noexcept { return width * height * planes(); }
    /// Places of the 11 x 11 window of SSIM in all planes.
    std::int64_t windows() const noexcept { return width < 11 || height < 11 ? 0 : (width - 10) * (height - 10) * planes(); }
};

/// Throws ConfigError for arrays that cannot be compared.
Pair pair_of(const Problem&);

/// The record, from sums over all elements and all windows.
Json record_of(const Pair&, double squares, double magnitudes, double similarities);

/// What is to be told where the images differ by more than the range: it is not theirs, and PSNR and SSIM say nothing.
Json told(const Json& record);

Variant device_variant();
Variant reference_variant();

}  // namespace parallax::engine::metrics
