// Our own transforms of every kind of length on every device: radices, primes, long lines, cosine transforms, holograms' sizes.
#include "algorithms/fft/line.hpp"
#include "fft_bench.hpp"

#include <cstdlib>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::fft;
using namespace parallax::tests::transforms;

TEST_CASE("radix: rows of every radix, of their products, and of lengths that need Bluestein") {
    each_device([](Bench& bench) {
        for (const std::int64_t n : {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,  14,  15,  16, 17,
                                     18, 19, 22, 23, 26, 31, 34, 37, 49, 64, 85, 97, 119, 121, 127, 128}) {
            bench.check(radix(), {n, 1, 3}, Direction::forward);
            bench.check(radix(), {n, 1, 3}, Direction::inverse);
        }
    });
}

TEST_CASE("radix: columns of every radix, of two stages, of primes") {
    each_device([](Bench& bench) {
        std::vector<std::int64_t> lengths = {19, 22, 23, 34, 39, 51, 53, 60, 63, 64};
        for (std::int64_t n = 1; n <= 17; ++n) lengths.push_back(n);
        for (const std::int64_t n : lengths) bench.check(radix(), {5, n, 2}, n % 2 ? Direction::forward : Direction::inverse);
    });
}

TEST_CASE("radix: lines with a prime factor above 31, by Rader, drawn at random") {
    std::vector<int> all;
    for (int n = 2; n <= 2400; ++n)
        if (rader_of(n)) all.push_back(n);
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937 random(seed);
    std::vector<int> lengths = {74, 2056, 346};   // 257 is what cameras have; 173 needs zeros
    for (int i = 0; i < tests::drawn_count(2); ++i) lengths.push_back(all[random() % all.size()]);
    each_device([&](Bench& bench) {
        for (const std::int64_t n : lengths) {
            CAPTURE(n);
            const Direction direction = n / 2 % 2 ? Direction::forward : Direction::inverse;
            bench.check(radix(), {n, 1, 3}, direction);
            bench.check(radix(), {5, n, 2}, direction);
            bench.check(radix(), {n, 1, 3, Kind::r2c}, Direction::forward);
            bench.check(radix(), {n, 1, 3, Kind::c2r}, Direction::inverse);
        }
    });
}

TEST_CASE("radix: several primes above 31 go in passes, and what no pass takes by Bluestein") {
    each_device([&](Bench& bench) {
        for (const std::int64_t n : {37 * 41, 41 * 41, 43 * 59 * 2, 83 * 179}) {   // 82 has no small factors, 178 neither
            CAPTURE(n);
            bench.check(radix(), {n, 1, 2}, Direction::forward);
            bench.check(radix(), {5, n, 1}, Direction::inverse);
            bench.check(radix(), {n, 1, 3, Kind::r2c}, Direction::forward);
        }
    });
}

TEST_CASE("radix: cosine transforms of lines and images of any size, both ways, in place") {
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937 random(seed);
    const auto upto = [&](unsigned most) { return static_cast<std::int64_t>(1 + random() % most); };
    std::vector<TransformSpec> specs{{1, 1, 1, Kind::dct},     {5, 1, 3, Kind::dct},      {64, 1, 2, Kind::dct},
                                     {1, 7, 2, Kind::dct},     {8, 6, 1, Kind::dct},      {33, 18, 3, Kind::dct},
                                     {10000, 1, 1, Kind::dct}, {9, 1, 2, Kind::dct, true}};
    for (int i = 0; i < 4; ++i) specs.push_back({upto(300), upto(120), upto(3), Kind::dct});
    each_device([&](Bench& bench) {
        for (const TransformSpec& spec : specs)
            for (const Direction direction : {Direction::forward, Direction::inverse})
                for (const bool in_place : {false, true}) bench.check(radix(), spec, direction, in_place);
    });
}

TEST_CASE("radix: real rows of every length from 1 to 24, odd and even numbers of rows") {
    each_device([](Bench& bench) {
        for (std::int64_t n = 1; n <= 24; ++n) {
            bench.check(radix(), {n, 1, 3 + n % 2, Kind::r2c}, Direction::forward);
            bench.check(radix(), {n, 1, 3 + n % 2, Kind::c2r}, Direction::inverse);
        }
    });
}

TEST_CASE("radix: long and awkward lines") {
    // Every radix in later stages, the most stages, the longest of one work-group, passes over memory, primes.
    const std::int64_t lengths[] = {169,  289,  225,  196,  210,  257,  509,  1000, 2310, 3125,  2401,  3072, 3264,
                                    2448, 4093, 4096, 4099, 4913, 6250, 8192, 8191, 8232, 10007, 16384, 83521};
    each_device([&](Bench& bench) {
        for (const std::int64_t n : lengths) {
            bench.check(radix(), {n, 1, 2}, Direction::forward);
            bench.check(radix(), {n, 1, 2}, Direction::inverse, true);
        }
        for (const std::int64_t n : {169, 1000, 3264, 4093, 8232, 8209}) {
            bench.check(radix(), {3, n, 2}, Direction::forward);
            bench.check(radix(), {3, n, 2}, Direction::inverse, true);
        }
        for (const std::int64_t n : {1021, 3264, 8191, 8192, 8232, 10007}) {
            bench.check(radix(), {n, 1, 3, Kind::r2c}, Direction::forward);
            bench.check(radix(), {n, 1, 3, Kind::c2r}, Direction::inverse);
        }
    });
}

TEST_CASE("radix: powers of two up to 2^20, and one of three passes") {
    each_device([](Bench& bench) {
        for (std::int64_t n = 256; n <= 1 << 20; n *= 2)
            bench.check(radix(), {n, 1, 1}, n % 3 == 1 ? Direction::forward : Direction::inverse);
        bench.check(radix(), {3 * 5 * 7 * 11 * 13 * 17 * 17, 1, 1}, Direction::forward);
    });
}

TEST_CASE("radix: sizes of holograms") {
    each_device([](Bench& bench) {
        for (const auto& [width, height] :
             {std::pair<std::int64_t, std::int64_t>{512, 384}, {1024, 768}, {3264, 51}, {51, 2448}, {12, 2304}}) {
            bench.check(radix(), {width, height, 1}, Direction::forward);
            bench.check(radix(), {width, height, 1, Kind::r2c}, Direction::forward);
            bench.check(radix(), {width, height, 1, Kind::c2r}, Direction::inverse);
        }
    });
}
