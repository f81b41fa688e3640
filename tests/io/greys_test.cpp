// Greys are those of one formula, whatever instructions make them: bit by bit, for values of all kinds.
#include "io/greys.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/support.hpp"
#include "seed.hpp"

namespace parallax::tests {
namespace {

/// One value after the other, in double precision.
std::vector<std::uint32_t> plain_greys(const std::vector<float>& values, std::array<double, 2> window, double white) {
    std::vector<std::uint32_t> greys;
    const auto [low, high] = window;
    for (const float value : values) {
        const double grey = low < high                         ? (static_cast<double>(value) - low) * (white / (high - low)) + 0.5
                            : static_cast<double>(value) > low ? white
                                                               : 0.0;
        greys.push_back(!(grey > 0) ? 0 : static_cast<std::uint32_t>(std::min(grey, white)));
    }
    return greys;
}

HostArray line_of(const std::vector<float>& values) {
    return array_of<float>(ArrayDesc::dense(ElementType::f32, {{'x', static_cast<std::int64_t>(values.size())}}), values);
}

class Drawn {
public:
    /// Any float that there is: each bit by itself, so that exponents of all sizes, infinities and NaN come.
    float any() {
        constexpr std::uint32_t rare[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x00000001, 0x80000001,
                                          0x007fffff, 0x80000000, 0x00000000, 0x7f7fffff, 0xff7fffff, 0x00800000};
        return std::bit_cast<float>(random_() % 4 == 0 ? rare[random_() % std::size(rare)]
                                                       : static_cast<std::uint32_t>(random_()));
    }
    std::array<double, 2> window() {
        if (random_() % 12 == 0) return {1, 1};   // of one value
        double a = 0, b = 0;
        while (!(a < b)) {
            const bool wild = random_() % 3 == 0;
            const auto number = [&] {
                const float one = any();
                return std::isfinite(one) ? static_cast<double>(one) : 0.0;
            };
            a = wild ? number() : static_cast<double>(random_() % 2000) / 8 - 100;
            b = wild ? number() : a + static_cast<double>(random_() % 3000) / 7;
        }
        return {a, b};
    }
    /// Near the place where one grey becomes the next, which is where a difference would show.
    float near_a_step(std::array<double, 2> window, double white) {
        const double step = static_cast<double>(random_() % static_cast<std::uint64_t>(white + 2)) - 0.5;
        auto value = static_cast<float>(window[0] + step * (window[1] - window[0]) / white);
        for (int ulps = static_cast<int>(random_() % 5) - 2; ulps != 0; ulps += ulps < 0 ? 1 : -1)
            value = std::nextafter(value, ulps < 0 ? -INFINITY : INFINITY);
        return value;
    }
    std::uint64_t below(std::uint64_t end) { return random_() % end; }

private:
    std::uint64_t seed_ = [] {
        const std::uint64_t seed = drawn_seed();
        MESSAGE("PARALLAX_TEST_SEED=", seed);
        return seed;
    }();
    std::mt19937_64 random_{seed_};
};

}   // namespace

TEST_CASE("greys of any floats, through any window, are those of the plain formula") {
    Drawn drawn;
    for (int draw = 0; draw < 400; ++draw) {
        const std::array<double, 2> window = drawn.window();
        const bool deep = drawn.below(3) == 0;
        const double white = deep ? 65535 : 255;
        std::vector<float> values(1 + drawn.below(draw % 20 == 0 ? 40'000 : 300));   // whole pieces, and what is left of sixteen
        for (float& value : values) value = drawn.below(3) == 0 ? drawn.any() : drawn.near_a_step(window, white);
        CAPTURE(draw);
        CAPTURE(window[0]);
        CAPTURE(window[1]);
        const HostArray greys = io::greys_of(line_of(values), window, deep ? ElementType::u16 : ElementType::u8);
        const std::vector<std::uint32_t> plain = plain_greys(values, window, white);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint32_t got = deep ? greys.as<std::uint16_t>()[i] : greys.as<std::uint8_t>()[i];
            CAPTURE(i);
            CAPTURE(values[i]);
            REQUIRE(got == plain[i]);
        }
    }
}

TEST_CASE("a range is that of the finite elements, alone and beside greys") {
    Drawn drawn;
    for (int draw = 0; draw < 300; ++draw) {
        std::vector<float> values(1 + drawn.below(draw % 20 == 0 ? 40'000 : 100));
        for (float& value : values) value = draw % 9 == 0 ? std::numeric_limits<float>::quiet_NaN() : drawn.any();
        io::FiniteRange plain;
        bool found = false;
        for (const float value : values) {
            if (!std::isfinite(value)) {
                ++plain.lost;
                continue;
            }
            plain.low = found ? std::min(plain.low, static_cast<double>(value)) : value;
            plain.high = found ? std::max(plain.high, static_cast<double>(value)) : value;
            found = true;
        }
        CAPTURE(draw);
        const HostArray line = line_of(values);
        const std::array<double, 2> window = drawn.window();
        io::FiniteRange beside{1, 2, 3};
        const HostArray greys = io::greys_of(line, window, ElementType::u8, beside),
                        alone = io::greys_of(line, window, ElementType::u8);
        CHECK(std::memcmp(greys.data(), alone.data(), values.size()) == 0);
        for (const io::FiniteRange& range : {io::finite_range(line), beside}) {
            CHECK(range.low == plain.low);
            CHECK(range.high == plain.high);
            CHECK(range.lost == plain.lost);
        }
    }
}

}   // namespace parallax::tests
