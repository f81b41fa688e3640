#include "devices.hpp"

#include "core/session.hpp"
#include "parallax/host/enumerate.hpp"
#include "registry/registry.hpp"

#include <doctest/doctest.h>

using namespace parallax;
using namespace parallax::engine;

TEST_CASE("plans: a session that goes leaves none behind, although somebody still holds one") {
    engine::Engine engine(*host::enumerate().native(), Registry(all_algorithms()));
    PlannedCall held;
    {
        Session session(engine);
        Call call;
        call.algorithm = &engine.registry().get("box_filter");
        call.parameters = call.algorithm->parameters.defaults();
        const ArrayDescs image{{"image", ArrayDesc::dense(ElementType::u8, {{'y', 8}, {'x', 8}})}};
        held = session.plan(call, image);
        CHECK(engine.plans().size() == 1);
        CHECK(engine.plans().trim() == 0);   // it is held
        CHECK(engine.plans().size() == 1);
    }
    // Another session may come to the same place in memory, on a device that was opened anew.
    CHECK(engine.plans().size() == 0);
    CHECK(engine.plans().bytes() == 0);
}

TEST_CASE("plans: a call that comes again asks no variant anew whether it can") {
    int asked = 0;
    std::vector<Algorithm> algorithms = all_algorithms();
    for (Algorithm& algorithm : algorithms)
        for (Variant& variant : algorithm.variants)
            variant.supports = [&asked, supports = variant.supports](const Problem& problem, host::Context& context) {
                ++asked;
                return supports(problem, context);
            };
    engine::Engine engine(*host::enumerate().native(), Registry(std::move(algorithms)));
    Session session(engine);
    Call call;
    call.algorithm = &engine.registry().get("box_filter");
    call.parameters = call.algorithm->parameters.parse({{"radius", 2}}, "");
    const auto plan = [&](std::int64_t width) {
        return session.plan(call, {{"image", ArrayDesc::dense(ElementType::u8, {{'y', 8}, {'x', width}})}}).about.variant;
    };
    const auto asks = [&](const auto& work) {
        const int before = asked;
        work();
        return asked > before;
    };
    const std::string variant = plan(8);
    CHECK_FALSE(asks([&] { CHECK(plan(8) == variant); }));
    CHECK(asks([&] { plan(9); }));
    CHECK_FALSE(asks([&] { plan(8); }));
    call.parameters = call.algorithm->parameters.parse({{"radius", 3}}, "");
    CHECK(asks([&] { plan(8); }));
    call.variant = "reference";
    CHECK(asks([&] { CHECK(plan(8) == "reference"); }));
    CHECK_FALSE(asks([&] { CHECK(plan(8) == "reference"); }));
    call.variant = "simd";   // does not run there: so it is told each time
    for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(plan(8), UnsupportedError);
    call.variant.clear();
    for (std::int64_t width = 100; width < 500; ++width) plan(width);   // more than are kept
    CHECK(plan(8) == variant);
}
