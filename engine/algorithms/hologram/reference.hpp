// The oracle: the paper's CPU version and every other method in double precision, serial or on all threads.
//
// Order of the steps, which every variant follows:
//   1. h = (H - D) / (B - D); without D: H / B; without B: H - D or H. Where B - D is 0, h = 1.
//   2. Placed at (0, 0) of the padded frame; outside: `mean` the mean of h, `zero` 0, `reflect` half-sample
//      mirror images about the nearer edge, the frame taken as periodic.
//   3. off_axis: in the spectrum, the carrier is moved to the centre by whole pixels of the padded spectrum,
//      (sx, sy) = round(x * padded/size), the spectrum taken as periodic; what then lies outside the disc
//      (p * width/padded_width)^2 + (q * height/padded_height)^2 <= radius^2 about the centre is 0.
//   4. The method (FORMULAS section 2), kernels conjugated for d < 0. Phase constants exp(-ikd) are kept for
//      angular_spectrum, rayleigh_sommerfeld and convolution; fresnel drops them.
//      fresnel_single_fft: U = (i/(lambda d)) dx dy exp(-i pi (x'^2 + y'^2)/(lambda d)) sum h exp(-i pi rho^2/(lambda d))
//      exp(+i 2 pi (x x' + y y')/(lambda d)): for d > 0 the sum is an inverse transform without its 1/(MN), for d < 0 a
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

struct Carrier { double x = 0, y = 0, radius = 0; };   ///< pixels of the unpadded spectrum, from its centre

/// Step 1. Null data: not given. Throws ConfigError where the sizes differ.
std::vector<double> normalise(ImageView hologram, ImageView background, ImageView dark);

/// Steps 2 to 5 for every distance of `geometry`, in order; `plane(i, field)` gets the complex field of
/// output_width x output_height. `threads` 0: all. `carrier`: what off_axis auto found or was given, may be null.
void reference_reconstruct(const HologramParameters&, const Geometry&, const std::vector<double>& h, int threads,
                           const std::function<void(std::size_t, const std::vector<Complex>&)>& plane, Carrier* carrier = nullptr);

/// off_axis auto: the strongest local peak of |FFT(h - mean h)| in the half plane (y < 0, or y = 0 and x < 0), farther
/// from the centre than 1/16 of the smaller size; radius: a third of its distance to the centre. A local peak is not
/// below any of its eight neighbours. Throws ConfigError where there is none (images of a few pixels, constant images).
Carrier find_carrier(const std::vector<double>& h, std::int64_t width, std::int64_t height);

/// Step 6 for one plane. `region` [x, y, width, height] must lie inside; 0 where no stencil fits into it.
double focus_metric(Metric, const std::vector<double>& amplitude, std::int64_t width, std::int64_t height, std::array<int, 4> region);

struct Focus {
    std::size_t index = 0;        ///< best plane
    double distance = 0;          ///< metres, refined by the parabola through three planes; the plane's own at the ends
};
/// `values` that are not finite never win. Planes may stand in any order: the parabola goes through the nearest ones.
Focus best_focus(const std::vector<double>& distances, const std::vector<double>& values, Metric, ObjectKind);

/// FORMULAS' building block, also of hologram_simulate and of the property tests: propagates `field` (any size, no
/// padding) by d with the angular spectrum, double precision.
void propagate_angular_spectrum(std::vector<Complex>& field, std::int64_t width, std::int64_t height, double dx, double dy,
                                double wavelength, double d, bool band_limit, int threads = 1);

}  // namespace parallax::engine::hologram
