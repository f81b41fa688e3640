#include "algorithms/fft/rader.hpp"

#include "algorithms/fft/radices.hpp"
#include "algorithms/fft/reference.hpp"

#include <cstdint>
#include <limits>

namespace parallax::engine::fft {
namespace {

using Powers = std::vector<int>;   // g^s modulo p for s < p - 1

Powers powers_of(int g, int p) {
    Powers powers{1};
    for (std::int64_t power = g; power != 1; power = power * g % p) powers.push_back(static_cast<int>(power));
    return powers;
}

/// Of the smallest number whose powers are all from 1 to p - 1.
Powers generator_powers(int p) {
    for (int g = 2;; ++g)
        if (Powers powers = powers_of(g, p); static_cast<int>(powers.size()) == p - 1) return powers;
}

std::vector<int> two_or_three(int n) {
    return cheapest_radices(n, [](const std::vector<int>& radices) { return radices.size() == 2 || radices.size() == 3; });
}

double cost_of(const std::vector<int>& radices) {
    double cost = 0;
    for (const int radix : radices) cost += stage_cost(radix);
    return cost;
}

}   // namespace

std::optional<Rader> rader_of(int n) {
    Rader rader;
    rader.prime = n;
    for (int radix = 2; radix <= largest_radix; ++radix)
        while (rader.prime % radix == 0 && rader.prime > radix) rader.prime /= radix;
    rader.unit = n / rader.prime;
    for (int divisor = 2; divisor * divisor <= rader.prime; ++divisor)
        if (rader.prime % divisor == 0) return std::nullopt;
    if (rader.prime <= largest_radix) return std::nullopt;
    const int elements = rader.prime - 1;
    rader.length = elements;
    rader.radices = two_or_three(elements);
    if (!rader.radices.empty()) return rader;
    // Longer by up to an eighth where its factors are so much better.
    double best = std::numeric_limits<double>::infinity();
    const int least = 2 * elements - 1;
    for (int length = least; length <= least + least / 8; ++length) {
        const std::vector<int> radices = two_or_three(length);
        if (radices.empty() || cost_of(radices) * length >= best) continue;
        best = cost_of(radices) * length;
        rader.length = length;
        rader.radices = radices;
    }
    return rader.radices.empty() ? std::nullopt : std::optional(rader);
}

std::vector<std::complex<float>> rader_table(const Rader& rader) {
    const Powers powers = generator_powers(rader.prime);
    const std::size_t elements = powers.size();
    const auto length = static_cast<std::size_t>(rader.length);
    std::vector<std::complex<float>> table;
    for (std::size_t s = 0; s < elements; ++s)
        table.emplace_back(static_cast<float>(powers[(elements - s) % elements]), static_cast<float>(powers[s]));
    // Wrapped around: element t of the result takes those from t - (p - 2) to t.
    std::vector<Complex> filter(length);
    for (std::size_t s = 0; s < elements; ++s) {
        const Complex root = unit_root(static_cast<std::uint64_t>(powers[s]), static_cast<std::uint64_t>(rader.prime)) /
                             static_cast<double>(rader.length);
        filter[s] = root;
        if (s > 0) filter[length - (elements - s)] = root;
    }
    reference_fft1(filter.data(), rader.length, 1, false);
    table.insert(table.end(), filter.begin(), filter.end());
    for (const auto& twiddles : {stage_table(rader.radices), stage_table(reversed(rader.radices))})
        table.insert(table.end(), twiddles.begin(), twiddles.end());
    return table;
}

std::vector<std::complex<float>> rader_twiddles(const Rader& rader) {
    const Powers powers = generator_powers(rader.prime);
    const auto whole = static_cast<std::uint64_t>(rader.prime) * static_cast<std::uint64_t>(rader.unit);
    std::vector<std::complex<float>> twiddles;
    for (std::size_t s = 0; s < powers.size(); ++s)
        for (int j = 0; j < rader.unit; ++j)
            twiddles.emplace_back(std::complex<float>(unit_root(
                static_cast<std::uint64_t>(powers[(powers.size() - s) % powers.size()]) * static_cast<std::uint64_t>(j), whole)));
    return twiddles;
}

}   // namespace parallax::engine::fft
