#include "algorithms/hologram/optics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/hologram/physics.hpp"
#include "parallax/host/error.hpp"

namespace parallax::engine::hologram {
namespace {

bool divides_by_distance(Method method) noexcept { return is_impulse_response(method) || method == Method::fresnel_single_fft; }

bool pads(Method method, Padding padding) noexcept {
    if (padding == Padding::none) return false;
    return method != Method::fresnel_single_fft || padding != Padding::mean;
}

}  // namespace

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

double sampling_limit(std::int64_t n, double dx, double wavelength) {
    const double s = wavelength / (2 * dx);
    if (s >= 1) return 0;
    return static_cast<double>(n) * dx * dx / wavelength * std::sqrt(1 - s * s);
}

double switch_distance(const Geometry& g) {
    const double limit =
        std::sqrt(sampling_limit(g.padded_width, g.dx, g.wavelength) * sampling_limit(g.padded_height, g.dy, g.wavelength));
    const double side = std::min(static_cast<double>(g.padded_width) * g.dx, static_cast<double>(g.padded_height) * g.dy);
    return std::max({limit, side / 16, 8 * std::max(g.dx, g.dy)});
}

bool has_long_phase(const Geometry& g) noexcept {
    if (!g.band_limit) return true;
    constexpr double most_turns = 32;   // of which a float leaves 2^-19
    const double x = g.wavelength / (2 * g.dx), y = g.wavelength / (2 * g.dy), s = std::min(1.0, x * x + y * y);
    // Beyond this distance the band limit lowers s faster than the distance grows.
    const double side = std::max(static_cast<double>(g.padded_width) * g.dx, static_cast<double>(g.padded_height) * g.dy);
    const double distance = side / 2 * std::sqrt(2 / s - 1);
    return distance / g.wavelength * (1 - std::sqrt(1 - s) - s / 2) > most_turns;
}

int small_angle_terms(const Geometry& g) noexcept {
    const double x = g.wavelength / (2 * g.dx), y = g.wavelength / (2 * g.dy), s = x * x + y * y;
    return s <= 1.0 / 64 ? 4 : s <= 1.0 / 24 ? 5 : s <= 0.25 ? 7 : 0;
}

double fresnel_limit(const Geometry& g) {
    return std::min(static_cast<double>(g.padded_width) * g.dx * g.dx, static_cast<double>(g.padded_height) * g.dy * g.dy) /
           g.wavelength;
}

bool is_impulse_response(Method method) noexcept {
    return method == Method::convolution || method == Method::rayleigh_sommerfeld;
}

bool has_impulse_response(const Geometry& g) noexcept {
    return std::any_of(g.methods.begin(), g.methods.end(), is_impulse_response);
}

bool has_transfer_function(const Geometry& g) noexcept {
    return std::any_of(g.methods.begin(), g.methods.end(),
                       [](Method m) { return m == Method::angular_spectrum || m == Method::fresnel; });
}

bool is_single_transform(const Geometry& g) noexcept { return g.methods.front() == Method::fresnel_single_fft; }

Geometry resolve(const HologramParameters& p, std::int64_t width, std::int64_t height) {
    if (width < 1 || height < 1)
        throw ConfigError("/inputs/hologram", fmt::format("an image of {} x {} pixels", width, height), "at least one pixel");
    if (p.distance.values.empty())
        throw ConfigError("/distance_um", "no distance", "a number, a list with at least one, or {from, to, step}");
    if (!(p.wavelength > 0)) throw ConfigError("/wavelength_nm", "no wavelength", "a length above 0");
    if (!(p.pixel[0] > 0 && p.pixel[1] > 0))
        throw ConfigError("/pixel_um", "no pixel", "pixel_um, since the hologram's file does not say the size of its pixels",
                          "the camera's pixel divided by the magnification, one length or [x, y]");

    Geometry g;
    g.width = width;
    g.height = height;
    g.wavelength = p.wavelength / p.refractive_index;
    g.dx = p.pixel[0];
    g.dy = p.pixel[1];
    g.band_limit = p.band_limit;
    g.distances = p.distance.values;

    const bool padded = pads(p.method, padding_of(p));
    const bool single = p.method == Method::fresnel_single_fft;
    g.mirrored = padded && !single && padding_of(p) == Padding::reflect;
    const auto twice = [&](std::int64_t n) { return g.mirrored ? 2 * n : fft::good_size(2 * n); };
    g.padded_width = padded ? twice(width) : width;
    g.padded_height = padded ? twice(height) : height;
    if (single) {  // its chirps are about the middle of the frame
        g.left = g.padded_width / 2 - width / 2;
        g.top = g.padded_height / 2 - height / 2;
    }

    // Among mirror images light has no end. A sampled impulse response has one; the angular spectrum has none, but for its band
    // limit, which leaves out what would come from more than a frame away.
    const double limit = g.mirrored ? std::numeric_limits<double>::infinity() : switch_distance(g);
    for (const double d : g.distances) {
        Method method = p.method;
        if (method == Method::automatic) method = std::fabs(d) <= limit ? Method::angular_spectrum : Method::rayleigh_sommerfeld;
        if (d == 0 && divides_by_distance(method))
            throw ConfigError("/distance_um", "a distance of 0",
                              fmt::format("distances other than 0: {} divides by them", name_of(method)),
                              "leave 0 out, or take method auto or angular_spectrum");
        g.methods.push_back(method);
    }
    return g;
}

HologramParameters parameters_of(const Problem& problem) {
    HologramParameters p = problem.parameters.as<HologramParameters>();
    const bool stated = p.pixel[0] > 0 && p.pixel[1] > 0;
    if (!stated) p.pixel = camera_pixel(problem.inputs.at("hologram")).value_or(std::array<double, 2>{0, 0});
    return p;
}

Geometry resolve(const Problem& problem) {
    const ArrayDesc& image = problem.inputs.at("hologram");
    return resolve(parameters_of(problem), image.size('x'), image.size('y'));
}

std::array<double, 2> output_pixel(const Geometry& g, std::size_t plane) {
    if (g.methods[plane] != Method::fresnel_single_fft) return {g.dx, g.dy};
    const double reach = g.wavelength * std::fabs(g.distances[plane]);
    return {reach / (static_cast<double>(g.padded_width) * g.dx), reach / (static_cast<double>(g.padded_height) * g.dy)};
}

Json planes_record(const Geometry& g) {
    Json record{
        {"distance_um", Json::array()}, {"method", Json::array()}, {"pixel_um", Json::array()}, {"pixel_y_um", Json::array()}};
    for (std::size_t i = 0; i < g.distances.size(); ++i) {
        const auto pixel = output_pixel(g, i);
        record["distance_um"].push_back(g.distances[i] * 1e6);
        record["method"].push_back(name_of(g.methods[i]));
        record["pixel_um"].push_back(pixel[0] * 1e6);
        record["pixel_y_um"].push_back(pixel[1] * 1e6);
    }
    return record;
}

bool has_one_output_pixel(const Geometry& g) {
    return !is_single_transform(g) || std::all_of(g.distances.begin(), g.distances.end(),
                                                  [&](double d) { return std::fabs(d) == std::fabs(g.distances.front()); });
}

}  // namespace parallax::engine::hologram
