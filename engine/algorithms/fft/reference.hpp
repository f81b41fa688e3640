// The oracle: double-precision transforms of any size on the host (KISS FFT, Bluestein for large primes).
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace parallax::engine::fft {

using Complex = std::complex<double>;

/// In place, [height][width] dense; inverse divides by width * height. `threads` 0: all.
void reference_fft2(Complex* data, std::int64_t width, std::int64_t height, bool inverse, int threads = 1);
/// In place, `batch` rows of `width`; inverse divides by width.
void reference_fft1(Complex* data, std::int64_t width, std::int64_t batch, bool inverse, int threads = 1);

/// What these take beside the data: each thread its lines. `rows` of `width`, and columns of `height` (1: none).
std::int64_t reference_line_bytes(std::int64_t width, std::int64_t height, std::int64_t rows, int threads);

/// Cosine transform in place, `batch` rows of `width`, by the Fourier transform of each row and its mirror image: C[k] = 2 sum
/// x[n] cos(pi k (2n + 1) / 2 width); inverse: x again.
void reference_dct1(double* data, std::int64_t width, std::int64_t batch, bool inverse, int threads = 1);
void reference_dct2(double* data, std::int64_t width, std::int64_t height, bool inverse, int threads = 1);

}  // namespace parallax::engine::fft
