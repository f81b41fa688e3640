// What a hologram reconstruction can be asked for. Lengths in metres.
#pragma once

#include "algorithms/fft/transform.hpp"
#include "core/parameters.hpp"

#include <array>
#include <limits>
#include <optional>

namespace parallax::engine::hologram {

enum class Method { automatic, convolution, rayleigh_sommerfeld, angular_spectrum, fresnel, fresnel_single_fft };
enum class Padding { mean, reflect, zero, none, automatic };   ///< automatic: padding_of() says which
enum class Metric { tenengrad, variance, brenner, laplacian, dubois };
enum class ObjectKind { amplitude, phase };
enum class Planes { all, best };

/// Half of the spectrum in which a carrier is looked for: upper is y < 0, or y = 0 and x < 0. No hologram tells its object's
/// order from the conjugate by itself: `unknown` takes the upper one and says so.
enum class Side { unknown, upper, lower };

/// The +1 order of an off-axis hologram: offset from the centre of the spectrum and radius, in pixels of the
/// unpadded hologram's spectrum. Without an offset the strongest peak outside the central order is looked for.
struct OffAxis {
    double x = 0, y = 0;                          ///< both 0: looked for
    double radius = 0;                            ///< 0: a third of the carrier's distance from the centre
    Side side = Side::unknown;
    bool is_searched() const noexcept { return x == 0 && y == 0; }
    bool operator==(const OffAxis&) const = default;
};

struct Autofocus {
    Metric metric = Metric::tenengrad;
    ObjectKind object = ObjectKind::amplitude;
    std::optional<std::array<int, 4>> region;     ///< [x, y, width, height] in pixels; not set: the whole image
    bool operator==(const Autofocus&) const = default;
};

struct HologramParameters {
    Method method = Method::automatic;
    double wavelength = std::numeric_limits<double>::quiet_NaN();   ///< in vacuum; has to be given
    std::array<double, 2> pixel{0, 0};            ///< x, y; 0: the spacing of the hologram
    LengthSweep distance;                         ///< sensor -> object, positive; negative propagates forward; has to be given
    double refractive_index = 1.0;
    Padding padding = Padding::automatic;
    bool band_limit = true;                       ///< angular spectrum: Matsushima 2009
    std::optional<OffAxis> off_axis;
    std::optional<Autofocus> autofocus;
    Planes planes = Planes::all;
    fft::Library fft = fft::Library::automatic;
};

/// What stands around the hologram: `reflect` where nothing is said, but for fresnel_single_fft none, whose output pixel depends
/// on the size of the frame.
Padding padding_of(const HologramParameters&) noexcept;

ParameterTable hologram_table();

}  // namespace parallax::engine::hologram
