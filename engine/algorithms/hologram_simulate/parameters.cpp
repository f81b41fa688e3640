#include "algorithms/hologram_simulate/parameters.hpp"

namespace parallax::engine::hologram_simulate {

ParameterTable simulate_table() {
    using P = SimulateParameters;
    return TableBuilder<P>()
        .integer("width", &P::width, {.min = 1, .max = 32768}, "Columns of the hologram.")
        .integer("height", &P::height, {.min = 1, .max = 32768}, "Rows of the hologram.")
        .length_pair("pixel", &P::pixel, {.above = 0, .unit = "um"}, "Pixel of the hologram, one length or [x, y].")
        .length("wavelength", &P::wavelength, {.above = 0, .unit = "nm"}, "Wavelength of the light in vacuum.")
        .number("refractive_index", &P::refractive_index, {.min = 1e-3, .max = 1e3}, "Of the medium around the beads.")
        .length("distance", &P::distance, {.min = 0, .unit = "um"}, "From the plane of the beads to the sensor.")
        .integer("count", &P::count, {.min = 0, .max = 100000},
                 "Number of beads. One stands on pixel (width / 2, height / 2); several are placed at random, apart from each "
                 "other and from the edges.")
        .length("radius", &P::radius, {.above = 0, .unit = "um"}, "Radius of a bead.")
        .choice("kind", &P::kind, {{"opaque", BeadKind::opaque}, {"phase", BeadKind::phase}},
                "opaque: discs that let nothing through (edges by 16 x 16 samples a pixel). phase: transparent spheres that "
                "delay the light.")
        .number("delta_n", &P::delta_n, {}, "phase: refractive index of a bead less that of the medium.")
        .number("noise", &P::noise, {.min = 0, .max = 1e6},
                "Standard deviation of Gaussian noise on the intensity, which is 1 without beads.")
        .integer("seed", &P::seed, {.min = 0},
                 "Of the beads' places and of the noise: one seed gives one hologram on every device.")
        .choice("type", &P::type, {{"f32", PixelType::f32}, {"u8", PixelType::u8}, {"u16", PixelType::u16}},
                "f32: the intensity itself. u8, u16: grey levels, the nearest to intensity / full_scale times 255 or 65535.")
        .number("full_scale", &P::full_scale, {.above = 0},
                "u8, u16: the intensity of the largest grey level; more than that is clipped.")
        .build();
}

}  // namespace parallax::engine::hologram_simulate
