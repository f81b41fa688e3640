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

TEST_CASE("plans: images of one shape and unlike spacing have each their own") {
    struct Row { const char *algorithm, *input, *axes, *output, *record; Json parameters; };
    const std::vector<Row> rows{
        {"hologram", "hologram", "yx", "amplitude", "planes", {{"wavelength_nm", 500}, {"distance_um", 100}}},
        {"hologram", "hologram", "yx", "amplitude", "planes",
         {{"wavelength_nm", 500}, {"distance_um", 100}, {"padding", "none"}, {"method", "fresnel"}}},
        {"box_count", "volume", "zyx", "", "counts", {{"anisotropy", "resample"}, {"threshold", 128}}},
    };
    engine::Engine engine(*host::enumerate().native(), Registry(all_algorithms()));
    const auto run = [&](Session& session, const Row& row, double side, const std::string& unit) {
        std::vector<ArrayDesc::Extent> extents;
        for (const char* axis = row.axes; *axis; ++axis) extents.push_back({*axis, 24});
        HostArray image = HostArray::make(ArrayDesc::dense(ElementType::u8, extents).with_unit(unit));
        for (Axis& axis : image.desc.axes) axis.spacing = axis.name == 'z' ? 2 * side : side;
        for (std::int64_t i = 0; i < image.desc.count(); ++i)
            image.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * i % 251);
        Call call;
        call.algorithm = &engine.registry().get(row.algorithm);
        call.parameters = call.algorithm->parameters.parse(row.parameters, "");
        call.inputs.emplace(row.input, session.upload(image));
        call.outputs = {row.record};
        if (*row.output) call.outputs.push_back(row.output);
        const CallResult result = session.run(call);
        std::vector<float> values;
        if (*row.output) {
            const HostArray made = session.download(result.outputs.at(row.output));
            values.assign(made.as<float>(), made.as<float>() + made.desc.count());
        }
        return std::pair(result.records.at(row.record), values);
    };
    const std::vector<std::pair<double, std::string>> spacings{{.5, "um"},    {1, "um"},    {1.5, "um"},
                                                               {.0015, "mm"}, {1500, "nm"}, {.5, "um"}};
    for (const Row& row : rows) {
        CAPTURE(std::string(row.algorithm));
        Session session(engine);
        for (const auto& [side, unit] : spacings) {
            CAPTURE(side);
            CAPTURE(unit);
            Session fresh(engine);
            const auto expected = run(fresh, row, side, unit), made = run(session, row, side, unit);
            CHECK(made.first == expected.first);
            CHECK(made.second == expected.second);
        }
    }
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
