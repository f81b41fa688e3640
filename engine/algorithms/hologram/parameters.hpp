// What a hologram reconstruction can be asked for. Lengths in metres.
#pragma once

#include "algorithms/fft/transform.hpp"
#include "core/parameters.hpp"

#include <array>
#include <optional>

namespace parallax::engine::hologram {

enum class Method { automatic, convolution, rayleigh_sommerfeld, angular_spectrum, fresnel, fresnel_single_fft };
enum class Padding { mean, reflect, zero, none };
enum class Metric { tenengrad, variance, brenner, laplacian, dubois };
enum class ObjectKind { amplitude, phase };
enum class Planes { all, best };

/// The +1 order of an off-axis hologram: offset from the centre of the spectrum and radius, in pixels of the
/// unpadded hologram's spectrum. automatic: the strongest peak outside the central order is looked for.
struct OffAxis {
    bool automatic = false;
    double x = 0, y = 0, radius = 0;
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
    double wavelength = 532e-9;                   ///< in vacuum
    std::array<double, 2> pixel{1.4e-6, 1.4e-6};  ///< x, y
    LengthSweep distance{{1e-3}};                 ///< sensor -> object, positive; negative propagates forward
    double refractive_index = 1.0;
    Padding padding = Padding::mean;
    bool band_limit = true;                       ///< angular spectrum: Matsushima 2009
    std::optional<OffAxis> off_axis;
    std::optional<Autofocus> autofocus;
    Planes planes = Planes::all;
    fft::Library fft = fft::Library::automatic;
};

ParameterTable hologram_table();

}  // namespace parallax::engine::hologram
