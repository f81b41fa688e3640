#include "timing/pair_ratios.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace parallax::engine::compare {

/// How many are at most that. What a value is divided by rises with it, so that one walk along both lists does.
std::size_t PairRatios::not_above(double most) const noexcept {
    std::size_t count = 0, first = 0;
    for (const double of : of_) {
        while (first < to_.size() && !(of / to_[first] <= most)) ++first;
        count += to_.size() - first;
    }
    return count;
}

/// Doubles that are not below 0 lie in the order of their bits: the least of which there are enough is found by halving those.
double PairRatios::at(std::size_t k) const noexcept {
    std::uint64_t low = 0, high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (not_above(std::bit_cast<double>(middle)) > k) high = middle;
        else low = middle + 1;
    }
    return std::bit_cast<double>(low);
}

double PairRatios::median() const noexcept {
    const double upper = at(size() / 2);
    return size() % 2 == 1 ? upper : (at(size() / 2 - 1) + upper) / 2;
}

}   // namespace parallax::engine::compare
