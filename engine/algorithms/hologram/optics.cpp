#include "algorithms/hologram/optics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parallax/host/error.hpp"

namespace parallax::engine::hologram {
namespace {

constexpr double micro = 1e6;

bool is_fresnel(Method method) noexcept { return method == Method::fresnel || method == Method::fresnel_single_fft; }

/// Below the limit the method's kernel is sampled too coarsely (its phase turns too fast from pixel to pixel).
bool wants_long_distances(Method method) noexcept { return is_impulse_response(method) || method == Method::fresnel_single_fft; }

const char* name_of(Method method) noexcept {
    switch (method) {
        case Method::automatic:
            return "auto";
        case Method::convolution:
            return "convolution";
        case Method::rayleigh_sommerfeld:
            return "rayleigh_sommerfeld";
        case Method::angular_spectrum:
            return "angular_spectrum";
        case Method::fresnel:
            return "fresnel";
        case Method::fresnel_single_fft:
            return "fresnel_single_fft";
    }
    return "unknown";
}

double largest(const std::vector<double>& distances) {
    double best = 0;
    for (double d : distances) best = std::max(best, std::abs(d));
    return best;
}

double smallest(const std::vector<double>& distances) {
    double best = std::numeric_limits<double>::infinity();
    for (double d : distances) best = std::min(best, std::abs(d));
    return best;
}

bool is_padded(Method method, Padding padding) noexcept {
    if (padding == Padding::none) return false;
    return method != Method::fresnel_single_fft || padding != Padding::mean;
}

}  // namespace

double sampling_limit(std::int64_t n, double dx, double wavelength) {
    const double s = wavelength / (2 * dx);
    if (s >= 1) return std::numeric_limits<double>::infinity();
    return static_cast<double>(n) * dx * dx / wavelength * std::sqrt(1 - s * s);
}

double sampling_limit(const Geometry& g) {
    if (is_fresnel(g.method))
        return std::min(static_cast<double>(g.padded_width) * g.dx * g.dx, static_cast<double>(g.padded_height) * g.dy * g.dy) /
               g.wavelength;
    return std::min(sampling_limit(g.padded_width, g.dx, g.wavelength), sampling_limit(g.padded_height, g.dy, g.wavelength));
}

bool is_impulse_response(Method method) noexcept {
    return method == Method::convolution || method == Method::rayleigh_sommerfeld;
}

Geometry resolve(const HologramParameters& p, std::int64_t width, std::int64_t height) {
    if (width < 1 || height < 1)
        throw ConfigError("/inputs/hologram", fmt::format("an image of {} x {} pixels", width, height), "at least one pixel");
    if (p.distance.values.empty())
        throw ConfigError("/distance_um", "no distance", "a number, a list with at least one, or {from, to, step}");

    Geometry g;
    g.method = p.method;
    g.width = width;
    g.height = height;
    g.wavelength = p.wavelength / p.refractive_index;
    g.dx = p.pixel[0];
    g.dy = p.pixel[1];
    g.distances = p.distance.values;

    const bool padded = is_padded(p.method, p.padding);
    g.padded_width = padded ? fft::good_size(2 * width) : width;
    g.padded_height = padded ? fft::good_size(2 * height) : height;

    if (g.method == Method::automatic) {
        g.method = Method::angular_spectrum;
        if (largest(g.distances) > sampling_limit(g)) g.method = Method::rayleigh_sommerfeld;
    }
    if (wants_long_distances(g.method) && smallest(g.distances) == 0)
        throw ConfigError("/distance_um", "a distance of 0",
                          fmt::format("distances other than 0: {}{} divides by them", name_of(g.method),
                                      p.method == Method::automatic ? ", which method auto takes for the longest one," : ""),
                          "leave 0 out, or take method angular_spectrum");

    g.out_dx = g.dx;
    g.out_dy = g.dy;
    if (g.method == Method::fresnel_single_fft) {
        const double reach = g.wavelength * std::abs(g.distances.front());
        g.out_dx = reach / (static_cast<double>(g.padded_width) * g.dx);
        g.out_dy = reach / (static_cast<double>(g.padded_height) * g.dy);
    }
    return g;
}

std::vector<std::string> sampling_warnings(const HologramParameters& p, const Geometry& g) {
    const double limit = sampling_limit(g);
    if (std::isinf(limit)) return {};
    const double limit_x = is_fresnel(g.method) ? static_cast<double>(g.padded_width) * g.dx * g.dx
                                                : sampling_limit(g.padded_width, g.dx, g.wavelength);
    const double limit_y = is_fresnel(g.method) ? static_cast<double>(g.padded_height) * g.dy * g.dy
                                                : sampling_limit(g.padded_height, g.dy, g.wavelength);
    const bool along_x = limit_x <= limit_y;
    const std::string where =
        fmt::format("{} pixels of {:.6g} um in {}, wavelength {:.6g} um", along_x ? g.padded_width : g.padded_height,
                    (along_x ? g.dx : g.dy) * micro, along_x ? "x" : "y", g.wavelength * micro);

    if (wants_long_distances(g.method)) {
        const double d = smallest(g.distances);
        if (d >= limit) return {};
        const char* better = p.method == Method::automatic ? "split the distances into two jobs"
                             : is_fresnel(g.method)        ? "take method fresnel or angular_spectrum"
                                                           : "take method angular_spectrum";
        return {fmt::format("distance {:.6g} um is below the sampling limit of {:.6g} um for {} ({}): {}", d * micro,
                            limit * micro, name_of(g.method), where, better)};
    }
    const double d = largest(g.distances);
    if (d <= limit) return {};
    return {fmt::format(
        "distance {:.6g} um is above the sampling limit of {:.6g} um for {} ({}): {}", d * micro, limit * micro,
        name_of(g.method), where,
        is_fresnel(g.method) ? "take method fresnel_single_fft or rayleigh_sommerfeld" : "take method rayleigh_sommerfeld")};
}

}  // namespace parallax::engine::hologram
