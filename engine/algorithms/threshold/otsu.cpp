#include "algorithms/threshold/threshold.hpp"

#include <algorithm>

namespace parallax::engine::threshold {
namespace {

/// A number without bounds, in 32-bit limbs, lowest first.
using Large = std::vector<std::uint32_t>;

Large large(std::uint64_t v) { return {static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(v >> 32)}; }

Large product(const Large& a, const Large& b) {
    Large out(a.size() + b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::uint64_t carry = 0;
        for (std::size_t k = 0; k < b.size(); ++k) {
            carry += std::uint64_t{a[i]} * b[k] + out[i + k];
            out[i + k] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        out[i + b.size()] = static_cast<std::uint32_t>(carry);
    }
    return out;
}

/// a < b for numbers of as many limbs.
bool less(const Large& a, const Large& b) { return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend()); }

Large difference(Large a, Large b) {
    if (less(a, b)) std::swap(a, b);
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        borrow += std::int64_t{a[i]} - b[i];
        a[i] = static_cast<std::uint32_t>(borrow);
        borrow >>= 32;
    }
    return a;
}

/// The variance between the classes: (s N - S w)^2 over w (N - w).
struct Variance {
    Large numerator, denominator;
};

}  // namespace

std::int64_t otsu_level(std::span<const std::uint32_t> counts) {
    std::uint64_t n = 0, sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        n += counts[i];
        sum += std::uint64_t{counts[i]} * i;
    }
    std::uint64_t w = 0, s = 0;
    std::int64_t level = 0;
    Variance best;
    bool found = false;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        w += counts[i];
        s += std::uint64_t{counts[i]} * i;
        if (w == n) return found ? level : static_cast<std::int64_t>(i);
        const Large d = difference(product(large(s), large(n)), product(large(sum), large(w)));
        const Variance v{product(d, d), large(w * (n - w))};
        if (!found || less(product(best.numerator, v.denominator), product(v.numerator, best.denominator))) {
            best = v;
            level = static_cast<std::int64_t>(i);
            found = true;
        }
    }
    return level;
}

std::vector<float> range_edges(float low, float high) {
    constexpr int bins = 256;
    std::vector<float> edges(bins + 1);
    const float step = (high - low) / bins;
    for (int i = 0; i < bins; ++i) edges[static_cast<std::size_t>(i)] = static_cast<float>(i) * step + low;
    edges.back() = high;
    return edges;
}

}  // namespace parallax::engine::threshold
