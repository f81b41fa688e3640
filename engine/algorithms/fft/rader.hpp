// A prime above 31 as the first radix of a line (kernels_cl/fft/stockham_rader.clh): its small transforms are convolutions of
// one point less, by transforms of their own.
#pragma once

#include <complex>
#include <optional>
#include <vector>

namespace parallax::engine::fft {

struct Rader {
    int prime = 0;              ///< 0: none
    int length = 1;             ///< points of the convolution: prime - 1, or at least 2 prime - 3 where that has no small factors
    std::vector<int> radices;   ///< of these, 2 or 3
    int unit = 1;               ///< how many there are in a line

    int space() const noexcept { return unit * length; }
    bool padded() const noexcept { return length >= prime; }
};

/// For n = prime * unit, unit without prime factors above 31; empty for other n.
std::optional<Rader> rader_of(int n);

/// What the kernel reads before the twiddles of its stages: for each element s the powers g^-s and g^s of a generator modulo the
/// prime; the spectrum of exp(-2 pi i g^s / prime), divided by `length`; the twiddles of the radices, and of these backwards.
std::vector<std::complex<float>> rader_table(const Rader&);

/// The element s of each transform is point g^-s: what stands before it in a stage that is not the first, exp(-2 pi i g^-s j /
/// (prime unit)) for s (outer) and j < unit (inner).
std::vector<std::complex<float>> rader_twiddles(const Rader&);

}   // namespace parallax::engine::fft
