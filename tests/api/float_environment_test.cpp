// Hosts set how their own thread rounds, what it does with small numbers and what it traps: results are the same, and what the
// host has set is as it was.
#include "support.hpp"

#include <cfenv>
#include <cmath>
#include <functional>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

using namespace parallax;
using namespace parallax::tests;

namespace {

struct Environment {
    std::string name;
    std::function<void()> set;
    std::function<bool()> holds;
};

std::vector<Environment> environments() {
    std::vector<Environment> list;
    for (const auto& [name, how] : {std::pair{"to nearest", FE_TONEAREST}, {"downward", FE_DOWNWARD}, {"upward", FE_UPWARD},
                                    {"towards zero", FE_TOWARDZERO}})
        list.push_back({name, [how = how] { std::fesetround(how); }, [how = how] { return std::fegetround() == how; }});
#if defined(__SSE2__)
    constexpr unsigned flush = 0x8040;   // FTZ and DAZ, as -ffast-math sets them at the start
    list.push_back({"small numbers flushed", [] { _mm_setcsr(_mm_getcsr() | flush); },
                    [] { return (_mm_getcsr() & flush) == flush; }});
#endif
#if defined(__GLIBC__)
    constexpr int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
    list.push_back({"traps", [] { feenableexcept(traps); }, [] { return (fegetexcept() & traps) == traps; }});
#endif
    return list;
}

/// Some of all kinds: integers rounded from fractions, distances, transforms, logarithms of 0, numbers below the normal ones.
std::vector<std::vector<std::byte>> results_of(const std::string& spec, const std::vector<float>& fractions) {
    const Engine engine({.device = spec});
    Session session(engine);
    const std::vector<std::uint8_t> bytes = ramp(96 * 64);
    const View image(ArrayDesc::dense(ElementType::u8, {{'y', 64}, {'x', 96}}), bytes.data());
    const View levels(ArrayDesc::dense(ElementType::f32, {{'y', 64}, {'x', 96}}), fractions.data());
    std::vector<std::vector<std::byte>> all;
    const auto keep = [&](const Result& result) {
        for (const auto& [name, array] : result.arrays) {
            const HostArray host = session.download(array);
            all.emplace_back(host.data(), host.data() + host.desc.dense_bytes());
        }
        for (const auto& [name, record] : result.records) {
            const auto* const text = reinterpret_cast<const std::byte*>(record.data());
            all.emplace_back(text, text + record.size());
        }
    };
    keep(session.run({"convert", R"({"type": "i16"})", {{"image", levels}}}));
    keep(session.run({"convert", R"({"type": "u8", "window": {"low": 3, "high": 250}})", {{"image", image}}}));
    keep(session.run({"equalize", "{}", {{"image", image}}}));
    keep(session.run({"noise", "{}", {{"image", image}}}));
    keep(session.run({"arithmetic", R"({"op": "log"})", {{"image", image}}}));
    keep(session.run({"reduce", "{}", {{"array", levels}}}));
    keep(session.run({"fft", R"({"kind": "r2c"})", {{"array", levels}}}));
    keep(session.run({"diffusion_lb", R"({"iterations": 3})", {{"image", levels}}}));
    return all;
}

}  // namespace

TEST_CASE("the host's rounding, small numbers and traps change no result, and stay as they were") {
    std::fenv_t usual;
    std::fegetenv(&usual);
    std::vector<float> fractions(96 * 64);
    for (std::size_t i = 0; i < fractions.size(); ++i) fractions[i] = static_cast<float>(i % 509) * 0.37f - 90;
    fractions[7] = 1e-40f;
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const std::vector<std::vector<std::byte>> expected = results_of(spec, fractions);
        for (const Environment& environment : environments()) {
            CAPTURE(environment.name);
            environment.set();
            const std::vector<std::vector<std::byte>> results = results_of(spec, fractions);
            const bool held = environment.holds();
            std::fesetenv(&usual);
            CHECK(held);
            REQUIRE(results.size() == expected.size());
            for (std::size_t i = 0; i < results.size(); ++i) {
                CAPTURE(i);
                CHECK(results[i] == expected[i]);
            }
        }
    }
}
