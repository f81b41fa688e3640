#include "algorithms/fft/line.hpp"

#include "algorithms/fft/gaps.hpp"
#include "algorithms/fft/quarters.hpp"
#include "algorithms/fft/radices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <span>

namespace parallax::engine::fft {
namespace {

constexpr std::size_t most_local_bytes = 49152;
constexpr int most_group = 1024;

int ceil_div(int a, int b) { return (a + b - 1) / b; }

// A line without its radices.
struct Whole {
    int n = 1;
    std::optional<Rader> rader;

    int smooth() const { return rader ? rader->unit : n; }                  // what the other radices give
    int space() const { return rader ? std::max(n, rader->space()) : n; }   // points in local memory
    int fewest_items() const { return rader ? rader->unit : 1; }
};

Whole whole(int n) { return {n, is_smooth(n) ? std::nullopt : rader_of(n)}; }

// Each kind of stage: its radix, and how many butterflies there are.
template <class Visit>
void each_stage(const Whole& line, const std::vector<int>& radices, const Visit& visit) {
    if (line.rader)
        for (const int radix : line.rader->radices) visit(radix, line.rader->space() / radix);
    for (const int radix : radices) visit(radix, line.n / radix);
}

int registers_for(const Whole& line, const std::vector<int>& radices, int items) {
    int registers = 1;
    each_stage(line, radices,
               [&](int radix, int butterflies) { registers = std::max(registers, radix * ceil_div(butterflies, items)); });
    return registers;
}

// Butterflies of opposite points in pairs, of a stage of this many (FFT_PAIR_COUNT in stockham.clh).
int pairs_of(int butterflies) { return (butterflies + 1) / 2; }

// The fewest registers that `most_items` work-items allow, and for these the fewest work-items.
struct Share {
    static constexpr int none = std::numeric_limits<int>::max();
    int items = 1, registers = none;
};
Share share(const Whole& line, const std::vector<int>& radices, int most_items) {
    Share best;
    const auto consider = [&](int items) {
        if (items < line.fewest_items() || items > most_items) return;
        const int registers = registers_for(line, radices, items);
        if (registers < best.registers || (registers == best.registers && items < best.items)) best = {items, registers};
    };
    each_stage(line, radices, [&](int, int butterflies) {
        for (int rounds = 1; rounds <= std::max(1, butterflies); rounds = rounds < 8 ? rounds + 1 : rounds * 2)
            consider(ceil_div(butterflies, rounds));
    });
    consider(most_items);
    consider(line.fewest_items());
    return best;
}

// Of one place, how many floats gaps may take: as many as there is memory for, and enough for most (gaps.hpp).
constexpr std::array<int, 4> shares_of_gaps = {4, 8, 16, 32};

// Both parts at once save two barriers a stage, but memory beyond 32 KiB would cost resident work-groups, and conflicts cost
// more.
void share_memory(Line& line, int places, const LineLimits& limits) {
    const std::size_t at_ease = std::min<std::size_t>(limits.local_bytes, 32768);
    for (const bool split : {false, true}) {
        if (line.shares > 1 && !split) continue;
        for (const int share : shares_of_gaps) {
            line.split = split;
            line.padded = places + (places - 1) / share;
            if (line.local_bytes() <= (split ? limits.local_bytes : at_ease)) return;
        }
    }
    line.padded = places;
}

// A line with this many lines a group, if it fits.
std::optional<Line> shaped(const Whole& whole, const std::vector<int>& radices, int lines, Share found,
                           const LineLimits& limits, int shares = 1) {
    if (found.registers == Share::none) return std::nullopt;
    Line line;
    line.n = whole.n;
    line.radices = radices;
    if (whole.rader) {
        line.rader = *whole.rader;
        line.radices.insert(line.radices.begin(), whole.rader->prime);
    }
    line.lines = lines;
    line.shares = shares;
    line.items = found.items;
    line.registers = found.registers + (whole.rader ? 1 : 0);
    share_memory(line, whole.space(), limits);
    if ((whole.rader || line.radices.size() > 1) && line.local_bytes() > limits.local_bytes) return std::nullopt;
    return line;
}

std::optional<Line> shaped(const Whole& line, const std::vector<int>& radices, int lines, const LineLimits& limits,
                           int shares = 1) {
    if (lines > limits.group) return std::nullopt;
    return shaped(line, radices, lines, share(line, radices, limits.group / lines), limits, shares);
}

}  // namespace

LineLimits line_limits(const host::DeviceInfo& device) {
    LineLimits limits;
    limits.group = static_cast<int>(std::min<std::uint32_t>(std::max<std::uint32_t>(device.max_work_group, 1), most_group));
    limits.local_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(device.local_memory, most_local_bytes));
    return limits;
}

std::size_t Line::local_bytes() const noexcept {
    return static_cast<std::size_t>(padded) * static_cast<std::size_t>(lines / shares) * (split ? 1 : 2) * sizeof(float);
}

std::string Line::describe() const {
    const auto all = [](const std::vector<int>& factors) {
        std::string text;
        for (const int radix : factors) text += (text.empty() ? "" : " ") + std::to_string(radix);
        return text;
    };
    if (rader.prime == 0) return all(radices);
    std::string text = fmt::format("{} (by {}: {})", rader.prime, rader.length, all(rader.radices));
    if (radices.size() > 1) text += " " + all({radices.begin() + 1, radices.end()});
    return text;
}

namespace {

// Of a filter's exchanges, there and back, how often the busiest goes to local memory, and all of them.
struct Conflicts {
    double busiest = 0, all = 0;
};
Conflicts conflicts_of(const Line& line) {
    Conflicts found;
    for (const Order order : {Order::forward, Order::backward}) {
        const std::vector<Gaps> gaps = exchange_gaps(line, order);
        for (std::size_t s = 0; s < gaps.size(); ++s) {
            const double times = visits(line, order, s, gaps[s]);
            found.busiest = std::max(found.busiest, times);
            found.all += times;
        }
    }
    return found;
}

// Where there is no memory for gaps, radices in one order may meet at a bank five times and in another twice. `fits`: whether an
// order does with the line's registers. Times of this file's choices: docs/results/hologram.md, "Shapes of lines".
constexpr double many_visits = 3.6;

template <class Fits>
void order_for_banks(Line& line, const Fits& fits) {
    if (line.rader.prime != 0 || line.radices.size() < 2) return;
    Conflicts least = conflicts_of(line);
    if (least.busiest < many_visits) return;
    Line other = line;
    std::sort(other.radices.begin(), other.radices.end(), std::greater<>());   // the first of equals has the largest one first
    do {
        if (!fits(other.radices)) continue;
        const Conflicts found = conflicts_of(other);
        if (found.all < least.all - 0.01) least = found, line.radices = other.radices;
    } while (std::prev_permutation(other.radices.begin(), other.radices.end()));
}

void add_new(std::vector<Line>& lines, const std::optional<Line>& line) {
    const auto same = [&](const Line& other) {
        return other.radices == line->radices && other.items == line->items && other.lines == line->lines;
    };
    if (line && std::none_of(lines.begin(), lines.end(), same)) lines.push_back(*line);
}

// Two sets of points in registers: 512 work-items have 128 registers each, in which 16 points of each set are at ease, 768 have
// 80. Where those are too few it is fewer points, or half as many lines, which then read half sectors. Lengths with a prime of
// 23 and more do with none of these, and are as fast as they can by more points.
std::vector<Line> plan_filters(const Whole& line, const LineLimits& limits, int wanted, std::size_t most) {
    struct Shape { int most_points, most_group, least_lines; };
    std::vector<Line> found;
    constexpr Shape for_primes{24, 576, 4};
    for (const Shape shape : {Shape{16, 512, 4}, Shape{20, 768, 1}, Shape{12, most_group, 4}, Shape{16, 512, 1}, for_primes}) {
        if (found.size() >= most || (shape.most_points == for_primes.most_points && !found.empty())) break;
        if (line.rader && shape.most_points != 20) continue;   // its own stage is what takes registers, and time
        LineLimits narrow = limits;
        narrow.group = std::min(limits.group, shape.most_group);
        for (const int lines : {4, 2, 1}) {
            if (lines < shape.least_lines || (lines > 1 && lines / 2 >= wanted)) continue;
            const std::vector<int> radices = cheapest_radices(line.smooth(), [&](const std::vector<int>& r) {
                return share(line, r, narrow.group / lines).registers <= shape.most_points;
            });
            auto it = radices.empty() ? std::nullopt : shaped(line, radices, lines, narrow);
            if (it) order_for_banks(*it, [](const std::vector<int>&) { return true; });
            add_new(found, it);
            if (it) break;
        }
    }
    return found;
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

void consider_pairs(PairedShare& best, const Whole& line, const std::vector<int>& radices, int items, Pairs wanted,
                    int most_points) {
    const int n = line.n;
    const bool neighbours = wanted == Pairs::both && !line.rader && radices.size() > 1 && n / radices.front() % 2 == 0;
    double cost = wanted == Pairs::both && !neighbours ? apart_cost : 0;
    int registers = 1;
    const auto add = [&](int radix, int rounds) {
        registers = std::max(registers, radix * rounds);
        cost += stage_cost(radix) * rounds * items * radix / n;
    };
    for (std::size_t s = 0; s < radices.size(); ++s) {
        const int radix = radices[s], butterflies = n / radix;
        const bool by_pairs = s + 1 == radices.size() || (s == 0 && neighbours);
        add(radix, by_pairs ? 2 * ceil_div(pairs_of(butterflies), items) : ceil_div(butterflies, items));
    }
    if (line.rader)
        for (int way = 0; way < 2; ++way)
            for (const int radix : line.rader->radices) add(radix, ceil_div(line.rader->space() / radix, items));
    if (registers > most_points || cost > best.cost) return;
    if (cost == best.cost && registers >= best.share.registers) return;
    best = {radices, {items, registers}, neighbours ? Pairs::both : Pairs::opposites, cost};
}

PairedShare share_pairs(const Whole& line, Pairs wanted, int most_items, int most_points) {
    PairedShare best;
    if (line.n == 1) return {{1}, {1, 2}, Pairs::opposites, 0};
    const auto consider = [&](const std::vector<int>& order, int butterflies, int most_rounds) {
        for (int rounds = 1; rounds <= most_rounds; ++rounds)
            if (const int items = ceil_div(butterflies, rounds); items >= line.fewest_items() && items <= most_items)
                consider_pairs(best, line, order, items, wanted, most_points);
    };
    each_product(line.smooth(), best.cost, [&](std::vector<int> order, double) {
        std::sort(order.begin(), order.end());
        do {
            each_stage(line, order, [&](int radix, int butterflies) {
                for (const int count : {butterflies, pairs_of(line.n / order.front()), pairs_of(line.n / order.back())})
                    consider(order, count, most_points / radix);
            });
        } while (std::next_permutation(order.begin(), order.end()));
    });   // what is best is kept in `best`, whose cost bounds the search
    return best;
}

// One shape of lines in pairs: at most so many lines, work-items and points.
struct PairedShape {
    int lines, most_group, most_points;
    int least_group = 1;
};

constexpr double as_cheap = 1.03;   // of two orders of the same radices

std::optional<Line> plan_paired(const Whole& whole, bool filter, const LineLimits& limits, Pairs pairs, int wanted,
                                const PairedShape& shape) {
    if (shape.lines > 1 && shape.lines / 2 >= wanted) return std::nullopt;
    const int group = std::min(shape.most_group, limits.group);
    if (shape.lines > group) return std::nullopt;
    const PairedShare found = share_pairs(whole, pairs, group / shape.lines, shape.most_points);
    if (found.radices.empty() || found.share.items * shape.lines < shape.least_group) return std::nullopt;
    int lines = shape.lines;
    if (!filter) lines = std::min(std::max(1, std::min(128, limits.group) / found.share.items), wanted);
    for (; lines >= 1; lines = filter ? 0 : lines / 2) {
        if (auto line = shaped(whole, found.radices, lines, found.share, limits)) {
            line->pairs = found.pairs;
            if (filter) order_for_banks(*line, [&](const std::vector<int>& radices) {
                PairedShare same{.radices = {}, .share = {}, .pairs = found.pairs, .cost = found.cost * as_cheap};
                consider_pairs(same, whole, radices, found.share.items, pairs, found.share.registers);
                return !same.radices.empty();
            });
            return line;
        }
    }
    return std::nullopt;
}

// Rows: as many lines as fill a work-group of 128; few points of a work-item let more of them wait for memory at once.
//
// Filters: 4 lines, where fewer would write parts of memory's sectors; half of another line rests in registers beside theirs. How
// many registers a shape takes is known once it is built, so that there are several. 11 warps are the fewest that keep a
// multiprocessor busy. Twelve with twice the points and a stage less are faster than twice as many, unless work-items go without
// a butterfly.
std::vector<Line> plan_pairs(const Whole& whole, LineLayout layout, const LineLimits& limits, Pairs pairs, int wanted,
                             std::size_t most) {
    static constexpr std::array<PairedShape, 6> wide = {
        {{4, 512, 18, 352}, {4, 384, 24, 352}, {4, 768, 12}, {4, 768, 20}, {4, most_group, 12}, {4, 768, 24}}};
    static constexpr std::array<PairedShape, 2> of_rader = {{{4, 768, 20}, {4, 768, 24}}};
    static constexpr std::array<PairedShape, 5> narrow = {
        {{2, 768, 20}, {2, 768, 24}, {2, 512, 32}, {1, 512, 32}, {1, most_group, 64}}};
    static constexpr std::array<PairedShape, 3> rows = {{{1, 512, 20}, {1, 512, 36}, {1, most_group, 64}}};
    const bool filter = layout == LineLayout::filter;
    std::vector<Line> found;
    const auto take = [&](std::span<const PairedShape> shapes, std::size_t at_most) {
        for (const PairedShape& shape : shapes)
            if (found.size() < at_most) add_new(found, plan_paired(whole, filter, limits, pairs, wanted, shape));
    };
    if (filter && !whole.rader) take(wide, most);
    if (filter && whole.rader) take(of_rader, 1);   // its own stage is what takes registers, and time
    take(filter ? std::span<const PairedShape>(narrow) : std::span<const PairedShape>(rows), 1);
    return found;
}

// Where four columns do not fit local memory together, but two and two do: how long they are at most, and how many points 1024
// work-items can hold in registers. Beyond, faster memory would make passes faster.
constexpr int longest_by_shares = 5120, most_points_by_shares = 24;

constexpr std::int64_t many_lines = 8192;   // from here on a device is full, whatever the groups

// Rows by larger groups leave a multiprocessor to one group where a compiler takes some registers more than 64 for a work-item,
// and nobody works while it waits.
constexpr int most_row_items = 384, most_row_points = 20;

// Eight columns by groups of at most 512 with more points a work-item, where these are few enough and there is work for such
// groups. Larger radices lose by it.
std::optional<Line> by_fewer_items(const Whole& line, const std::vector<int>& radices, const LineLimits& limits,
                                   std::int64_t lines_wanted) {
    constexpr int most_points = 28, largest = 16, eight = 8;
    constexpr std::int64_t fewest_lines = 512;
    if (line.rader || lines_wanted < fewest_lines) return std::nullopt;
    if (*std::max_element(radices.begin(), radices.end()) > largest) return std::nullopt;
    const auto found = shaped(line, radices, eight, share(line, radices, std::min(512, limits.group) / eight), limits);
    return found && found->registers <= most_points ? found : std::nullopt;
}

std::vector<Line> plan_layout(int n, LineLayout layout, const LineLimits& limits, std::int64_t lines_wanted, Pairs pairs,
                              std::size_t most) {
    if (n < 1 || n > longest_line) return {};
    const Whole line = whole(n);
    if (!line.rader && !is_smooth(n)) return {};
    const bool prime = line.rader && line.rader->unit == 1;
    if (prime && (layout == LineLayout::filter || pairs != Pairs::none)) return {};   // its spectrum is in another order
    const std::vector<int> radices =
        n == 1 ? std::vector<int>{1} : cheapest_radices(line.smooth(), [](const std::vector<int>&) { return true; });
    if (radices.empty() && !prime) return {};
    const int items = share(line, radices, limits.group).items;
    const int wanted = static_cast<int>(std::clamp<std::int64_t>(lines_wanted, 1, 1024));
    if (pairs != Pairs::none) return plan_pairs(line, layout, limits, pairs, wanted, most);
    if (layout == LineLayout::rows && items > most_row_items && !line.rader) {
        const std::vector<int> fewer = cheapest_radices(
            n, [&](const std::vector<int>& r) { return share(line, r, most_row_items).registers <= most_row_points; });
        if (!fewer.empty())
            if (const auto found = shaped(line, fewer, 1, share(line, fewer, most_row_items), limits)) return {*found};
    }
    // Enough work-items to fill a work-group of 128.
    const int filling = std::min(std::max(1, 128 / items), wanted);
    if (layout == LineLayout::rows) {
        for (int lines = filling; lines >= 1; lines /= 2)
            if (const auto found = shaped(line, radices, lines, limits)) return {*found};
        return {};
    }
    if (layout == LineLayout::filter) {
        if (auto found = plan_filters(line, limits, wanted, most); !found.empty()) return found;
    }
    // Columns: 8 lines are 64 contiguous bytes, 4 are 32, the least that memory moves. More to fill a group, and where they cost
    // nothing.
    const int wide = items <= 16 && lines_wanted >= many_lines ? 16 : 8;
    const auto aligned = static_cast<int>(std::bit_floor(static_cast<unsigned>(filling)));
    for (const int lines : {std::max(aligned, wide), 8, 4, 2, 1}) {
        if (layout == LineLayout::filter && lines > 4) continue;
        if (lines > 1 && lines / 2 >= wanted) continue;
        auto found = shaped(line, radices, lines, limits);
        if (!found && lines == 4 && layout == LineLayout::columns && !line.rader && n <= longest_by_shares) {
            found = shaped(line, radices, lines, limits, 2);
            if (found && found->registers > most_points_by_shares) continue;
        }
        if (!found) continue;
        if (lines == 1) return {*found};
        const bool sluggish = lines == 8 && found->group() > 512;   // few large groups hide less of the memory's latency
        if (sluggish && layout == LineLayout::columns) {
            const std::optional<Line> fewer = by_fewer_items(line, radices, limits, lines_wanted);
            if (fewer) return {*fewer};
        }
        if (!sluggish && found->registers <= limits.registers) return {*found};
    }
    return {};
}

}  // namespace

std::vector<Line> plan_lines(int n, LineLayout layout, const LineLimits& limits, std::int64_t lines_wanted, Pairs pairs,
                             std::size_t most) {
    std::vector<Line> lines = plan_layout(n, layout, limits, lines_wanted, pairs, most);
    for (Line& line : lines) line.interleaved = layout != LineLayout::rows && line.lines > 1;
    return lines;
}

std::optional<Line> plan_line(int n, LineLayout layout, const LineLimits& limits, std::int64_t lines_wanted, Pairs pairs) {
    std::vector<Line> lines = plan_lines(n, layout, limits, lines_wanted, pairs, 1);
    return lines.empty() ? std::nullopt : std::optional(std::move(lines.front()));
}

namespace {

// exp(-i pi r / 2 radix) for r to `radix`, as literals.
std::string quarters_of(int radix) {
    std::string list;
    for (const std::complex<float> w : quarters(radix, radix + 1))
        list += fmt::format("{}{:#.9g}f,{:#.9g}f", list.empty() ? "" : ",", w.real(), w.imag());
    return list;
}

}  // namespace

void add_line_defines(host::Defines& defines, const Line& line) {
    defines.add("FFT_N", line.n).add("FFT_STAGES", static_cast<std::int64_t>(line.radices.size()));
    for (std::size_t s = 0; s < most_stages; ++s)
        defines.add("FFT_R" + std::to_string(s), s < line.radices.size() ? line.radices[s] : 1);
    defines.add("FFT_ITEMS", line.items).add("FFT_REGISTERS", line.registers).add("FFT_LINES", line.lines);
    defines.add("FFT_PAIRS", line.pairs != Pairs::none ? 1 : 0).add("FFT_NEIGHBOURS", line.pairs == Pairs::both ? 1 : 0);
    if (line.rader.prime != 0) {
        const std::vector<int>& radices = line.rader.radices;
        defines.add("FFT_RADER", line.rader.prime).add("FFT_RADER_LENGTH", line.rader.length);
        for (std::size_t s = 0; s < radices.size(); ++s) defines.add("FFT_S" + std::to_string(s), radices[s]);
        defines.add("FFT_TABLES", static_cast<std::int64_t>(rader_table(line.rader).size()));
    }
    if (line.pairs != Pairs::none) defines.add("FFT_QUARTERS", quarters_of(line.radices.back()));
    defines.add("FFT_SHARES", line.shares).add("FFT_SPLIT", line.split ? 1 : 0).add("FFT_PADDED", line.padded);
    const auto gaps = [&](Order order) { return fmt::format("{}u", fft::packed(exchange_gaps(line, order))); };
    defines.add("FFT_GAPS", gaps(Order::forward)).add("FFT_QGAPS", gaps(Order::backward));
}

std::vector<std::complex<float>> line_table(const Line& line, Order order) {
    if (line.rader.prime == 0) return stage_table(order == Order::forward ? line.radices : reversed(line.radices));
    std::vector<std::complex<float>> table = rader_table(line.rader);
    const std::vector<int> others(line.radices.begin() + 1, line.radices.end());
    const auto append = [&](const std::vector<std::complex<float>>& more) {
        table.insert(table.end(), more.begin(), more.end());
    };
    if (order == Order::forward) {
        append(stage_table(line.radices));
    } else {   // one radix alone has no twiddles
        if (others.size() > 1) append(stage_table(reversed(others)));
        append(rader_twiddles(line.rader));
    }
    return table;
}

}  // namespace parallax::engine::fft
