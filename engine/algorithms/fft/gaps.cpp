#include "algorithms/fft/gaps.hpp"

#include "algorithms/fft/radices.hpp"

#include <algorithm>
#include <array>

namespace parallax::engine::fft {

namespace {

constexpr int banks = 32,
              together = 32;   // work-items that go to local memory at once; other widths divide it or are its multiples
constexpr int most_floats = 7, least_run_log2 = 2, most_run_log2 = 7;
// What a place costs that is computed anew for each point, not a fixed distance from the first, in visits to local memory.
constexpr double address_cost = 0.75;

// How the butterflies of a stage are shared out (FFT_BUTTERFLY in stockham.clh).
enum class By { item, pair, neighbour };

struct Stage {
    int radix, span, butterflies;
    By by;

    int shared_out() const { return by == By::item ? butterflies : by == By::pair ? (butterflies + 1) / 2 : butterflies / 2; }
    int rounds(int items) const { return (by == By::item ? 1 : 2) * ((shared_out() + items - 1) / items); }
    /// The butterfly of a work-item, -1 if it has none.
    int butterfly(int item, int round, int items) const {
        const int at = item + (by == By::item ? round : round / 2) * items, odd = round % 2;
        if (at >= shared_out()) return -1;
        if (by == By::item || odd == 0) return at;
        if (by == By::neighbour) return butterflies - 1 - at;
        if (at == 0) return butterflies % 2 == 0 ? butterflies / 2 : -1;
        return butterflies - at;
    }
    /// Where result r of a butterfly goes, and where point r of one comes from.
    int result(int j, int r) const { return j / span * (span * radix) + j % span + r * span; }
    int point(int j, int r) const { return j + r * butterflies; }
};

std::vector<Stage> stages_of(const Line& line, Order order) {
    std::vector<int> radices = line.radices;
    if (order == Order::backward) radices = reversed(std::move(radices));
    std::vector<Stage> stages;
    int span = 1;
    for (const int radix : radices) {
        stages.push_back({radix, span, line.n / radix, By::item});
        span *= radix;
    }
    if (line.pairs == Pairs::none) return stages;
    const bool forward = order == Order::forward;
    if (line.pairs == Pairs::both) (forward ? stages.front() : stages.back()).by = By::neighbour;
    (forward ? stages.back() : stages.front()).by = By::pair;
    return stages;
}

// Of one way, there or back: 1 is the least. `place` says where a butterfly has its point.
template <class Place>
double visits_of(const Line& line, const Stage& stage, const Gaps& gaps, int r, const Place& place) {
    const int group = line.group(), beside = line.lines / line.shares;
    std::int64_t asked = 0, needed = 0;
    for (int round = 0; round < stage.rounds(line.items); ++round) {
        for (int first = 0; first < group; first += together) {
            std::array<std::uint8_t, banks> in_bank{};
            for (int at = first; at < std::min(first + together, group); ++at) {
                const int item = line.interleaved ? at / line.lines : at % line.items;
                const int of = line.interleaved ? at % line.lines : at / line.items;
                const int j = stage.butterfly(item, round, line.items);
                if (j < 0 || of >= beside) continue;   // the other lines wait
                const int p = gaps.place(place(j, r));
                ++in_bank[static_cast<std::size_t>((line.interleaved ? p * beside + of : of * line.padded + p) % banks)];
            }
            const int most = *std::max_element(in_bank.begin(), in_bank.end());
            needed += most;
            asked += most > 0 ? 1 : 0;
        }
    }
    return asked == 0 ? 1 : static_cast<double>(needed) / static_cast<double>(asked);
}

// From point to point of their butterflies work-items keep their distances, but for the ends of the runs: one point tells for
// all.
double both_ways(const Line& line, const Stage& from, const Stage& to, const Gaps& gaps) {
    return visits_of(line, from, gaps, from.radix / 2, [&](int j, int r) { return from.result(j, r); }) +
           visits_of(line, to, gaps, to.radix / 2, [&](int j, int r) { return to.point(j, r); });
}

// Whether places are fixed distances from a butterfly's first (FFT_PAD_RESULT and FFT_PAD_STEP in stockham.clh).
bool fixed_steps(const Gaps& gaps, int step) { return gaps.floats == 0 || step % (1 << gaps.run_log2) == 0; }
bool fixed_results(const Gaps& gaps, const Stage& stage) {
    const int run = 1 << gaps.run_log2, all = stage.span * stage.radix;
    return gaps.floats == 0 || run % all == 0 || (all % run == 0 && run % stage.span == 0) || stage.span % run == 0;
}

double cost_of(const Line& line, const Stage& from, const Stage& to, const Gaps& gaps) {
    return both_ways(line, from, to, gaps) + (fixed_results(gaps, from) ? 0 : address_cost) +
           (fixed_steps(gaps, to.butterflies) ? 0 : address_cost);
}

Gaps best_gaps(const Line& line, const Stage& from, const Stage& to) {
    Gaps best;
    double least = cost_of(line, from, to, best);
    for (int run_log2 = most_run_log2; run_log2 >= least_run_log2; --run_log2) {
        for (int floats = 1; floats <= most_floats; ++floats) {
            const Gaps gaps{floats, run_log2};
            if (gaps.padded(line.n) > line.padded) break;
            const double cost = cost_of(line, from, to, gaps);
            if (cost < least) least = cost, best = gaps;
        }
    }
    return best;
}

}  // namespace

std::vector<Gaps> exchange_gaps(const Line& line, Order order) {
    // Points of a prime's convolution go wherever its powers say: gaps after every 16 spread them and its own stages.
    if (line.rader.prime != 0) {
        const int places = std::max(line.n, line.rader.space());
        const Gaps gaps{1, 4};
        return std::vector<Gaps>(line.radices.size(), gaps.padded(places) <= line.padded ? gaps : Gaps{});
    }
    const std::vector<Stage> stages = stages_of(line, order);
    std::vector<Gaps> found;
    for (std::size_t s = 0; s + 1 < stages.size(); ++s) found.push_back(best_gaps(line, stages[s], stages[s + 1]));
    return found;
}

double visits(const Line& line, Order order, std::size_t exchange, const Gaps& gaps) {
    const std::vector<Stage> stages = stages_of(line, order);
    return both_ways(line, stages.at(exchange), stages.at(exchange + 1), gaps);
}

std::uint32_t packed(const std::vector<Gaps>& exchanges) noexcept {
    std::uint32_t bits = 0;
    for (std::size_t s = 0; s < exchanges.size() && s < most_stages - 1; ++s)
        bits |= static_cast<std::uint32_t>(exchanges[s].floats | (exchanges[s].run_log2 - least_run_log2) << 3) << 6 * s;
    return bits;
}

}  // namespace parallax::engine::fft
