#include "algorithms/hologram/carrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "algorithms/fft/reference.hpp"
#include "algorithms/hologram/pixels.hpp"
#include "parallax/host/error.hpp"

namespace parallax::engine::hologram {
namespace {

using Complex = std::complex<double>;
constexpr double two_pi = 2 * std::numbers::pi;
constexpr int reach = 10;  ///< steps to either side of the best frequency so far

std::int64_t wrap(std::int64_t i, std::int64_t n) noexcept { return ((i % n) + n) % n; }

std::vector<double> hann(std::int64_t n) {
    std::vector<double> w(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
        w[static_cast<std::size_t>(i)] = .5 - .5 * std::cos(two_pi * (static_cast<double>(i) + .5) / static_cast<double>(n));
    return w;
}

struct Windowed {
    std::int64_t width, height;
    std::vector<double> values;
};

/// |S|^2 at frequencies x + i step, y + j step for i, j in -reach .. reach: row j, column i.
std::vector<double> powers_around(const Windowed& image, double x, double y, double step) {
    constexpr int side = 2 * reach + 1;
    std::vector<Complex> rows(static_cast<std::size_t>(image.height) * side), sums(static_cast<std::size_t>(side) * side);
    const auto wave = [](double frequency, std::int64_t at, std::int64_t n) {
        const double turns = frequency * static_cast<double>(at) / static_cast<double>(n);
        return std::polar(1.0, -two_pi * (turns - std::nearbyint(turns)));
    };
    for (int i = 0; i < side; ++i) {
        std::vector<Complex> waves;
        for (std::int64_t u = 0; u < image.width; ++u) waves.push_back(wave(x + (i - reach) * step, u, image.width));
        for (std::int64_t v = 0; v < image.height; ++v) {
            Complex sum = 0;
            const double* row = image.values.data() + v * image.width;
            for (std::int64_t u = 0; u < image.width; ++u) sum += row[u] * waves[static_cast<std::size_t>(u)];
            rows[static_cast<std::size_t>(v * side + i)] = sum;
        }
    }
    std::vector<double> powers;
    for (int j = 0; j < side; ++j) {
        std::vector<Complex> sum(side);
        for (std::int64_t v = 0; v < image.height; ++v) {
            const Complex w = wave(y + (j - reach) * step, v, image.height);
            for (int i = 0; i < side; ++i) sum[static_cast<std::size_t>(i)] += rows[static_cast<std::size_t>(v * side + i)] * w;
        }
        for (const Complex& s : sum) powers.push_back(std::norm(s));
    }
    return powers;
}

/// Offset of a parabola's extremum from its middle point, in steps.
double parabola(double before, double at, double after) noexcept {
    const double curvature = before - 2 * at + after;
    return curvature < 0 ? std::clamp(.5 * (before - after) / curvature, -.5, .5) : 0;
}

/// The maximum between the pixels: Guizar-Sicairos et al. 2008, in steps of a tenth, then of a hundredth, then by parabolas.
void refine(const Windowed& image, double& x, double& y) {
    constexpr int side = 2 * reach + 1;
    for (const double step : {.1, .01}) {
        const std::vector<double> powers = powers_around(image, x, y, step);
        const auto best = static_cast<int>(std::max_element(powers.begin(), powers.end()) - powers.begin());
        const int i = best % side, j = best / side;
        x += (i - reach) * step;
        y += (j - reach) * step;
        if (step > .05) continue;
        const auto at = [&](int row, int column) { return powers[static_cast<std::size_t>(row * side + column)]; };
        if (i > 0 && i + 1 < side) x += step * parabola(at(j, i - 1), at(j, i), at(j, i + 1));
        if (j > 0 && j + 1 < side) y += step * parabola(at(j - 1, i), at(j, i), at(j + 1, i));
    }
}

/// Of the order at (x, y); y grows downwards.
Side side_of(double x, double y) noexcept { return y > 0 || (y == 0 && x > 0) ? Side::lower : Side::upper; }

std::string at(const Carrier& c) { return fmt::format("({:.6g}, {:.6g})", c.x, c.y); }

}  // namespace

double carrier_core(std::int64_t width, std::int64_t height) { return static_cast<double>(std::min(width, height)) / 16; }

Carrier stated_carrier(const OffAxis& order) {
    return {order.x, order.y, order.radius > 0 ? order.radius : std::hypot(order.x, order.y) / 3, 0};
}

Carrier find_carrier(const std::vector<double>& h, std::int64_t width, std::int64_t height, const OffAxis& order, int threads) {
    const double mean = std::accumulate(h.begin(), h.end(), 0.0) / static_cast<double>(h.size());
    const std::vector<double> wx = hann(width), wy = hann(height);
    Windowed image{width, height, std::vector<double>(h.size())};
    for (std::size_t i = 0; i < h.size(); ++i) {
        image.values[i] = (h[i] - mean) * wy[i / static_cast<std::size_t>(width)] * wx[i % static_cast<std::size_t>(width)];
    }
    std::vector<Complex> spectrum(image.values.begin(), image.values.end());
    fft::reference_fft2(spectrum.data(), width, height, false, threads);

    const auto power = [&](std::int64_t x, std::int64_t y) {
        return std::norm(spectrum[static_cast<std::size_t>(wrap(y, height) * width + wrap(x, width))]);
    };
    const auto is_peak = [&](std::int64_t x, std::int64_t y) {
        for (std::int64_t v = -1; v <= 1; ++v)
            for (std::int64_t u = -1; u <= 1; ++u)
                if (power(x + u, y + v) > power(x, y)) return false;
        return true;
    };
    const double core = carrier_core(width, height);
    const Side side = order.side == Side::lower ? Side::lower : Side::upper;
    const auto on_side = [&](std::int64_t x, std::int64_t y) {
        return side_of(static_cast<double>(x), static_cast<double>(y)) == side;
    };
    // The strongest peak of the half plane that is farther than `distance` from (x0, y0); of equal ones the first in memory.
    struct Peak {
        std::int64_t x = 0, y = 0;
        double power = 0;
    };
    const auto strongest = [&](std::int64_t x0, std::int64_t y0, double distance) {
        Peak best;
        for (std::int64_t j = 0; j < height; ++j)
            for (std::int64_t i = 0; i < width; ++i) {
                const std::int64_t x = i < width - width / 2 ? i : i - width, y = j < height - height / 2 ? j : j - height;
                if (!on_side(x, y) || static_cast<double>(x * x + y * y) <= core * core) continue;
                if (std::hypot(x - x0, y - y0) <= distance) continue;
                if (power(x, y) > best.power && is_peak(x, y)) best = {x, y, power(x, y)};
            }
        return best;
    };
    const Peak first = strongest(0, 0, 0);
    if (first.power == 0) return {};
    const Peak second = strongest(first.x, first.y, std::hypot(first.x, first.y) / 3);
    Carrier found{static_cast<double>(first.x), static_cast<double>(first.y), order.radius, 0};
    found.confidence = std::min(std::sqrt(first.power / std::max(second.power, first.power * 1e-24)), 1e6);
    refine(image, found.x, found.y);
    if (found.radius == 0) found.radius = std::hypot(found.x, found.y) / 3;
    return found;
}

namespace {

constexpr std::int64_t block_side = 32, most_looked_at = std::int64_t{1} << 21;   // pixels

}  // namespace

double fringes_at(const HostArray& h, double x, double y) {
    const std::int64_t width = h.desc.size('x'), height = h.desc.size('y');
    const std::int64_t side_x = std::min(block_side, width), side_y = std::min(block_side, height);
    const std::int64_t columns = width / side_x, rows = height / side_y;
    const std::int64_t step = std::max<std::int64_t>(1, rows * side_y * width / most_looked_at);   // rows of blocks, evenly
    const std::vector<double> wx = hann(side_x), wy = hann(side_y);
    std::vector<Complex> wave(static_cast<std::size_t>(side_x)), turn(static_cast<std::size_t>(side_y));
    const auto turned = [](std::vector<Complex>& to, const std::vector<double>& window, double turns) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::polar(window[i], -two_pi * turns * static_cast<double>(i));
    };
    turned(wave, wx, x / static_cast<double>(width));
    turned(turn, wy, y / static_cast<double>(height));
    double fringes = 0, energy = 0;
    std::vector<double> lines(static_cast<std::size_t>(side_y * width));
    for (std::int64_t row = 0; row < rows; row += step) {
        if (!read_pixels(h.desc, h.data(), {row * side_y, side_y}, lines.data())) return 0;
        for (std::int64_t column = 0; column < columns; ++column) {
            const auto pixel = [&](std::size_t j, std::size_t i) {
                return lines[j * static_cast<std::size_t>(width) + static_cast<std::size_t>(column * side_x) + i];
            };
            double mean = 0, weights = 0;
            for (std::size_t j = 0; j < turn.size(); ++j)
                for (std::size_t i = 0; i < wave.size(); ++i) {
                    const double w = wx[i] * wy[j];
                    mean += w * pixel(j, i);
                    weights += w;
                }
            mean /= weights;
            Complex sum = 0;
            for (std::size_t j = 0; j < turn.size(); ++j) {
                Complex of_line = 0;
                for (std::size_t i = 0; i < wave.size(); ++i) {
                    const double value = pixel(j, i) - mean;
                    of_line += value * wave[i];
                    energy += value * value * wx[i] * wx[i] * wy[j] * wy[j];
                }
                sum += of_line * turn[j];
            }
            fringes += std::norm(sum);
        }
    }
    const double share = std::sqrt(fringes / energy);
    return std::isfinite(share) ? share : 0;
}

void check_carrier(const Carrier& c, std::int64_t width, std::int64_t height) {
    const auto check = [](const char* pointer, double value, std::int64_t size, const char* axis) {
        if (std::fabs(value) * 2 <= static_cast<double>(size)) return;
        throw ConfigError(
            pointer, fmt::format("{}", value),
            fmt::format("{} to {}: the hologram's spectrum has {} pixels in {}", -(size / 2), size / 2, size, axis));
    };
    check("/off_axis/x", c.x, width, "x");
    check("/off_axis/y", c.y, height, "y");
    const double distance = std::hypot(c.x, c.y);
    if (c.radius < distance) return;
    throw ConfigError("/off_axis/radius", fmt::format("{:.6g}, a disc about {} that holds the zero order", c.radius, at(c)),
                      fmt::format("less than {:.6g}, the carrier's distance from the centre", distance),
                      fmt::format("a third of it, {:.4g}, is usual and what 0 takes", distance / 3));
}

void check_side(const OffAxis& order) {
    if (order.side == Side::unknown || order.side == side_of(order.x, order.y)) return;
    const char* const is = order.side == Side::lower ? "upper" : "lower";
    throw ConfigError("/off_axis/side", order.side == Side::lower ? "\"lower\"" : "\"upper\"",
                      fmt::format("\"{}\", where {} is; or x and y of the other order, {}", is, at({order.x, order.y, 0, 0}),
                                  at({-order.x, -order.y, 0, 0})),
                      "leave side out: it is for a search, and x and y say which order is kept");
}

std::vector<std::string> carrier_warnings(const Carrier& c, std::int64_t width, std::int64_t height) {
    std::vector<std::string> warnings;
    const double distance = std::hypot(c.x, c.y);
    if (c.radius > distance / 2) {
        warnings.push_back(
            fmt::format("off_axis: the disc of radius {:.6g} about {} is more than half as wide as its carrier, {:.6g}, is far "
                        "from the centre: "
                        "the zero order reaches into it; a third is usual",
                        c.radius, at(c), distance));
    }
    if (2 * (std::fabs(c.x) + c.radius) > static_cast<double>(width) ||
        2 * (std::fabs(c.y) + c.radius) > static_cast<double>(height)) {
        warnings.push_back(fmt::format(
            "off_axis: the disc of radius {:.6g} about {} leaves the spectrum of {} x {} pixels: what is beyond its edge is "
            "the other side's; take a smaller radius",
            c.radius, at(c), width, height));
    }
    return warnings;
}

std::vector<std::string> judge_found_carrier(const Carrier& c, const OffAxis& order, std::int64_t width, std::int64_t height) {
    // Nearer to the centre, a disc that leaves out the zero order holds no pixel; frames of some pixels have but such peaks.
    const bool is_near = std::hypot(c.x, c.y) < 3;
    if (c.confidence < least_confidence || is_near) {
        const std::string found = !(c.confidence > 0) ? std::string("no peak")
                                  : is_near
                                      ? fmt::format("a strongest peak at {}, less than 3 pixels", at(c))
                                      : fmt::format("a strongest peak at {}, only {:.3g} times the next", at(c), c.confidence);
        throw ConfigError("/off_axis",
                          fmt::format("{} outside the centre of the spectrum of {} x {} pixels", found, width, height),
                          fmt::format("an off-axis hologram: its carrier stands out {:.2g} times and more", least_confidence),
                          "leave off_axis out for an in-line hologram; if you know the carrier, give it: {\"x\": ..., \"y\": "
                          "..., \"radius\": ...}");
    }
    check_carrier(c, width, height);
    std::vector<std::string> warnings = carrier_warnings(c, width, height);
    if (c.confidence < doubtful_confidence) {
        warnings.push_back(fmt::format(
            "off_axis: the carrier {} is in doubt, its peak is only {:.3g} times the next; give it as x and y if you know it",
            at(c), c.confidence));
    }
    if (order.side == Side::unknown) {
        warnings.push_back(
            fmt::format("off_axis: took the order at {}, in the upper half of the spectrum; no hologram tells it from its "
                        "conjugate: if objects "
                        "come into focus at negative distances, say \"off_axis\": {{\"side\": \"lower\"}}, else \"upper\"",
                        at(c)));
    }
    return warnings;
}

Json carrier_record(const Carrier& c) {
    Json record{{"x", c.x}, {"y", c.y}, {"radius", c.radius}};
    if (c.confidence > 0) record["confidence"] = c.confidence;
    return record;
}

}  // namespace parallax::engine::hologram
