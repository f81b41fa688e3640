#include "algorithms/fft/reference.hpp"

#include "algorithms/fft/radices.hpp"
#include "algorithms/fft/transform.hpp"
#include "core/threads.hpp"
#include "support/platform.hpp"

#include <algorithm>
#include <kissfft.hh>
#include <optional>
#include <vector>

namespace parallax::engine::fft {
namespace {

// KISS FFT's generic butterfly costs p^2: a prime beyond this goes through Bluestein.
constexpr std::int64_t largest_factor = 31;

std::int64_t largest_prime(std::int64_t n) {
    std::int64_t largest = 1;
    for (std::int64_t p = 2; p * p <= n; ++p)
        while (n % p == 0) {
            largest = p;
            n /= p;
        }
    return std::max(largest, n);
}

std::size_t power_of_two_above(std::size_t n) {
    std::size_t m = 1;
    while (m < n) m *= 2;
    return m;
}

/// Transforms of one length in one direction, without factor. Holds scratch: one for each thread.
class ReferenceLine {
public:
    ReferenceLine(std::size_t n, bool inverse) : n_(n), result_(n) {
        if (largest_prime(static_cast<std::int64_t>(n)) <= largest_factor) {
            direct_.emplace(n, inverse);
            return;
        }
        const std::size_t m = power_of_two_above(2 * n - 1);
        chirp_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const Complex c = unit_root(static_cast<std::uint64_t>(i) * i % (2 * n), 2 * n);
            chirp_[i] = inverse ? std::conj(c) : c;
        }
        forward_.emplace(m, false);
        backward_.emplace(m, true);
        work_.assign(m, Complex{});
        spectrum_.resize(m);
        filter_.resize(m);
        for (std::size_t i = 0; i < n; ++i) work_[i] = work_[(m - i) % m] = std::conj(chirp_[i]) / static_cast<double>(m);
        forward_->transform(work_.data(), filter_.data());
    }

    void run(Complex* data) {
        if (direct_) {
            direct_->transform(data, result_.data());
            std::copy(result_.begin(), result_.end(), data);
            return;
        }
        std::fill(work_.begin(), work_.end(), Complex{});
        for (std::size_t i = 0; i < n_; ++i) work_[i] = data[i] * chirp_[i];
        forward_->transform(work_.data(), spectrum_.data());
        for (std::size_t i = 0; i < spectrum_.size(); ++i) spectrum_[i] *= filter_[i];
        backward_->transform(spectrum_.data(), work_.data());
        for (std::size_t i = 0; i < n_; ++i) data[i] = work_[i] * chirp_[i];
    }

private:
    std::size_t n_;
    std::vector<Complex> result_;
    std::optional<kissfft<double>> direct_, forward_, backward_;
    std::vector<Complex> chirp_, filter_, work_, spectrum_;
};

void rows(Complex* data, std::int64_t width, std::int64_t count, bool inverse, double factor, int threads) {
    parallel_ranges(count, threads, [=](std::int64_t begin, std::int64_t end) {
        ReferenceLine line(static_cast<std::size_t>(width), inverse);
        for (std::int64_t row = begin; row < end; ++row) {
            Complex* const first = data + row * width;
            line.run(first);
            if (factor != 1) std::transform(first, first + width, first, [factor](Complex z) { return z * factor; });
        }
    });
}

void columns(Complex* data, std::int64_t width, std::int64_t height, bool inverse, int threads) {
    constexpr std::int64_t block = 8;   // columns copied at once: whole cache lines
    parallel_ranges((width + block - 1) / block, threads, [=](std::int64_t begin, std::int64_t end) {
        ReferenceLine line(static_cast<std::size_t>(height), inverse);
        std::vector<Complex> copies(static_cast<std::size_t>(block * height));
        for (std::int64_t x0 = begin * block; x0 < std::min(end * block, width); x0 += block) {
            const std::int64_t held = std::min(block, width - x0);
            for (std::int64_t y = 0; y < height; ++y)
                for (std::int64_t x = 0; x < held; ++x)
                    copies[static_cast<std::size_t>(x * height + y)] = data[y * width + x0 + x];
            for (std::int64_t x = 0; x < held; ++x) line.run(copies.data() + x * height);
            for (std::int64_t y = 0; y < height; ++y)
                for (std::int64_t x = 0; x < held; ++x)
                    data[y * width + x0 + x] = copies[static_cast<std::size_t>(x * height + y)];
        }
    });
}

}  // namespace

std::int64_t reference_line_bytes(std::int64_t width, std::int64_t height, std::int64_t rows, int threads) {
    const auto line = [](std::int64_t n) -> std::int64_t {
        if (largest_prime(n) <= largest_factor) return 16 * 3 * n;   // with its roots of one
        const auto m = static_cast<std::int64_t>(power_of_two_above(static_cast<std::size_t>(2 * n - 1)));
        return 16 * (2 * n + 5 * m);
    };
    const std::int64_t most = threads > 0 ? threads : host::platform::processors();
    const std::int64_t along = std::min(most, rows) * line(width),
                       across = std::min(most, (width + 7) / 8) * (line(height) + 16 * 8 * height);
    return std::max(along, height > 1 ? across : 0);
}

void reference_fft1(Complex* data, std::int64_t width, std::int64_t batch, bool inverse, int threads) {
    if (width < 1 || batch < 1) return;
    rows(data, width, batch, inverse, inverse ? 1.0 / static_cast<double>(width) : 1.0, threads);
}

void reference_fft2(Complex* data, std::int64_t width, std::int64_t height, bool inverse, int threads) {
    if (width < 1 || height < 1) return;
    rows(data, width, height, inverse, inverse ? 1.0 / (static_cast<double>(width) * static_cast<double>(height)) : 1.0, threads);
    if (height > 1) columns(data, width, height, inverse, threads);
}

void reference_dct1(double* data, std::int64_t width, std::int64_t batch, bool inverse, int threads) {
    if (width < 1 || batch < 1) return;
    const auto n = static_cast<std::size_t>(width);
    std::vector<Complex> turns;   // exp(-i pi k / 2n)
    turns.reserve(n);
    for (std::size_t k = 0; k < n; ++k) turns.push_back(unit_root(k, 4 * n));
    std::vector<Complex> line(2 * n);
    for (double* row = data; row != data + width * batch; row += width) {
        if (inverse) {   // the spectrum of a row and its mirror image, whose middle is 0
            line[n] = 0;
            for (std::size_t k = 0; k < n; ++k) {
                line[k] = row[k] * std::conj(turns[k]);
                if (k > 0) line[2 * n - k] = std::conj(line[k]);
            }
        } else {
            for (std::size_t i = 0; i < n; ++i) line[i] = line[2 * n - 1 - i] = row[i];
        }
        reference_fft1(line.data(), 2 * width, 1, inverse, threads);
        for (std::size_t k = 0; k < n; ++k) row[k] = inverse ? line[k].real() : (line[k] * turns[k]).real();
    }
}

void reference_dct2(double* data, std::int64_t width, std::int64_t height, bool inverse, int threads) {
    if (width < 1 || height < 1) return;
    reference_dct1(data, width, height, inverse, threads);
    std::vector<double> column(static_cast<std::size_t>(height));
    for (std::int64_t x = 0; x < width; ++x) {
        for (std::int64_t y = 0; y < height; ++y) column[static_cast<std::size_t>(y)] = data[y * width + x];
        reference_dct1(column.data(), height, 1, inverse, threads);
        for (std::int64_t y = 0; y < height; ++y) data[y * width + x] = column[static_cast<std::size_t>(y)];
    }
}

std::int64_t good_size(std::int64_t n) {
    for (std::int64_t size = std::max<std::int64_t>(n, 1);; ++size) {
        std::int64_t rest = size;
        for (const int prime : {2, 3, 5, 7})
            while (rest % prime == 0) rest /= prime;
        if (rest == 1) return size;
    }
}

}  // namespace parallax::engine::fft
