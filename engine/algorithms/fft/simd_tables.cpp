#include "algorithms/fft/simd.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

namespace parallax::engine::fft::simd {
namespace {

constexpr std::size_t pass_limit = 6;

/// Time of a pass for each element, in cycles of 16 lanes: measured on an AVX-512 CPU, lines in the L1 cache.
struct Cost { int radix; double cycles; };
constexpr std::array<Cost, 14> costs{{{2, 11},
                                      {3, 15.5},
                                      {4, 14.5},
                                      {5, 20},
                                      {6, 17},
                                      {7, 26},
                                      {8, 18},
                                      {9, 22},
                                      {10, 24},
                                      {11, 40},
                                      {12, 24},
                                      {13, 48},
                                      {16, 29},
                                      {17, 66}}};

struct Search {
    std::vector<int> best, path;
    double best_cost = std::numeric_limits<double>::infinity();

    // Radices in falling order, so that each set is seen once.
    void visit(std::int64_t n, std::size_t largest, double cost) {
        if (cost >= best_cost) return;
        if (n == 1) {
            best = path;
            best_cost = cost;
            return;
        }
        if (path.size() == pass_limit) return;
        for (std::size_t i = largest + 1; i-- > 0;) {
            if (n % costs[i].radix != 0) continue;
            path.push_back(costs[i].radix);
            visit(n / costs[i].radix, i, cost + costs[i].cycles);
            path.pop_back();
        }
    }
};

}  // namespace

std::vector<int> radices(std::int64_t n) {
    if (n == 1) return {1};
    Search search;
    search.visit(n, costs.size() - 1, 0);
    return search.best;
}

std::int64_t convolution_length(std::int64_t n) {
    for (std::int64_t length = (n + 15) / 16 * 16;; length += 16) {
        std::int64_t rest = length;
        for (const int p : {2, 3, 5}) while (rest % p == 0) rest /= p;
        if (rest == 1 && !radices(length).empty()) return length;
    }
}

std::vector<std::complex<float>> twiddles(const std::vector<int>& radices) {
    std::vector<std::complex<float>> table;
    std::int64_t length = 1;
    for (const int r : radices) length *= r;
    for (const int r : std::span(radices).first(radices.size() - 1)) {
        for (std::int64_t j = 0; j < length / r; ++j)
            for (std::int64_t q = 1; q < r; ++q) {
                const double angle = -2 * std::numbers::pi * static_cast<double>(j * q % length) / static_cast<double>(length);
                table.emplace_back(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
            }
        length /= r;
    }
    if (table.empty()) table.emplace_back(1.0f, 0.0f);   // one pass turns nothing; buffers cannot be empty
    return table;
}

std::vector<std::int32_t> order(const std::vector<int>& radices) {
    std::vector<std::int32_t> table{0};
    std::int32_t step = 1;
    for (const int r : std::span(radices).first(radices.size() - 1)) {
        // The digit of this pass is the next in significance of the place, and of the result the next less significant.
        std::vector<std::int32_t> longer;
        longer.reserve(table.size() * static_cast<std::size_t>(r));
        for (const std::int32_t k : table)
            for (int q = 0; q < r; ++q) longer.push_back(k + q * step);
        table = std::move(longer);
        step *= r;
    }
    return table;
}

std::vector<std::int32_t> places(const std::vector<int>& radices) {
    const std::vector<std::int32_t> first = order(radices);
    const auto last = static_cast<std::size_t>(radices.back());
    std::vector<std::int32_t> table(first.size() * last);
    for (std::size_t s = 0; s < first.size(); ++s)
        for (std::size_t q = 0; q < last; ++q)
            table[static_cast<std::size_t>(first[s]) + q * first.size()] = static_cast<std::int32_t>(s * last + q);
    return table;
}

void define_length(host::Defines& defines, const std::vector<int>& radices) {
    std::int64_t length = 1;
    for (const int r : radices) length *= r;
    defines.add("SIMD_LENGTH", length).add("SIMD_PASSES", static_cast<std::int64_t>(radices.size()));
    for (std::size_t i = 0; i < pass_limit; ++i)
        defines.add(fmt::format("SIMD_R{}", i), i < radices.size() ? std::int64_t{radices[i]} : std::int64_t{1});
}

std::string describe(const std::vector<int>& radices) { return fmt::format("{}", fmt::join(radices, " ")); }

std::int64_t panel_floats(std::int64_t width, std::int64_t height, std::int64_t planes) {
    return (width + 15) / 16 * (height | 1) * 32 * planes;
}

std::size_t group_count(const host::DeviceInfo& device, std::int64_t blocks) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(blocks, 1, std::int64_t{4} * device.compute_units));
}

}  // namespace parallax::engine::fft::simd
