#include "algorithms/fft/radices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace parallax::engine::fft {
namespace {

// Arithmetic instructions a point of each small transform (dft_R in butterflies.clh), with its twiddles.
constexpr std::array<double, largest_radix + 1> radix_cost = {0,  0,  10, 13, 12, 15, 14, 18, 15, 17, 17, 21, 17, 23, 20, 20,
                                                              19, 27, 0,  30, 0,  0,  0,  35, 0,  0,  0,  0,  0,  43, 0,  45};
constexpr double cost_besides = 24;

void search(int n, int largest, double so_far, std::vector<int>& radices, const double& cost,
            const std::function<void(const std::vector<int>&, double)>& visit) {
    if (so_far >= cost) return;
    if (n == 1) {
        visit(radices, so_far);
        return;
    }
    if (static_cast<int>(radices.size()) == most_stages) return;
    for (int radix = std::min(n, largest); radix >= 2; --radix) {
        if (n % radix != 0 || stage_cost(radix) == 0) continue;
        radices.push_back(radix);
        search(n / radix, radix, so_far + stage_cost(radix), radices, cost, visit);
        radices.pop_back();
    }
}

}   // namespace

bool is_smooth(std::int64_t n) noexcept {
    for (const int prime : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31})
        while (n > 1 && n % prime == 0) n /= prime;
    return n == 1;
}

double stage_cost(int radix) noexcept {
    const double arithmetic = radix_cost[static_cast<std::size_t>(radix)];
    return arithmetic == 0 ? 0 : arithmetic + cost_besides;
}

void each_product(int n, const double& cost, const std::function<void(const std::vector<int>&, double)>& visit) {
    std::vector<int> radices;
    search(n, largest_radix, 0, radices, cost, visit);
}

std::vector<int> cheapest_radices(int n, const std::function<bool(const std::vector<int>&)>& accept) {
    std::vector<int> best;
    double cost = std::numeric_limits<double>::infinity();
    each_product(n, cost, [&](const std::vector<int>& radices, double whole) {
        if (!accept(radices)) return;
        best = radices;
        cost = whole;
    });
    std::stable_sort(best.begin(), best.end(), [](int a, int b) { return a % 2 > b % 2; });
    return best;
}

std::complex<double> unit_root(std::uint64_t turn, std::uint64_t whole) noexcept {
    // Reduced to an eighth of a turn, where sine and cosine are small arguments and symmetric values come out equal.
    turn %= whole;
    const std::uint64_t octant = 8 * turn / whole;
    const double eighth = 2 * std::numbers::pi / static_cast<double>(whole);
    const auto angle = [&](std::int64_t numerator) { return eighth * static_cast<double>(numerator) / 8; };
    const auto t = static_cast<std::int64_t>(8 * turn), w = static_cast<std::int64_t>(whole);
    double c = 0, s = 0;
    switch (octant) {
        case 0:
            c = std::cos(angle(t)), s = std::sin(angle(t));
            break;
        case 1:
            c = std::sin(angle(2 * w - t)), s = std::cos(angle(2 * w - t));
            break;
        case 2:
            c = -std::sin(angle(t - 2 * w)), s = std::cos(angle(t - 2 * w));
            break;
        case 3:
            c = -std::cos(angle(4 * w - t)), s = std::sin(angle(4 * w - t));
            break;
        case 4:
            c = -std::cos(angle(t - 4 * w)), s = -std::sin(angle(t - 4 * w));
            break;
        case 5:
            c = -std::sin(angle(6 * w - t)), s = -std::cos(angle(6 * w - t));
            break;
        case 6:
            c = std::sin(angle(t - 6 * w)), s = -std::cos(angle(t - 6 * w));
            break;
        default:
            c = std::cos(angle(8 * w - t)), s = -std::sin(angle(8 * w - t));
            break;
    }
    return {c, -s};
}

std::vector<std::complex<float>> stage_table(const std::vector<int>& radices) {
    std::vector<std::complex<float>> table;
    std::uint64_t span = 1;
    for (const int radix : radices) {
        const std::uint64_t whole = span * static_cast<std::uint64_t>(radix);
        for (int power = 1; span > 1 && power < radix; power *= 2)
            for (std::uint64_t k = 0; k < span; ++k)
                table.emplace_back(std::complex<float>(unit_root(static_cast<std::uint64_t>(power) * k, whole)));
        span = whole;
    }
    if (table.empty()) table.emplace_back(1.0f, 0.0f);
    return table;
}

std::vector<int> reversed(std::vector<int> radices) {
    std::reverse(radices.begin(), radices.end());
    return radices;
}

}   // namespace parallax::engine::fft
