// Random numbers that are the same on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace parallax::tests::sizes {

/// SplitMix64.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    /// Of draw `index` of a seed.
    Random(std::uint64_t seed, std::uint64_t index) : state_(seed * 0x632BE59BD9B4E019u ^ (index + 1) * 0xD1342543DE82EF95u) {
        next();
    }

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    /// 0 to n - 1.
    std::int64_t below(std::int64_t n) { return n <= 1 ? 0 : static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n)); }
    std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
    /// Small ones as often as large ones.
    std::int64_t log_between(std::int64_t low, std::int64_t high) {
        const double span = std::log1p(static_cast<double>(high - low));
        const auto step = static_cast<std::int64_t>(std::expm1(real(0, span)) + 0.5);
        return low + (step < high - low ? step : high - low);
    }
    double real(double low, double high) { return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53); }
    bool chance(double p) { return real(0, 1) < p; }
    template <class Items>
    const auto& one_of(const Items& items) {
        return items[static_cast<std::size_t>(below(static_cast<std::int64_t>(items.size())))];
    }

private:
    std::uint64_t state_;
};

}  // namespace parallax::tests::sizes
