// The geometry that every variant of `hologram` shares, host side, in double precision: which method, which
// padded size, which sampling limit, which phase constants. FORMULAS: time factor exp(-i omega t); a distance
// d > 0 takes the field recorded at the sensor back to the object; d < 0 conjugates every kernel at |d|.
#pragma once

#include "algorithms/hologram/parameters.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::engine::hologram {

struct Geometry {
    Method method = Method::angular_spectrum;     ///< resolved, never automatic
    std::int64_t width = 0, height = 0;           ///< of the hologram
    std::int64_t padded_width = 0, padded_height = 0;
    double wavelength = 0;                        ///< in the medium, metres
    double dx = 0, dy = 0;                        ///< metres
    std::vector<double> distances;                ///< metres
    double out_dx = 0, out_dy = 0;                ///< of the output at distances[0], metres
};

/// z_c = (N dx^2 / lambda) sqrt(1 - (lambda / 2dx)^2), N the padded size; infinite for dx <= lambda/2.
double sampling_limit(std::int64_t n, double dx, double wavelength);
/// The smaller of the limits in x and y for a resolved geometry. The two Fresnel methods know no largest spatial
/// frequency: their limit is N dx^2 / lambda for every pixel size.
double sampling_limit(const Geometry&);
/// convolution and rayleigh_sommerfeld: the kernel is sampled in space and transformed.
bool is_impulse_response(Method) noexcept;

/// Padding doubles both sizes and rounds up to a size all FFTs like (fft::good_size); `none` keeps them;
/// fresnel_single_fft is padded by `zero` and `reflect` only: its output pixel depends on the size, and `mean` is the default.
/// `automatic` takes angular_spectrum up to the sampling limit of the largest |d| and
/// rayleigh_sommerfeld above it, one for the whole stack; dx <= lambda/2: always angular_spectrum.
/// Throws ConfigError for a distance of 0 with a method that divides by it, and for an empty image.
Geometry resolve(const HologramParameters&, std::int64_t width, std::int64_t height);

/// "distance 4000 um is above the sampling limit of 1851.96 um for angular_spectrum (512 pixels of 1.4 um ...)": one line at
/// most, for the distance that is farthest on the wrong side. Transfer functions want |d| <= limit, the others |d| >= limit.
std::vector<std::string> sampling_warnings(const HologramParameters&, const Geometry&);

}  // namespace parallax::engine::hologram
