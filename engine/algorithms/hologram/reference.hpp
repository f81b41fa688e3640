// The oracle: the paper's CPU version and every other method in double precision, serial or on all threads.
//
// Order of the steps, which every variant follows:
//   1. h = (H - D) / (B - D); without D: H / B; without B: H - D or H. Where B - D is 0, h = 1.
//   2. off_axis: h times exp(-i 2 pi (cx x/width + cy y/height)), which moves the carrier (cx, cy) to frequency zero.
//   3. Placed in the padded frame at (0, 0), for fresnel_single_fft so that the middle pixel (N/2, M/2) of the hologram is that
//      of the frame; outside: `mean` the mean, `zero` 0, `reflect` half-sample mirror images about the nearer edge, the frame
//      taken as periodic. off_axis: in its spectrum, what lies outside the disc
//      (p * width/padded_width)^2 + (q * height/padded_height)^2 <= radius^2 is 0.
//   4. The method (docs/theory/holography.md#transfer-functions, docs/theory/holography.md#impulse-responses), kernels conjugated
//      for d < 0. All keep the phase constant exp(-ikd).
//      fresnel_single_fft: U = (i/(lambda d)) exp(-ikd) dx dy exp(-i pi (x'^2 + y'^2)/(lambda d)) sum h exp(-i pi rho^2/(lambda
//      d)) exp(+i 2 pi (x x' + y y')/(lambda d)): for d > 0 the sum is an inverse transform without its 1/(MN), for d < 0 a
//      forward one (a forward one for d > 0 would turn the image by 180 degrees). rho about (N/2, M/2), rounded down,
//      which is moved to (0, 0) before the transform (else the phase alternates from pixel to pixel); (0, 0) of the result
//      is moved back to (N/2, M/2); x' = (n - N/2) lambda |d|/(N dx).
//   5. Cropped to the hologram's size from (0, 0) (fresnel_single_fft: not cropped, the padded size is the output).
// Focus metrics, on A = |U| over the region, means over the pixels where the stencil lies inside the region:
//   tenengrad  mean of Gx^2 + Gy^2, 3 x 3 Sobel with weights 1 2 1 (not divided)
//   variance   mean of (A - mean A)^2          brenner  mean of (A(x+2, y) - A(x, y))^2
//   laplacian  mean of (4 A - four neighbours)^2         dubois   mean of A
// Best plane for amplitude objects: the maximum, dubois the minimum; phase objects the other way round.
#pragma once

#include "algorithms/hologram/carrier.hpp"
#include "algorithms/hologram/focus.hpp"
#include "algorithms/hologram/optics.hpp"

#include <array>
#include <complex>
#include <functional>
#include <vector>

namespace parallax::engine::hologram {

using Complex = std::complex<double>;

/// Real input image in double, row-major, `width` x `height`.
struct ImageView {
    const double* data = nullptr;
    std::int64_t width = 0, height = 0;
};

/// Step 1, h: 1 where B is not above D (is_dead), else NaN where one is. Null data: not given. Throws ConfigError where sizes differ.
std::vector<double> normalise(ImageView hologram, ImageView background, ImageView dark);

/// Steps 2 to 5 for every distance of `geometry`, in order; `plane(i, field)` gets the complex field of
/// output_width x output_height. `threads` 0: all. `carrier`: what off_axis found or was given, may be null. Throws ConfigError
/// where it finds none.
void reference_reconstruct(const HologramParameters&, const Geometry&, const std::vector<double>& h, int threads,
                           const std::function<void(std::size_t, const std::vector<Complex>&)>& plane,
                           Carrier* carrier = nullptr);

/// Step 6 for one plane. `region` [x, y, width, height] must lie inside; 0 where no stencil fits into it.
double focus_metric(Metric, const std::vector<double>& amplitude, std::int64_t width, std::int64_t height,
                    std::array<int, 4> region);

/// The building block of the theory (docs/theory/holography.md#transfer-functions), of hologram_simulate too, and of the property
/// tests: propagates `field` (any size, no padding) by d with the angular spectrum, double precision.
void propagate_angular_spectrum(std::vector<Complex>& field, std::int64_t width, std::int64_t height, double dx, double dy,
                                double wavelength, double d, bool band_limit, int threads = 1);

}  // namespace parallax::engine::hologram
