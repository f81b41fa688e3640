// Whether the numbers of a job can be true of light and cameras: what the hologram's file says of its pixel, and warnings for
// values that a wrong unit explains better.
#pragma once

#include <optional>

#include "algorithms/hologram/optics.hpp"

namespace parallax::engine::hologram {

/// The spacing of an image in metres, x and y. Nothing where it has no unit, and where it is above 100 um or 300, 400, 600 or
/// 1200 dots an inch: no camera has such pixels, but resolutions of screens and printers, which programs write into files
/// unasked, look so (72 dpi: 353 um).
std::optional<std::array<double, 2>> camera_pixel(const ArrayDesc&);

/// What light and camera are, in metres; the distance is the longest.
struct Setup {
    double wavelength;
    std::array<double, 2> pixel;
    double distance, refractive_index;
};

/// Wavelengths outside 100 nm to 20 um, pixels below a twentieth of one or above 100 um, distances below a wavelength or above
/// 10 m, refractive indices outside 0.9 to 4.5.
std::vector<std::string> setup_warnings(const Setup&);
/// A bead's radius below a twentieth of a wavelength or above half the frame's shorter side.
void warn_of_radius(std::vector<std::string>& warnings, double radius, double wavelength, double frame);
/// setup_warnings() of a problem; and a stated pixel that is more than 1% off the file's.
std::vector<std::string> physics_warnings(const Problem&);

/// "distance 4000 um is above the sampling limit of 1851.96 um for angular_spectrum (512 pixels of 1.4 um ...)": one line at
/// most, for the distance that is farthest on the wrong side of its method's limit. Never of planes that `auto` chose for.
std::vector<std::string> sampling_warnings(const HologramParameters&, const Geometry&);

/// Of a stack whose planes have pixels of different sizes, or a best plane whose size only the result knows: they carry none.
std::vector<std::string> pixel_warnings(const HologramParameters&, const Geometry&);

/// "532 nm", "1.4 um", "27.75 mm".
std::string length_text(double metres);

}  // namespace parallax::engine::hologram
