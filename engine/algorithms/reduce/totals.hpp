// Sum, minimum, maximum and sum of squares of some elements: exact for integers, compensated for real numbers.
// The kernels' accumulators are read into it, and it is all that the native variants need.
#pragma once

#include "parallax/array.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace parallax::engine::reduce {

enum class Kind { sum, min, max, all };   ///< as KIND in kernels_cl/reduce/accumulator.clh

/// A sum with what its additions rounded off (Neumaier 1974).
struct CompensatedSum {
    double sum = 0, rest = 0;
    void add(double x) noexcept;
    /// Infinite or NaN where the plain sum is.
    double value() const noexcept;
};

struct Totals {
    ElementType type = ElementType::f32;
    std::uint64_t count = 0;
    /// Integers: two's complement where the type is signed; 64 bits, modulo 2^64.
    std::uint64_t sum = 0, low = 0, high = 0;
    std::uint64_t squares = 0, squares_carry = 0;     ///< 128 bits
    /// Real numbers.
    CompensatedSum real_sum, real_squares;
    double real_low = std::numeric_limits<double>::infinity(), real_high = -std::numeric_limits<double>::infinity();

    explicit Totals(ElementType type);
    void join(const Totals&) noexcept;
    double mean() const noexcept;
    double variance() const noexcept;    ///< of the population: divided by count
};

bool is_supported(ElementType) noexcept;
bool is_signed(ElementType) noexcept;

/// Everything of `count` elements of `type` in host memory, one after another.
Totals totals_of(ElementType type, const std::byte* elements, std::int64_t count);
/// Joins the kernels' accumulators; count stays 0, for the accumulators do not hold it.
Totals totals_from(ElementType type, Kind kind, std::span<const std::byte> accumulators);
/// Bytes of a kernel's accumulator.
std::size_t accumulator_bytes(ElementType type, Kind kind) noexcept;

}  // namespace parallax::engine::reduce
