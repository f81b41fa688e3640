#include "algorithms/hologram/parameters.hpp"

namespace parallax::engine::hologram {
namespace {

ParameterTable off_axis_table() {
    return TableBuilder<OffAxis>()
        .number(
            "x", &OffAxis::x, {},
            "Column of the carrier, in pixels of the hologram's spectrum from its centre; a fraction counts. x and y both 0: it "
            "is looked for, the strongest peak outside the centre.")
        .number("y", &OffAxis::y, {}, "Row of the carrier, in pixels of the hologram's spectrum from its centre.")
        .number(
            "radius", &OffAxis::radius, {.min = 0},
            "Radius of the disc around the carrier that is kept, in pixels of the spectrum; 0: a third of the carrier's distance "
            "from the centre. It must leave out the order in the middle, so it is less than that distance.")
        .choice(
            "side", &OffAxis::side, {{"unknown", Side::unknown}, {"upper", Side::upper}, {"lower", Side::lower}},
            "Half of the spectrum in which the carrier is looked for: upper is y < 0, lower its mirror image. No hologram tells "
            "which of the two orders is the object's and which its conjugate, in focus at the negative distance and with the "
            "phase reversed: unknown takes the upper one, with a warning.")
        .build();
}

ParameterTable autofocus_table() {
    return TableBuilder<Autofocus>()
        .choice(
            "metric", &Autofocus::metric,
            {{"tenengrad", Metric::tenengrad},
             {"variance", Metric::variance},
             {"brenner", Metric::brenner},
             {"laplacian", Metric::laplacian},
             {"dubois", Metric::dubois}},
            "What is measured on the amplitude of each plane: squared Sobel gradient, variance, squared difference of pixels two "
            "columns apart, squared Laplacian, or the mean amplitude (Dubois).")
        .choice("object", &Autofocus::object, {{"amplitude", ObjectKind::amplitude}, {"phase", ObjectKind::phase}},
                "What the objects do to light: absorb it (their focus is the maximum of a contrast metric and the minimum of "
                "dubois) or "
                "delay it (the other way round).")
        .integers("region", &Autofocus::region, {.min = 0},
                  "[x, y, width, height] in pixels that is measured; null: the whole image.")
        .build();
}

}  // namespace

Padding padding_of(const HologramParameters& p) noexcept {
    if (p.padding != Padding::automatic) return p.padding;
    return p.method == Method::fresnel_single_fft ? Padding::none : Padding::reflect;
}

ParameterTable hologram_table() {
    // Fields point at the tables of the objects inside them, to the end.
    static const auto& off_axis = *new ParameterTable(off_axis_table());
    static const auto& autofocus = *new ParameterTable(autofocus_table());
    using P = HologramParameters;
    return TableBuilder<P>()
        .choice(
            "method", &P::method,
            {{"auto", Method::automatic},
             {"convolution", Method::convolution},
             {"rayleigh_sommerfeld", Method::rayleigh_sommerfeld},
             {"angular_spectrum", Method::angular_spectrum},
             {"fresnel", Method::fresnel},
             {"fresnel_single_fft", Method::fresnel_single_fft}},
            "How light is propagated. auto: angular_spectrum at any distance where the hologram stands among its mirror images "
            "(padding reflect, the default); else each plane of a stack by itself, by angular_spectrum up to the sampling limit "
            "and by rayleigh_sommerfeld above it. The record `planes` says which. fresnel_single_fft is for long distances: its "
            "pixel is wavelength * distance / (pixels * pixel).")
        .length("wavelength", &P::wavelength, {.above = 0, .unit = "nm"}, "Wavelength of the light in vacuum.")
        .length_pair("pixel", &P::pixel, {.min = 0, .unit = "um"},
                     "Pixel of the hologram, one length or [x, y]: the sensor's, divided by the magnification. 0: what the "
                     "hologram's file says, and an error where it says nothing.")
        .length_sweep(
            "distance", &P::distance, {.unit = "um"},
            "From the sensor to the object, above 0; a negative distance propagates forward. A list or {from, to, step} gives a "
            "stack of planes. A new distance needs no new plan.")
        .runtime()
        .number("refractive_index", &P::refractive_index, {.min = 1e-3, .max = 1e3},
                "Of the medium between object and sensor: the wavelength is divided by it.")
        .choice(
            "padding", &P::padding,
            {{"auto", Padding::automatic},
             {"reflect", Padding::reflect},
             {"mean", Padding::mean},
             {"zero", Padding::zero},
             {"none", Padding::none}},
            "What stands around the hologram, whose size is doubled, before it is propagated: its mirror images (which cost "
            "nothing: they make a cosine transform of a Fourier transform), its mean, zeros; none does not double it and lets "
            "the image wrap around. auto is reflect, and none for fresnel_single_fft, which can be padded by zero and reflect.")
        .boolean("band_limit", &P::band_limit,
                 "angular_spectrum: leave out the frequencies that its transfer function is sampled too coarsely for (Matsushima "
                 "2009).")
        .object(
            "off_axis", &P::off_axis, off_axis, {{"auto", OffAxis{}}},
            "The order of an off-axis hologram that is kept and moved to the centre of the spectrum. \"auto\" looks for the "
            "strongest peak outside the centre and reports it as `carrier`; a series looks in its first item and takes the same "
            "for all. null: an in-line hologram.")
        .object("autofocus", &P::autofocus, autofocus, {},
                "How planes are compared, for the output `focus` and for planes: best. null: they are not.")
        .choice("planes", &P::planes, {{"all", Planes::all}, {"best", Planes::best}},
                "Which planes of a stack are put out: all of them, or the one in best focus.")
        .choice("fft", &P::fft,
                {{"auto", fft::Library::automatic},
                 {"radix", fft::Library::radix},
                 {"vkfft", fft::Library::vkfft},
                 {"clfft", fft::Library::clfft},
                 {"cufft", fft::Library::cufft}},
                "Library of the Fourier transforms on a device; auto takes the fastest of our own, cufft is for comparison. The "
                "native variants have their own.")
        .build();
}

}  // namespace parallax::engine::hologram
