// How a line is shared out among work-items: radices, pairs, gaps in local memory, a prime beside, columns that go by halves.
#include "algorithms/fft/axis.hpp"
#include "algorithms/fft/gaps.hpp"
#include "algorithms/fft/line.hpp"
#include "algorithms/fft/radices.hpp"
#include "fft_bench.hpp"
#include "seed.hpp"

#include <cstdlib>
#include <random>
#include <string_view>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::fft;
using namespace parallax::tests::transforms;

namespace {

/// Of each stage the radix and how many butterflies a work-item has of it; a pair counts as two.
template <class Visit>
void each_stage(const Line& line, const Visit& visit) {
    const auto rounds = [&](int butterflies) { return (butterflies + line.items - 1) / line.items; };
    for (const int radix : line.rader.radices) visit(radix, rounds(line.rader.space() / radix));
    for (std::size_t s = line.rader.prime != 0 ? 1 : 0; s < line.radices.size(); ++s) {
        const int radix = line.radices[s], butterflies = line.n / radix;
        const bool by_pairs =
            (line.pairs != Pairs::none && s + 1 == line.radices.size()) || (s == 0 && line.pairs == Pairs::both);
        visit(radix, by_pairs ? 2 * rounds((butterflies + 1) / 2) : rounds(butterflies));
    }
}

void check_line(const Line& line, int n, const LineLimits& limits) {
    int product = 1, held = 1, convolved = 1;
    for (const int radix : line.radices) product *= radix;
    for (const int radix : line.rader.radices) convolved *= radix;
    each_stage(line, [&](int radix, int rounds) { held = std::max(held, radix * rounds); });
    const bool large = line.rader.prime != 0;
    const bool sound = product == n && line.group() <= limits.group && line.registers == held + (large ? 1 : 0) &&
                       (line.pairs != Pairs::both || n / line.radices.front() % 2 == 0) &&
                       (line.radices.size() == 1 || line.local_bytes() <= limits.local_bytes) && convolved == line.rader.length &&
                       (!large || (line.radices.front() == line.rader.prime && line.items >= line.rader.unit &&
                                   line.pairs != Pairs::both && line.rader.unit * line.rader.prime == n &&
                                   (line.rader.length == line.rader.prime - 1 || line.rader.length >= 2 * line.rader.prime - 3)));
    if (!sound) FAIL("length " << n << ": " << line.describe() << ", " << line.items << " work-items x " << line.lines);
}

/// Every length where PARALLAX_LINES is "all" (what is labelled long), else all short ones and a drawn tenth of the others.
std::vector<int> lengths() {
    const char* const wanted = std::getenv("PARALLAX_LINES");
    const bool all = wanted != nullptr && std::string_view(wanted) == "all";
    const auto seed = tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    std::vector<int> chosen;
    for (int n = 1; n <= longest_line; ++n)
        if (all || n <= 400 || random() % 10 == 0) chosen.push_back(n);
    return chosen;
}

}   // namespace

TEST_CASE("every smooth line has a plan that fits its limits, and so has one with a prime beside") {
    const std::vector<int> chosen = lengths();
    for (const LineLimits limits : {LineLimits{}, LineLimits{1024, 49152}, LineLimits{256, 32768}})
        for (const int n : chosen)
            for (const LineLayout layout : {LineLayout::rows, LineLayout::columns}) {
                const auto line = plan_line(n, layout, limits, 3000);
                if (!line && is_smooth(n)) FAIL("length " << n);
                if (!line && limits.local_bytes == 49152)
                    if (const auto rader = rader_of(n); rader && !rader->padded()) FAIL("length " << n);
                if (line) check_line(*line, n, limits);
            }
}

TEST_CASE("every smooth line has a plan by pairs that fits its limits, and so has one with a prime beside") {
    const std::vector<int> chosen = lengths();
    for (const LineLimits limits : {LineLimits{1024, 49152}, LineLimits{256, 32768}})
        for (const int n : chosen)
            for (const auto& [layout, pairs] :
                 {std::pair{LineLayout::rows, Pairs::both}, {LineLayout::filter, Pairs::opposites}}) {
                const std::vector<Line> lines = plan_lines(n, layout, limits, 3000, pairs);
                if (lines.empty() && is_smooth(n)) FAIL("length " << n);
                if (lines.empty() && limits.local_bytes == 49152)
                    if (const auto rader = rader_of(n); rader && !rader->padded() && rader->unit > 1) FAIL("length " << n);
                for (const Line& line : lines) {
                    CHECK(line.pairs != Pairs::none);
                    check_line(line, n, limits);
                }
            }
}

TEST_CASE("gaps in local memory fit, and leave no more conflicts than there were") {
    const auto seed = tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    for (int draw = 0; draw < 200; ++draw) {
        const int n = std::uniform_int_distribution(2, longest_line)(random);
        for (const auto& [layout, pairs] :
             {std::pair{LineLayout::rows, Pairs::none}, {LineLayout::rows, Pairs::both}, {LineLayout::columns, Pairs::none},
              {LineLayout::filter, Pairs::opposites}}) {
            const auto line = plan_line(n, layout, LineLimits{1024, 49152}, 3000, pairs);
            if (!line) continue;
            if (line->rader.prime != 0) {
                for (const Gaps& gaps : exchange_gaps(*line, Order::forward))
                    CHECK(gaps.padded(std::max(n, line->rader.space())) <= line->padded);
                continue;
            }
            for (const Order order : {Order::forward, Order::backward}) {
                const std::vector<Gaps> gaps = exchange_gaps(*line, order);
                REQUIRE(gaps.size() + 1 == line->radices.size());
                for (std::size_t s = 0; s < gaps.size(); ++s) {
                    CAPTURE(n);
                    CAPTURE(line->describe());
                    CAPTURE(s);
                    CHECK(gaps[s].padded(n) <= line->padded);
                    CHECK(visits(*line, order, s, gaps[s]) <= visits(*line, order, s, Gaps{}));
                    const std::uint32_t bits = packed(gaps) >> (6 * s);   // as stockham_stage.clh reads them
                    CHECK(static_cast<int>(bits & 7u) == gaps[s].floats);
                    CHECK((gaps[s].floats == 0 || 2 + static_cast<int>(bits >> 3 & 7u) == gaps[s].run_log2));
                }
            }
        }
    }
}

TEST_CASE("what conflicts the gaps leave") {
    struct Row { int n; LineLayout layout; Pairs pairs; double most; };
    for (const Row& row : {Row{3072, LineLayout::rows, Pairs::none, 2.0}, {2048, LineLayout::rows, Pairs::both, 2.0},
                           {3072, LineLayout::rows, Pairs::both, 3.0}, {2304, LineLayout::filter, Pairs::opposites, 2.0}}) {
        const auto line = plan_line(row.n, row.layout, LineLimits{1024, 49152}, 3000, row.pairs);
        REQUIRE(line);
        const std::vector<Gaps> gaps = exchange_gaps(*line, Order::forward);
        double without = 0;
        for (std::size_t s = 0; s < gaps.size(); ++s) {
            CAPTURE(line->describe());
            CAPTURE(s);
            CHECK(visits(*line, Order::forward, s, gaps[s]) <= row.most);
            without = std::max(without, visits(*line, Order::forward, s, Gaps{}));
        }
        CHECK(without >= 5);   // four and more work-items at one bank
    }
}

TEST_CASE("where gaps do not fit, the radices' order leaves few conflicts") {
    for (const Pairs pairs : {Pairs::none, Pairs::opposites}) {
        const auto line = plan_line(3036, LineLayout::filter, LineLimits{1024, 49152}, 3000, pairs);   // 23 12 11, not 11 23 12
        REQUIRE(line);
        CAPTURE(line->describe());
        CHECK(line->lines == 4);
        CHECK(line->group() <= 576);   // more would have too few registers for its points
        for (const Order order : {Order::forward, Order::backward}) {
            const std::vector<Gaps> gaps = exchange_gaps(*line, order);
            for (std::size_t s = 0; s < gaps.size(); ++s) CHECK(visits(*line, order, s, gaps[s]) < 2.7);
        }
    }
}

TEST_CASE("long rows leave a multiprocessor room for several groups") {
    for (const int n : {4608, 5120, 5472, 6000, 6144}) {
        const auto line = plan_line(n, LineLayout::rows, LineLimits{1024, 49152}, 3000);
        REQUIRE(line);
        CAPTURE(line->describe());
        CHECK(line->group() <= 384);
        CHECK(line->registers <= 20);
    }
}

TEST_CASE("filters have shapes to choose from, none of them twice") {
    for (const int n : lengths()) {
        for (const Pairs pairs : {Pairs::none, Pairs::opposites}) {
            const std::vector<Line> lines = plan_lines(n, LineLayout::filter, LineLimits{1024, 49152}, 3000, pairs);
            for (std::size_t i = 0; i < lines.size(); ++i) {
                if (pairs == Pairs::none) check_line(lines[i], n, LineLimits{1024, 49152});
                for (std::size_t j = 0; j < i; ++j)
                    if (lines[i].radices == lines[j].radices && lines[i].items == lines[j].items &&
                        lines[i].lines == lines[j].lines)
                        FAIL("length " << n << ": " << lines[i].describe());
            }
        }
    }
    CHECK(plan_lines(3000, LineLayout::filter, LineLimits{1024, 49152}, 3000, Pairs::opposites).size() > 1);
}

TEST_CASE("lengths with one prime above 31, and what its convolution is") {
    for (const int n : {1, 30, 31, 41 * 41, 37 * 41 * 2}) CHECK_FALSE(rader_of(n).has_value());
    const auto sony = rader_of(2056);   // 8 x 257
    REQUIRE(sony);
    CHECK(sony->prime == 257);
    CHECK(sony->unit == 8);
    CHECK(sony->length == 256);
    const auto padded = rader_of(4024);   // 8 x 503, and 502 is twice a prime
    REQUIRE(padded);
    CHECK(padded->length >= 1003);
    // The filter is a convolution's: its value at nought adds up to -1, the sum of all roots but 1.
    const std::vector<std::complex<float>> table = rader_table(*sony);
    CHECK(table[0] == std::complex<float>(1, 1));
    CHECK(table[256].real() * 256 == doctest::Approx(-1));
    CHECK(table[256].imag() * 256 == doctest::Approx(0).epsilon(1e-6));
}

TEST_CASE("good_size is the next length with factors up to 7") {
    CHECK(good_size(1) == 1);
    CHECK(good_size(11) == 12);
    CHECK(good_size(4000) == 4000);
    CHECK(good_size(6527) == 6561);
    CHECK(good_size(8193) == 8232);
}

TEST_CASE("four columns that do not fit local memory together go through it two and two") {
    const LineLimits gpu{1024, 49152};
    for (const int n : {3584, 4096, 5120}) {
        CAPTURE(n);
        const auto line = plan_line(n, LineLayout::columns, gpu, 3000);
        REQUIRE(line);
        CHECK(line->lines == 4);
        CHECK(line->shares == 2);
        CHECK(line->split);
        CHECK(line->local_bytes() <= gpu.local_bytes);
    }
    CHECK(plan_line(3072, LineLayout::columns, gpu, 3000)->shares == 1);
    CHECK(plan_line(6144, LineLayout::columns, gpu, 3000)->lines < 4);   // too many points a work-item
    const LineLimits less{1024, 32768}, few{256, 32768};
    CHECK(plan_line(2048, LineLayout::columns, less, 3000)->shares == 1);
    CHECK(plan_line(4096, LineLayout::columns, less, 3000)->shares == 2);
    CHECK(plan_line(4374, LineLayout::columns, less, 3000)->lines < 4);
    CHECK(plan_line(4096, LineLayout::columns, few, 3000)->lines < 4);
    each_device([](Bench& bench) {
        for (const std::int64_t n : {3584, 4000, 4096, 5120}) {
            CAPTURE(n);
            bench.check(radix(), {7, n, 1}, Direction::forward);
            bench.check(radix(), {7, n, 1}, Direction::inverse, true);
        }
    });
}

TEST_CASE("eight columns go by groups of 512 with more points a work-item, where these are few") {
    const LineLimits gpu{1024, 49152}, small{256, 49152};
    for (const int n : {768, 960, 1152, 1200, 1344}) {
        CAPTURE(n);
        const auto line = plan_line(n, LineLayout::columns, gpu, 1920);
        REQUIRE(line);
        CHECK(line->lines == 8);
        CHECK(line->group() <= 512);
        CHECK(line->registers <= 28);
        CHECK(plan_line(n, LineLayout::columns, gpu, 256)->lines == 4);   // few columns: as many groups as can be
        CHECK(plan_line(n, LineLayout::columns, small, 1920)->group() <= small.group);
    }
    CHECK(plan_line(1216, LineLayout::columns, gpu, 1920)->lines == 4);   // 19 8 8
    CHECK(plan_line(1536, LineLayout::columns, gpu, 1920)->lines == 4);   // 32 points
    each_device([](Bench& bench) {
        for (const std::int64_t n : {960, 1344}) bench.check(radix(), {523, n, 1}, Direction::forward);
    });
}

TEST_CASE("columns of a large prime go in passes where a group would hold fewer than four") {
    host::DeviceInfo gpu;
    gpu.max_work_group = 1024;
    gpu.local_memory = 49152;
    gpu.compute_units = 132;
    for (const std::int64_t n : {2076, 3783, 3890, 4106, 6405}) {
        CAPTURE(n);
        CHECK(axis_way(gpu, {1, n, 1000}) == AxisWay::passes);
        CHECK(axis_way(gpu, {1000, n, 1}) == AxisWay::line);   // rows are read in order anyhow
    }
    CHECK(axis_way(gpu, {1, 2056, 1000}) == AxisWay::line);   // 257 by 256: four columns fit
    CHECK(axis_way(gpu, {1, 5631, 1000}) == AxisWay::line);   // 1877 by 3840, of which four do not fit either
    each_device([](Bench& bench) {
        for (const std::int64_t n : {2076, 3783}) bench.check(radix(), {7, n, 1}, Direction::inverse, true);
    });
}
