// The geometry that every variant of `hologram` shares, host side, in double precision: which method, which
// padded size, which sampling limit. Time factor exp(-i omega t); a distance d > 0 takes the field recorded at the sensor
// back to the object; d < 0 conjugates every kernel at |d| (docs/theory/holography.md#conventions).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/hologram/parameters.hpp"
#include "core/algorithm.hpp"

namespace parallax::engine::hologram {

struct Geometry {
    std::int64_t width = 0, height = 0;  ///< of the hologram
    std::int64_t padded_width = 0, padded_height = 0;
    bool mirrored = false;           ///< by `reflect`, to exactly twice the size: whose transform is a cosine transform
    std::int64_t left = 0, top = 0;  ///< where the hologram's first pixel stands in the padded frame
    double wavelength = 0;           ///< in the medium, metres
    double dx = 0, dy = 0;           ///< metres
    bool band_limit = true;          ///< of the angular spectrum
    std::vector<double> distances;   ///< metres
    std::vector<Method> methods;     ///< resolved, one a distance, never automatic
};

/// convolution and rayleigh_sommerfeld: the kernel is sampled in space and transformed.
bool is_impulse_response(Method) noexcept;
bool has_impulse_response(const Geometry&) noexcept;   ///< any plane
bool has_transfer_function(const Geometry&) noexcept;  ///< any plane; fresnel_single_fft has none
bool is_single_transform(const Geometry&) noexcept;
inline bool is_padded(const Geometry& g) noexcept { return g.padded_width != g.width || g.padded_height != g.height; }
const char* name_of(Method) noexcept;

/// z_c = (N dx^2 / lambda) sqrt(1 - (lambda / 2dx)^2), N the padded size; 0 for dx <= lambda/2: rays along the sensor then
/// leave any frame, so that a transfer function is never sampled well.
double sampling_limit(std::int64_t n, double dx, double wavelength);
/// Up to this distance the angular spectrum is the better one, above it impulse responses are: the greatest of the limits' mean
/// sqrt(z_cx z_cy), a sixteenth of the frame's shorter side, and eight pixels, which the peak of an impulse response needs.
double switch_distance(const Geometry&);
/// Whether the angular spectrum of this frame may lag, at a distance that it serves at, by more turns behind Fresnel's phase than
/// floats hold: without a band limit, or with pixels near the wavelength in a wide frame. The distances do not count, which may
/// change.
bool has_long_phase(const Geometry&) noexcept;
/// How many terms the polynomial for the angular spectrum's second phase needs (second_term() in propagate.clh): 4 to 7 where light
/// of every frequency of the spectrum leaves within 30 degrees, lambda^2 f^2 <= 1/4; else 0.
int small_angle_terms(const Geometry&) noexcept;
/// N dx^2 / lambda, the smaller of x and y: up to it `fresnel` is sampled well, from it on `fresnel_single_fft`. Neither knows
/// a largest spatial frequency.
double fresnel_limit(const Geometry&);

/// Padding doubles both sizes and rounds up to a size all FFTs like (fft::good_size), but for `reflect`, whose mirror images meet
/// only at exactly twice the size; `none` keeps them;
/// fresnel_single_fft is padded by `zero` and `reflect` only: its output pixel depends on the size, so by itself it is not.
/// `automatic` takes for each plane by itself angular_spectrum up to switch_distance() and rayleigh_sommerfeld above it; among
/// mirror images angular_spectrum at any distance.
/// Throws ConfigError for a distance of 0 with a method that divides by it, for an empty image, and where no pixel is known.
Geometry resolve(const HologramParameters&, std::int64_t width, std::int64_t height);
/// Of the problem's hologram, whose spacing is the pixel where the parameters state none.
Geometry resolve(const Problem&);
/// The parameters of a problem, with the pixel of its hologram where they state none and the hologram has one.
HologramParameters parameters_of(const Problem&);

/// Size of a plane of the arrays that come out, in pixels.
inline std::int64_t output_width(const Geometry& g) { return is_single_transform(g) ? g.padded_width : g.width; }
inline std::int64_t output_height(const Geometry& g) { return is_single_transform(g) ? g.padded_height : g.height; }
/// Metres of a pixel of the plane, x and y.
std::array<double, 2> output_pixel(const Geometry&, std::size_t plane);
/// {"distance_um": [...], "method": [...], "pixel_um": [x ...], "pixel_y_um": [...]}, a value a plane.
Json planes_record(const Geometry&);
/// Whether every plane has the pixels of the first.
bool has_one_output_pixel(const Geometry&);

}  // namespace parallax::engine::hologram
