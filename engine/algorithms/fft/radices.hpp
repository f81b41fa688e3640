// Lengths as products of small radices: which, in which order, and the twiddle factors between them.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

namespace parallax::engine::fft {

constexpr int largest_radix = 31;
/// Stages of a line at most.
constexpr int most_stages = 6;

/// True if every prime factor of n is at most 31.
bool is_smooth(std::int64_t n) noexcept;

/// Arithmetic instructions a point of a stage of this radix, with what a stage costs besides: local memory both ways, addresses,
/// barriers. 0: there is no such radix.
double stage_cost(int radix) noexcept;
/// Each product of at most six radices that gives n, falling, as long as it costs less than `cost` a point, which the visit may
/// lower.
void each_product(int n, const double& cost, const std::function<void(const std::vector<int>& radices, double cost)>& visit);
/// The cheapest product that is accepted, odd radices first: the first stage has no twiddles, and gets the largest prime, whose
/// butterfly needs most registers. Empty if there is none.
std::vector<int> cheapest_radices(int n, const std::function<bool(const std::vector<int>&)>& accept);

/// Twiddle factors of all stages, computed in double: for stage s > 0 with span S (product of the radices before) and
/// radix R: exp(-2 pi i 2^p k / (S R)) for p = 0, 1, ... while 2^p < R (outer) and k < S (inner). Never empty.
std::vector<std::complex<float>> stage_table(const std::vector<int>& radices);
std::vector<int> reversed(std::vector<int> radices);

/// exp(-2 pi i turn / whole), exact to double: the argument is reduced as an integer.
std::complex<double> unit_root(std::uint64_t turn, std::uint64_t whole) noexcept;

}   // namespace parallax::engine::fft
