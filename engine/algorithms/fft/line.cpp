#include "algorithms/fft/line.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

namespace parallax::engine::fft {
namespace {

constexpr int most_stages = 6;
constexpr std::size_t most_local_bytes = 49152;
constexpr int most_group = 1024;

// Arithmetic instructions a point of each small transform (dft_R in butterflies.clh), with its twiddles.
// 0: there is none of that length.
constexpr std::array<double, largest_radix + 1> radix_cost = {0,  0,  10, 13, 12, 15, 14, 18, 15, 17, 17, 21, 17, 23, 20, 20,
                                                              19, 27, 0,  30, 0,  0,  0,  35, 0,  0,  0,  0,  0,  43, 0,  45};
// What a stage costs besides: local memory both ways, addresses, barriers.
constexpr double stage_cost = 24;

int ceil_div(int a, int b) { return (a + b - 1) / b; }

// All products of radices that give n, radices falling, the cheapest that is accepted kept.
template <class Accept>
void search(int n, int largest, double cost, std::vector<int>& radices, double& best_cost, std::vector<int>& best,
            const Accept& accept) {
    if (cost >= best_cost) return;
    if (n == 1) {
        if (!accept(radices)) return;
        best_cost = cost;
        best = radices;
        return;
    }
    if (static_cast<int>(radices.size()) == most_stages) return;
    for (int radix = std::min(n, largest); radix >= 2; --radix) {
        if (n % radix != 0 || radix_cost[static_cast<std::size_t>(radix)] == 0) continue;
        radices.push_back(radix);
        search(n / radix, radix, cost + radix_cost[static_cast<std::size_t>(radix)] + stage_cost, radices, best_cost, best,
               accept);
        radices.pop_back();
    }
}

int registers_for(int n, const std::vector<int>& radices, int items) {
    int registers = 1;
    for (const int radix : radices) registers = std::max(registers, radix * ceil_div(n / radix, items));
    return registers;
}

// Butterflies of opposite points in pairs, of a stage of this many (FFT_PAIR_COUNT in stockham.clh).
int pairs_of(int butterflies) { return (butterflies + 1) / 2; }

// The fewest registers that `most_items` work-items allow, and for these the fewest work-items.
struct Share { int items, registers; };
Share share(int n, const std::vector<int>& radices, int most_items) {
    Share best{1, std::numeric_limits<int>::max()};
    const auto consider = [&](int items) {
        if (items < 1 || items > most_items) return;
        const int registers = registers_for(n, radices, items);
        if (registers < best.registers || (registers == best.registers && items < best.items)) best = {items, registers};
    };
    for (const int radix : radices)
        for (int rounds = 1; rounds <= std::max(1, n / radix); rounds = rounds < 8 ? rounds + 1 : rounds * 2)
            consider(ceil_div(n / radix, rounds));
    consider(most_items);
    consider(1);
    return best;
}

std::size_t local_bytes(int n, int lines, bool split, bool padding) {
    const std::size_t padded = static_cast<std::size_t>(n + (padding ? (n - 1) / 16 : 0));
    return padded * static_cast<std::size_t>(lines) * (split ? 1 : 2) * sizeof(float);
}

// A line with this many lines a group, if it fits.
std::optional<Line> shaped(int n, const std::vector<int>& radices, int lines, Share found, const LineLimits& limits) {
    Line line;
    line.n = n;
    line.radices = radices;
    line.lines = lines;
    line.items = found.items;
    line.registers = found.registers;
    line.padding = local_bytes(n, lines, true, true) <= limits.local_bytes;
    // Both parts at once saves two barriers a stage, but memory beyond 32 KiB would cost resident work-groups.
    line.split = local_bytes(n, lines, false, line.padding) > std::min<std::size_t>(limits.local_bytes, 32768);
    if (radices.size() > 1 && line.local_bytes() > limits.local_bytes) return std::nullopt;
    return line;
}

std::optional<Line> shaped(int n, const std::vector<int>& radices, int lines, const LineLimits& limits) {
    if (lines > limits.group) return std::nullopt;
    return shaped(n, radices, lines, share(n, radices, limits.group / lines), limits);
}

}  // namespace

LineLimits line_limits(const host::DeviceInfo& device) {
    LineLimits limits;
    limits.group = static_cast<int>(std::min<std::uint32_t>(std::max<std::uint32_t>(device.max_work_group, 1), most_group));
    limits.local_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(device.local_memory, most_local_bytes));
    return limits;
}

std::size_t Line::local_bytes() const noexcept { return fft::local_bytes(n, lines, split, padding); }

std::string Line::describe() const {
    std::string text;
    for (const int radix : radices) text += (text.empty() ? "" : " ") + std::to_string(radix);
    return text;
}

bool is_smooth(std::int64_t n) noexcept {
    for (const int prime : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31})
        while (n > 1 && n % prime == 0) n /= prime;
    return n == 1;
}

namespace {

template <class Accept>
std::vector<int> cheapest_radices(int n, const Accept& accept) {
    std::vector<int> radices, best;
    double cost = std::numeric_limits<double>::infinity();
    search(n, largest_radix, 0, radices, cost, best, accept);
    // The first stage has no twiddles: give it the largest prime, whose butterfly needs most registers.
    std::stable_sort(best.begin(), best.end(), [](int a, int b) { return a % 2 > b % 2; });
    return best;
}

// Two sets of points in registers: a group of 768 work-items still has 80 registers for each, and 20 points in each set
// are about what fits. Measured on an H200: 2448 as 17 9 16 takes 98 us, as 17 12 12 with 816 work-items 127 us.
std::optional<Line> plan_filter(int n, const LineLimits& limits, int wanted) {
    constexpr int most_points = 20, most_items = 768;
    LineLimits narrow = limits;
    narrow.group = std::min(limits.group, most_items);
    for (const int lines : {4, 2, 1}) {
        if (lines > 1 && lines / 2 >= wanted) continue;
        const std::vector<int> radices = cheapest_radices(
            n, [&](const std::vector<int>& r) { return share(n, r, narrow.group / lines).registers <= most_points; });
        if (radices.empty()) continue;
        if (auto line = shaped(n, radices, lines, narrow)) return line;
    }
    return std::nullopt;
}

// Radices and work-items for pairs. The stages at both ends go by pairs of butterflies, so that the shares seldom come out even:
// what counts is the time of all stages, work-items without a butterfly included.
struct PairedShare {
    std::vector<int> radices;
    Share share{1, std::numeric_limits<int>::max()};
    Pairs pairs = Pairs::opposites;
    double cost = std::numeric_limits<double>::infinity();
};

// What it costs more a point where neighbours are read and written one by one: half of each sector of memory at a time.
constexpr double apart_cost = 20;

void consider_pairs(PairedShare& best, int n, const std::vector<int>& radices, int items, Pairs wanted, int most_points) {
    const bool neighbours = wanted == Pairs::both && radices.size() > 1 && n / radices.front() % 2 == 0;
    double cost = wanted == Pairs::both && !neighbours ? apart_cost : 0;
    int registers = 1;
    for (std::size_t s = 0; s < radices.size(); ++s) {
        const int radix = radices[s], butterflies = n / radix;
        const bool by_pairs = s + 1 == radices.size() || (s == 0 && neighbours);
        const int rounds = by_pairs ? 2 * ceil_div(pairs_of(butterflies), items) : ceil_div(butterflies, items);
        registers = std::max(registers, radix * rounds);
        cost += (radix_cost[static_cast<std::size_t>(radix)] + stage_cost) * rounds * items * radix / n;
    }
    if (registers > most_points || cost > best.cost) return;
    if (cost == best.cost && registers >= best.share.registers) return;
    best = {radices, {items, registers}, neighbours ? Pairs::both : Pairs::opposites, cost};
}

PairedShare share_pairs(int n, Pairs wanted, int most_items, int most_points) {
    PairedShare best;
    if (n == 1) return {{1}, {1, 2}, Pairs::opposites, 0};
    std::vector<int> radices, unused;
    search(n, largest_radix, 0, radices, best.cost, unused, [&](std::vector<int> order) {
        std::sort(order.begin(), order.end());
        do {
            for (const int radix : order)
                for (int rounds = 1; rounds <= most_points / radix; ++rounds)
                    for (const int butterflies : {n / radix, pairs_of(n / order.front()), pairs_of(n / order.back())})
                        if (const int items = ceil_div(butterflies, rounds); items <= most_items)
                            consider_pairs(best, n, order, items, wanted, most_points);
        } while (std::next_permutation(order.begin(), order.end()));
        return false;   // what is best is kept in `best`, whose cost bounds the search
    });
    return best;
}

// Rows: as many lines as fill a work-group of 128; few points of a work-item let more of them wait for memory at once (an H200,
// rows of 3072 in 8 6 8 8: 18 points take 45 us where 36 take 65). Filters: 4 lines, where fewer would write parts of memory's sectors; half of
// another line rests in registers beside theirs.
std::optional<Line> plan_pairs(int n, LineLayout layout, const LineLimits& limits, Pairs pairs, int wanted) {
    struct Shape { int lines, most_group, most_points; };
    static constexpr std::array<Shape, 6> filters = {
        {{4, 768, 20}, {4, 768, 24}, {2, 768, 24}, {2, 512, 32}, {1, 512, 32}, {1, most_group, 64}}};
    static constexpr std::array<Shape, 3> rows = {{{1, 512, 20}, {1, 512, 36}, {1, most_group, 64}}};
    const bool filter = layout == LineLayout::filter;
    for (const Shape& shape : std::span(filter ? filters.data() : rows.data(), filter ? filters.size() : rows.size())) {
        if (shape.lines > 1 && shape.lines / 2 >= wanted) continue;
        const int group = std::min(shape.most_group, limits.group);
        if (shape.lines > group) continue;
        const PairedShare found = share_pairs(n, pairs, group / shape.lines, shape.most_points);
        if (found.radices.empty()) continue;
        int lines = shape.lines;
        if (!filter) lines = std::min(std::max(1, std::min(128, limits.group) / found.share.items), wanted);
        for (; lines >= 1; lines = filter ? 0 : lines / 2) {
            if (auto line = shaped(n, found.radices, lines, found.share, limits)) {
                line->pairs = found.pairs;
                return line;
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<int> line_radices(int n) {
    if (n < 1 || !is_smooth(n)) return {};
    if (n == 1) return {1};
    return cheapest_radices(n, [](const std::vector<int>&) { return true; });
}

std::optional<Line> plan_line(int n, LineLayout layout, const LineLimits& limits, std::int64_t lines_wanted,
                              Pairs pairs) {
    if (n > longest_line) return std::nullopt;
    const std::vector<int> radices = line_radices(n);
    if (radices.empty()) return std::nullopt;
    const int items = share(n, radices, limits.group).items;
    const int wanted = static_cast<int>(std::clamp<std::int64_t>(lines_wanted, 1, 1024));
    if (pairs != Pairs::none) return plan_pairs(n, layout, limits, pairs, wanted);
    // Enough work-items to fill a work-group of 128.
    const int filling = std::min(std::max(1, 128 / items), wanted);
    if (layout == LineLayout::rows) {
        for (int lines = filling; lines >= 1; lines /= 2)
            if (const auto line = shaped(n, radices, lines, limits)) return line;
        return std::nullopt;
    }
    if (layout == LineLayout::filter) {
        if (auto line = plan_filter(n, limits, wanted)) return line;
    }
    // Columns: 8 lines are 64 contiguous bytes, 4 are 32, the least that memory moves. More only to fill a group.
    const auto aligned = static_cast<int>(std::bit_floor(static_cast<unsigned>(filling)));
    for (const int lines : {std::max(aligned, 8), 8, 4, 2, 1}) {
        if (layout == LineLayout::filter && lines > 4) continue;
        if (lines > 1 && lines / 2 >= wanted) continue;
        const auto line = shaped(n, radices, lines, limits);
        if (!line) continue;
        if (lines == 1) return line;
        const bool sluggish = lines == 8 && line->group() > 512;   // few large groups hide less of the memory's latency
        if (!sluggish && line->registers <= limits.registers) return line;
    }
    return std::nullopt;
}

void add_line_defines(host::Defines& defines, const Line& line) {
    defines.add("FFT_N", line.n).add("FFT_STAGES", static_cast<std::int64_t>(line.radices.size()));
    for (std::size_t s = 0; s < most_stages; ++s)
        defines.add("FFT_R" + std::to_string(s), s < line.radices.size() ? line.radices[s] : 1);
    defines.add("FFT_ITEMS", line.items).add("FFT_REGISTERS", line.registers).add("FFT_LINES", line.lines);
    defines.add("FFT_PAIRS", line.pairs != Pairs::none ? 1 : 0).add("FFT_NEIGHBOURS", line.pairs == Pairs::both ? 1 : 0);
    defines.add("FFT_SPLIT", line.split ? 1 : 0).add("FFT_PADDING", line.padding ? 1 : 0);
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
    case 0: c = std::cos(angle(t)), s = std::sin(angle(t)); break;
    case 1: c = std::sin(angle(2 * w - t)), s = std::cos(angle(2 * w - t)); break;
    case 2: c = -std::sin(angle(t - 2 * w)), s = std::cos(angle(t - 2 * w)); break;
    case 3: c = -std::cos(angle(4 * w - t)), s = std::sin(angle(4 * w - t)); break;
    case 4: c = -std::cos(angle(t - 4 * w)), s = -std::sin(angle(t - 4 * w)); break;
    case 5: c = -std::sin(angle(6 * w - t)), s = -std::cos(angle(6 * w - t)); break;
    case 6: c = std::sin(angle(t - 6 * w)), s = -std::cos(angle(t - 6 * w)); break;
    default: c = std::cos(angle(8 * w - t)), s = -std::sin(angle(8 * w - t)); break;
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

}  // namespace parallax::engine::fft
