// "fit": "auto". R alone is best where every box is full, so boxes that are full or few do not take part, and the range is the
// longest over which the slope hardly changes. Mathematics: docs/theory/box_counting.md#the-dimension
#include "algorithms/box_count/box_count.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace parallax::engine::box_count {
namespace {

constexpr int fewest_levels = 4;
constexpr double fullest = .9, most_change = .2;

/// Of the boxes of 2^m that cover the box around the set, the share that is counted.
double cover_of(std::uint64_t number, int dimensions, const Extent& extent, int m) {
    double boxes = 1;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
        boxes *= static_cast<double>((extent[axis] + (std::int64_t{1} << m) - 1) >> m);
    return boxes > 0 ? static_cast<double>(number) / boxes : 0;
}

/// |2 c ln(r_to / r_from)|, c the coefficient of the square in the parabola through ln N over ln r: by how much the slope differs
/// from end to end. Levels lie evenly about their middle, so that only even powers are left.
double change_of(const std::vector<std::uint64_t>& numbers, int from, int to) {
    const double n = to - from + 1, middle = (from + to) / 2.0;
    double xx = 0, xxxx = 0, y = 0, xxy = 0;
    for (int m = from; m <= to; ++m) {
        const double x = (m - middle) * std::numbers::ln2,
                     log_number = std::log(static_cast<double>(numbers[static_cast<std::size_t>(m)]));
        xx += x * x;
        xxxx += x * x * x * x;
        y += log_number;
        xxy += x * x * log_number;
    }
    const double c = (xxy - xx * y / n) / (xxxx - xx * xx / n);
    return std::abs(2 * c * (to - from) * std::numbers::ln2);
}

}  // namespace

AutoFit auto_fit(const std::vector<std::uint64_t>& numbers, int dimensions, const Extent& extent) {
    const int top = static_cast<int>(numbers.size()) - 1;
    std::vector<double> covers;
    for (int m = 0; m <= top; ++m) covers.push_back(cover_of(numbers[static_cast<std::size_t>(m)], dimensions, extent, m));
    const auto eligible = [&](int m) {
        const auto at = static_cast<std::size_t>(m);
        return m >= 1 && numbers[at] >= std::uint64_t{2} << dimensions && covers[at] <= fullest;
    };
    AutoFit best;
    for (int from = 1; from <= top; ++from)
        for (int to = from; to <= top && eligible(to); ++to) {
            if (to - from + 1 < fewest_levels) continue;   // and so their edges differ by 8 times at least
            const double change = change_of(numbers, from, to);
            const bool stable = change <= most_change;
            const int longer = (to - from) - (best.to - best.from);
            const bool better = best.to < 0 || (stable != best.stable   ? stable
                                                : stable && longer != 0 ? longer > 0
                                                                        : change < best.change);
            if (better) best = {from, to, change, 0, stable, false};
        }
    for (int m = best.from; m >= 0 && m <= best.to; ++m) best.cover = std::max(best.cover, covers[static_cast<std::size_t>(m)]);
    if (best.to >= 0) return best;
    // A set that is thinner than the smallest range is long says nothing of its dimension by filling the box around it.
    const bool thick = *std::min_element(extent.begin(), extent.begin() + dimensions) >= std::int64_t{1} << fewest_levels;
    best.fills = thick && std::all_of(covers.begin() + 1, covers.end(), [](double cover) { return cover > fullest; });
    return best;
}

}  // namespace parallax::engine::box_count
