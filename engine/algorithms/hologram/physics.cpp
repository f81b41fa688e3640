#include "algorithms/hologram/physics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace parallax::engine::hologram {
namespace {

constexpr double micro = 1e6, um = 1e-6, nm = 1e-9, largest_camera_pixel = 100 * um;

struct Range {
    double least, most;
    bool holds(double v) const noexcept { return v >= least && v <= most; }
};

/// Thousandfold steps are what wrong units make; the smallest step that leads to a usual value is the likeliest.
std::string likelier(double value, Range usual) {
    for (const int power : {3, 6, 9}) {
        for (const double factor : {std::pow(10.0, -power), std::pow(10.0, power)}) {
            if (usual.holds(value * factor))
                return fmt::format("; {} is likelier: is its unit right?", length_text(value * factor));
        }
    }
    return {};
}

void warn_of_length(std::vector<std::string>& warnings, const char* what, double value, Range possible, const char* why,
                    Range usual) {
    if (possible.holds(value)) return;
    warnings.push_back(fmt::format("{} {} is {}: {}{}", what, length_text(value),
                                   value < possible.least ? "very small" : "very large", why, likelier(value, usual)));
}

double metres_of(const std::string& unit) noexcept {
    if (unit == "nm") return 1e-9;
    if (unit == "um") return 1e-6;
    if (unit == "mm") return 1e-3;
    if (unit == "cm") return 1e-2;
    if (unit == "m") return 1;
    return 0;
}

double largest(const std::vector<double>& distances) {
    double best = 0;
    for (const double d : distances) best = std::max(best, std::fabs(d));
    return best;
}

double smallest(const std::vector<double>& distances) {
    double best = std::numeric_limits<double>::infinity();
    for (const double d : distances) best = std::min(best, std::fabs(d));
    return best;
}

}  // namespace

std::string length_text(double metres) {
    const double size = std::fabs(metres);
    if (size == 0) return "0 um";
    if (size < 0.9995e-6) return fmt::format("{:.6g} nm", metres * 1e9);
    if (size < 0.9995e-3) return fmt::format("{:.6g} um", metres * 1e6);
    if (size < 0.9995) return fmt::format("{:.6g} mm", metres * 1e3);
    return fmt::format("{:.6g} m", metres);
}

namespace {

/// A whole number of hundreds of dots an inch is a printer's, and what is coarser than any camera a screen's.
bool is_dots_per_inch(double metres) noexcept {
    const double dots = 0.0254 / metres;
    for (const double usual : {300.0, 400.0, 600.0, 1200.0}) {
        if (std::fabs(dots - usual) < 1e-4 * usual) return true;
    }
    return metres > largest_camera_pixel;
}

}  // namespace

std::optional<std::array<double, 2>> camera_pixel(const ArrayDesc& image) {
    const double unit = metres_of(image.unit);
    const Axis *x = image.find('x'), *y = image.find('y');
    if (unit == 0 || x == nullptr) return std::nullopt;
    const std::array<double, 2> pixel{x->spacing * unit, (y != nullptr ? y : x)->spacing * unit};
    for (const double p : pixel) {
        if (!(p > 0) || is_dots_per_inch(p)) return std::nullopt;
    }
    return pixel;
}

std::vector<std::string> setup_warnings(const Setup& p) {
    std::vector<std::string> warnings;
    warn_of_length(warnings, "wavelength", p.wavelength, {100 * nm, 20 * um}, "light has 100 nm to 20 um", {200 * nm, 2 * um});
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (axis == 1 && p.pixel[1] == p.pixel[0]) break;
        warn_of_length(warnings, axis == 0 ? "pixel" : "pixel in y", p.pixel[axis], {p.wavelength / 20, largest_camera_pixel},
                       "a camera's pixel, divided by the magnification, is between a twentieth of a wavelength and 100 um",
                       {20 * nm, 30 * um});
    }
    if (p.distance > 0) {
        warn_of_length(warnings, "distance", p.distance, {p.wavelength, 10},
                       "holograms are taken between a wavelength and 10 m from the object", {5 * um, 2});
    }
    if (p.refractive_index < 0.9 || p.refractive_index > 4.5) {
        warnings.push_back(
            fmt::format("refractive_index {:.6g}: media have 1 (vacuum) to 4 (germanium); water has 1.33, immersion oil 1.52",
                        p.refractive_index));
    }
    return warnings;
}

void warn_of_radius(std::vector<std::string>& warnings, double radius, double wavelength, double frame) {
    warn_of_length(warnings, "radius", radius, {wavelength / 20, frame / 2},
                   "a bead is a twentieth of a wavelength to half a frame", {100 * nm, std::min(1e-3, frame / 2)});
}

namespace {

/// In its own plane an in-line hologram shows fringes, which are what a metric finds sharpest. An off-axis one may hold an image.
void warn_of_near_planes(std::vector<std::string>& warnings, const HologramParameters& p) {
    const double wavelength = p.wavelength / p.refractive_index;
    std::vector<double> near;
    for (const double d : p.distance.values)
        if (std::fabs(d) < wavelength) near.push_back(d);
    if (near.empty()) return;
    const auto [least, most] = std::minmax_element(near.begin(), near.end());
    const std::string where = near.size() == 1 ? length_text(*least) : length_text(*least) + " to " + length_text(*most);
    const bool one = near.size() == 1;
    warnings.push_back(fmt::format(
        "autofocus: {} of {} planes, {}, {} less than a wavelength ({}) away from the hologram: {} the hologram itself, whose "
        "fringes the metric takes for edges; let the range begin where the object may be{}",
        near.size(), p.distance.values.size(), where, one ? "is" : "are", length_text(wavelength), one ? "it shows" : "they show",
        near.size() == p.distance.values.size() ? ". Is the unit of the distance right?" : ""));
}

}  // namespace

std::vector<std::string> physics_warnings(const Problem& problem) {
    const auto& stated = problem.parameters.as<HologramParameters>();
    const HologramParameters p = parameters_of(problem);
    std::vector<std::string> warnings = setup_warnings({p.wavelength, p.pixel, largest(p.distance.values), p.refractive_index});
    if (p.autofocus && p.autofocus->object == ObjectKind::amplitude && !p.off_axis) warn_of_near_planes(warnings, p);
    const auto file = camera_pixel(problem.inputs.at("hologram"));
    if (stated.pixel != p.pixel || !file) return warnings;
    const auto differ = [](double a, double b) { return std::fabs(a - b) > 0.01 * b; };
    if (differ(stated.pixel[0], (*file)[0]) || differ(stated.pixel[1], (*file)[1])) {
        const auto text = [](const std::array<double, 2>& pixel) {
            return pixel[0] == pixel[1] ? length_text(pixel[0])
                                        : fmt::format("{} x {}", length_text(pixel[0]), length_text(pixel[1]));
        };
        warnings.push_back(fmt::format(
            "the job says a pixel of {}, the hologram's file {}: the job's is taken; leave pixel_um out to take the file's",
            text(stated.pixel), text(*file)));
    }
    return warnings;
}

std::vector<std::string> sampling_warnings(const HologramParameters& p, const Geometry& g) {
    if (p.method == Method::automatic) return {};
    const bool paraxial = p.method == Method::fresnel || p.method == Method::fresnel_single_fft;
    const bool wants_far = is_impulse_response(p.method) || p.method == Method::fresnel_single_fft;
    const double limit = paraxial ? fresnel_limit(g) : switch_distance(g);
    const double d = wants_far ? smallest(g.distances) : largest(g.distances);
    if (g.mirrored && !wants_far) return {};   // nothing is aliased among mirror images
    if (g.mirrored && d >= limit) {
        return {fmt::format(
            "{} with padding reflect: an impulse response ends {:.6g} um away, where mirror images go on, so that "
            "brightness is some percent off: take method auto or angular_spectrum, or padding mean",
            name_of(p.method),
            .5 * std::min(static_cast<double>(g.padded_width) * g.dx, static_cast<double>(g.padded_height) * g.dy) * micro)};
    }
    if (wants_far ? d >= limit : d <= limit) return {};
    const char* const better =
        paraxial
            ? (wants_far ? "take method fresnel or angular_spectrum" : "take method fresnel_single_fft or rayleigh_sommerfeld")
            : (wants_far ? "take method auto or angular_spectrum" : "take method auto or rayleigh_sommerfeld");
    return {
        fmt::format("distance {:.6g} um is {} the sampling limit of {:.6g} um for {} ({} x {} pixels of {:.6g} x {:.6g} um, "
                    "wavelength {:.6g} um): {}",
                    d * micro, wants_far ? "below" : "above", limit * micro, name_of(p.method), g.padded_width, g.padded_height,
                    g.dx * micro, g.dy * micro, g.wavelength * micro, better)};
}

std::vector<std::string> pixel_warnings(const HologramParameters& p, const Geometry& g) {
    if (has_one_output_pixel(g)) return {};
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (std::size_t i = 0; i < g.distances.size(); ++i) {
        least = std::min(least, output_pixel(g, i)[0]);
        most = std::max(most, output_pixel(g, i)[0]);
    }
    return {fmt::format(
        "fresnel_single_fft: the planes have pixels of {} to {}, so {} no spacing; the record `planes` has the pixel of each",
        length_text(least), length_text(most), p.planes == Planes::best ? "the best plane carries" : "their stack carries")};
}

}  // namespace parallax::engine::hologram
