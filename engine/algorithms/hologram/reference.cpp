#include "algorithms/hologram/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "algorithms/fft/reference.hpp"
#include "core/threads.hpp"
#include "parallax/host/error.hpp"

namespace parallax::engine::hologram {
namespace {

using Field = std::vector<Complex>;
constexpr double two_pi = 2 * std::numbers::pi;

/// The padded frame as the kernels see it.
struct Frame {
    std::int64_t width, height;
    double dx, dy, wavelength;

    std::size_t count() const noexcept { return static_cast<std::size_t>(width * height); }
};

/// Index 0 .. n-1 in transform order -> -n/2 .. (n-1)/2.
std::int64_t signed_index(std::int64_t i, std::int64_t n) noexcept { return i < n - n / 2 ? i : i - n; }

std::int64_t wrap(std::int64_t i, std::int64_t n) noexcept { return ((i % n) + n) % n; }

/// exp(i 2 pi cycles); the whole cycles go first.
Complex phasor(double cycles) noexcept {
    const double angle = two_pi * (cycles - std::nearbyint(cycles));
    return {std::cos(angle), std::sin(angle)};
}

/// operator* without the C99 treatment of infinities, which costs a library call a pixel.
Complex product(Complex a, Complex b) noexcept {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// ---- padding ---------------------------------------------------------------------------------------------------

/// Where column (row) `j` of the padded frame is taken from by `reflect`: mirrored at the nearer edge of [0, n).
std::int64_t reflected(std::int64_t j, std::int64_t n, std::int64_t padded) noexcept {
    if (j < n) return j;
    const std::int64_t past_end = j - n, before_start = padded - 1 - j;
    return past_end <= before_start ? n - 1 - past_end : before_start;
}

/// The frame is periodic and begins at (left, top) of the padded one.
Field pad(const Field& u, const Geometry& g, Padding padding) {
    const std::int64_t pw = g.padded_width, ph = g.padded_height;
    Field frame(static_cast<std::size_t>(pw * ph));
    const Complex outside =
        padding == Padding::mean ? std::accumulate(u.begin(), u.end(), Complex(0)) / static_cast<double>(u.size()) : Complex(0);
    for (std::int64_t j = 0; j < ph; ++j)
        for (std::int64_t i = 0; i < pw; ++i) {
            const std::int64_t x = wrap(i - g.left, pw), y = wrap(j - g.top, ph);
            Complex value = outside;
            if (x < g.width && y < g.height)
                value = u[static_cast<std::size_t>(y * g.width + x)];
            else if (padding == Padding::reflect)
                value = u[static_cast<std::size_t>(reflected(y, g.height, ph) * g.width + reflected(x, g.width, pw))];
            frame[static_cast<std::size_t>(j * pw + i)] = value;
        }
    return frame;
}

// ---- off-axis --------------------------------------------------------------------------------------------------

/// The order at the carrier moved to frequency zero, exactly: h exp(-i 2 pi (cx x / w + cy y / h)).
Field demodulate(const std::vector<double>& h, const Geometry& g, const Carrier& carrier) {
    Field u(h.size());
    const double cx = carrier.x / static_cast<double>(g.width), cy = carrier.y / static_cast<double>(g.height);
    for (std::int64_t y = 0; y < g.height; ++y)
        for (std::int64_t x = 0; x < g.width; ++x) {
            const std::size_t i = static_cast<std::size_t>(y * g.width + x);
            u[i] = h[i] * phasor(-(cx * static_cast<double>(x) + cy * static_cast<double>(y)));
        }
    return u;
}

/// Keeps the disc about frequency zero; its radius is in pixels of the unpadded spectrum.
void keep_disc(Field& spectrum, const Geometry& g, double radius) {
    const std::int64_t pw = g.padded_width, ph = g.padded_height;
    const double scale_x = static_cast<double>(g.width) / static_cast<double>(pw);
    const double scale_y = static_cast<double>(g.height) / static_cast<double>(ph);
    for (std::int64_t y = 0; y < ph; ++y)
        for (std::int64_t x = 0; x < pw; ++x) {
            const double u = static_cast<double>(signed_index(x, pw)) * scale_x,
                         v = static_cast<double>(signed_index(y, ph)) * scale_y;
            if (u * u + v * v > radius * radius) spectrum[static_cast<std::size_t>(y * pw + x)] = 0;
        }
}

// ---- kernels, all for d > 0; d < 0 takes the conjugate at |d| -----------------------------------------------------

/// Free space in the spectrum: exp(-i 2 pi d sqrt(1/lambda^2 - f^2)), split into the whole distance and what a
/// frequency lags behind it, so that long distances keep all digits.
Complex angular_spectrum(double d, double wavelength, double f2) noexcept {
    const double s = wavelength * wavelength * f2;
    if (s >= 1) return 0;
    return phasor(d * wavelength * f2 / (1 + std::sqrt(1 - s)) - d / wavelength);
}

/// Matsushima 2009: frequencies up to this are sampled finely enough at distance d.
double band_limit_frequency(double d, std::int64_t n, double dx, double wavelength) noexcept {
    const double reach = 2 * d / (static_cast<double>(n) * dx);
    return 1 / (wavelength * std::sqrt(reach * reach + 1));
}

struct Transfer {
    Method method;  ///< angular_spectrum or fresnel
    bool band_limit;
};

void apply_transfer(const Field& in, Field& out, const Frame& f, const Transfer& transfer, double distance, int threads) {
    const double d = std::abs(distance);
    const double limit_x = band_limit_frequency(d, f.width, f.dx, f.wavelength);
    const double limit_y = band_limit_frequency(d, f.height, f.dy, f.wavelength);
    parallel_ranges(f.height, threads, [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t y = first; y < end; ++y) {
            const double fy = static_cast<double>(signed_index(y, f.height)) / (static_cast<double>(f.height) * f.dy);
            for (std::int64_t x = 0; x < f.width; ++x) {
                const double fx = static_cast<double>(signed_index(x, f.width)) / (static_cast<double>(f.width) * f.dx);
                const double f2 = fx * fx + fy * fy;
                Complex h;
                if (transfer.method == Method::fresnel)
                    h = phasor(0.5 * f.wavelength * d * f2 - d / f.wavelength);
                else if (!transfer.band_limit || (std::abs(fx) < limit_x && std::abs(fy) < limit_y))
                    h = angular_spectrum(d, f.wavelength, f2);
                const std::size_t i = static_cast<std::size_t>(y * f.width + x);
                out[i] = product(in[i], distance < 0 ? std::conj(h) : h);
            }
        }
    });
}

/// g on the frame with its centre at (0, 0), times dx dy.
Field impulse_response(const Frame& f, Method method, double distance, int threads) {
    const double d = std::abs(distance), k = two_pi / f.wavelength, area = f.dx * f.dy;
    Field g(f.count());
    parallel_ranges(f.height, threads, [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t y = first; y < end; ++y) {
            const double v = static_cast<double>(signed_index(y, f.height)) * f.dy;
            for (std::int64_t x = 0; x < f.width; ++x) {
                const double u = static_cast<double>(signed_index(x, f.width)) * f.dx;
                const double rho2 = u * u + v * v, r = std::sqrt(d * d + rho2);
                const Complex wave = phasor(-rho2 / (r + d) / f.wavelength - d / f.wavelength);  // exp(-ikr)
                const Complex front = method == Method::convolution ? Complex(0, 1 / (f.wavelength * r))
                                                                    : Complex(1 / r, k) * (d / (two_pi * r * r));
                const Complex value = product(front, wave) * area;
                g[static_cast<std::size_t>(y * f.width + x)] = distance < 0 ? std::conj(value) : value;
            }
        }
    });
    return g;
}

/// exp(-i pi rho^2/(lambda d)), rho = (p dx, q dy); the sign of `distance` conjugates it.
Complex chirp(std::int64_t p, std::int64_t q, double dx, double dy, double wavelength, double distance) noexcept {
    const double u = static_cast<double>(p) * dx, v = static_cast<double>(q) * dy;
    return phasor(-0.5 * (u * u + v * v) / (wavelength * distance));
}

Field fresnel_single_fft(const Field& h, const Frame& f, double distance, int threads) {
    const std::int64_t w = f.width, rows = f.height, cx = w / 2, cy = rows / 2;
    const double d = std::abs(distance);
    const double out_dx = f.wavelength * d / (static_cast<double>(w) * f.dx),
                 out_dy = f.wavelength * d / (static_cast<double>(rows) * f.dy);

    Field work(h.size());
    parallel_ranges(rows, threads, [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t y = first; y < end; ++y)
            for (std::int64_t x = 0; x < w; ++x) {
                const std::int64_t p = signed_index(x, w), q = signed_index(y, rows);
                work[static_cast<std::size_t>(y * w + x)] =
                    product(h[static_cast<std::size_t>((q + cy) * w + p + cx)], chirp(p, q, f.dx, f.dy, f.wavelength, distance));
            }
    });
    const bool inverse = distance > 0;
    fft::reference_fft2(work.data(), w, rows, inverse, threads);

    const double unscale = inverse ? static_cast<double>(w) * static_cast<double>(rows) : 1.0;
    const Complex front = Complex(0, f.dx * f.dy * unscale / (f.wavelength * distance)) * phasor(-distance / f.wavelength);
    Field out(h.size());
    parallel_ranges(rows, threads, [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t y = first; y < end; ++y)
            for (std::int64_t x = 0; x < w; ++x) {
                const std::int64_t p = x - cx, q = y - cy;
                out[static_cast<std::size_t>(y * w + x)] =
                    product(work[static_cast<std::size_t>(wrap(q, rows) * w + wrap(p, w))],
                            product(front, chirp(p, q, out_dx, out_dy, f.wavelength, distance)));
            }
    });
    return out;
}

Field crop(const Field& frame, const Geometry& g) {
    if (g.width == g.padded_width && g.height == g.padded_height) return frame;
    Field out(static_cast<std::size_t>(g.width * g.height));
    for (std::int64_t y = 0; y < g.height; ++y)
        std::copy_n(frame.begin() + y * g.padded_width, g.width, out.begin() + y * g.width);
    return out;
}

}  // namespace

namespace {

/// As kernels find it, in single precision: camera.clh.
bool is_dead(double background, double dark) {
    const auto zero = static_cast<float>(dark), light = static_cast<float>(background) - zero;
    return light < std::numeric_limits<float>::min() || light <= 0x1p-20f * std::fabs(zero);
}

}  // namespace

std::vector<double> normalise(ImageView hologram, ImageView background, ImageView dark) {
    const auto check = [&](ImageView image, const char* port) {
        if (image.data != nullptr && (image.width != hologram.width || image.height != hologram.height))
            throw ConfigError(fmt::format("/inputs/{}", port), fmt::format("{} x {} pixels", image.width, image.height),
                              fmt::format("{} x {} pixels, as the hologram has", hologram.width, hologram.height));
    };
    check(background, "background");
    check(dark, "dark");
    std::vector<double> h(static_cast<std::size_t>(hologram.width * hologram.height));
    for (std::size_t i = 0; i < h.size(); ++i) {
        const double zero = dark.data != nullptr ? dark.data[i] : 0.0;
        h[i] = hologram.data[i] - zero;
        if (background.data != nullptr) h[i] = is_dead(background.data[i], zero) ? 1.0 : h[i] / (background.data[i] - zero);
    }
    return h;
}

void reference_reconstruct(const HologramParameters& p, const Geometry& g, const std::vector<double>& h, int threads,
                           const std::function<void(std::size_t, const std::vector<Complex>&)>& plane, Carrier* carrier) {
    const Frame frame{g.padded_width, g.padded_height, g.dx, g.dy, g.wavelength};
    const auto fft = [&](Field& field, bool inverse) {
        fft::reference_fft2(field.data(), frame.width, frame.height, inverse, threads);
    };
    const bool single = is_single_transform(g);

    Field field;
    if (p.off_axis) {
        const bool searched = p.off_axis->is_searched();
        const Carrier order = searched ? find_carrier(h, g.width, g.height, *p.off_axis, threads) : stated_carrier(*p.off_axis);
        if (searched) judge_found_carrier(order, *p.off_axis, g.width, g.height);
        if (carrier != nullptr) *carrier = order;
        field = pad(demodulate(h, g, order), g, padding_of(p));
        fft(field, false);
        keep_disc(field, g, order.radius);
        if (single) fft(field, true);
    } else {
        field = pad(Field(h.begin(), h.end()), g, padding_of(p));
        if (!single) fft(field, false);
    }

    Field work(single ? 0 : field.size());
    for (std::size_t i = 0; i < g.distances.size(); ++i) {
        const double d = g.distances[i];
        if (single) {
            plane(i, fresnel_single_fft(field, frame, d, threads));
            continue;
        }
        if (is_impulse_response(g.methods[i])) {
            Field kernel = impulse_response(frame, g.methods[i], d, threads);
            fft(kernel, false);
            // Beyond the frame the mean goes on for ever, which the sampled g does not: its transform at frequency 0 is that of a
            // plane wave through a window, some percent off and another at every distance.
            if (padding_of(p) == Padding::mean && is_padded(g)) kernel[0] = phasor(-d / g.wavelength);
            std::transform(field.begin(), field.end(), kernel.begin(), work.begin(), product);
        } else {
            apply_transfer(field, work, frame, {g.methods[i], p.band_limit}, d, threads);
        }
        fft(work, true);
        plane(i, crop(work, g));
    }
}

double focus_metric(Metric metric, const std::vector<double>& amplitude, std::int64_t width, std::int64_t /*height*/,
                    std::array<int, 4> region) {
    const std::int64_t left = region[0], top = region[1], w = region[2], h = region[3];
    const auto at = [&](std::int64_t x, std::int64_t y) {
        return amplitude[static_cast<std::size_t>((top + y) * width + left + x)];
    };
    // Mean of value(x, y) over the pixels from `border` to the far end less `border`; `right` more at the right.
    const auto mean = [&](std::int64_t border, std::int64_t right, const auto& value) {
        double total = 0;
        const std::int64_t columns = w - 2 * border - right, rows = h - 2 * border;
        if (columns < 1 || rows < 1) return 0.0;
        for (std::int64_t y = border; y < border + rows; ++y) {
            double row = 0;
            for (std::int64_t x = border; x < border + columns; ++x) row += value(x, y);
            total += row;
        }
        return total / (static_cast<double>(columns) * static_cast<double>(rows));
    };
    const auto square = [](double v) { return v * v; };

    switch (metric) {
        case Metric::tenengrad:
            return mean(1, 0, [&](std::int64_t x, std::int64_t y) {
                const double gx = (at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1)) -
                                  (at(x - 1, y - 1) + 2 * at(x - 1, y) + at(x - 1, y + 1));
                const double gy = (at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1)) -
                                  (at(x - 1, y - 1) + 2 * at(x, y - 1) + at(x + 1, y - 1));
                return gx * gx + gy * gy;
            });
        case Metric::variance: {
            const double average = mean(0, 0, at);
            return mean(0, 0, [&](std::int64_t x, std::int64_t y) { return square(at(x, y) - average); });
        }
        case Metric::brenner:
            return mean(0, 2, [&](std::int64_t x, std::int64_t y) { return square(at(x + 2, y) - at(x, y)); });
        case Metric::laplacian:
            return mean(1, 0, [&](std::int64_t x, std::int64_t y) {
                return square(4 * at(x, y) - at(x - 1, y) - at(x + 1, y) - at(x, y - 1) - at(x, y + 1));
            });
        case Metric::dubois:
            return mean(0, 0, at);
    }
    return 0;
}

void propagate_angular_spectrum(std::vector<Complex>& field, std::int64_t width, std::int64_t height, double dx, double dy,
                                double wavelength, double d, bool band_limit, int threads) {
    const Frame frame{width, height, dx, dy, wavelength};
    fft::reference_fft2(field.data(), width, height, false, threads);
    apply_transfer(field, field, frame, {Method::angular_spectrum, band_limit}, d, threads);
    fft::reference_fft2(field.data(), width, height, true, threads);
}

}  // namespace parallax::engine::hologram
