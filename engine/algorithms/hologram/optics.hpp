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

/// z_c = (N dx^2 / lambda) sqrt(1 - (lambda / 2dx)^2), N the padded size; infinite for dx <= lambda/2. The smaller of x and y.
double sampling_limit(std::int64_t n, double dx, double wavelength);
bool is_impulse_response(Method) noexcept;

/// Padding doubles both sizes and rounds up to a size all FFTs like (fft::good_size); `none` keeps them;
/// fresnel_single_fft is never padded unless padding is asked for explicitly (its output pixel depends on it).
/// `automatic` takes angular_spectrum up to the sampling limit of the largest |d| and
/// rayleigh_sommerfeld above it, one for the whole stack; dx <= lambda/2: always angular_spectrum.
Geometry resolve(const HologramParameters&, std::int64_t width, std::int64_t height);

/// "distance 4000 um is above the sampling limit of 1851.96 um for angular_spectrum (512 pixels of 1.4 um ...)"
std::vector<std::string> sampling_warnings(const HologramParameters&, const Geometry&);

}  // namespace parallax::engine::hologram
