// crop and select: parts of arrays of every type and number of axes, against indices written out.
#include "algorithms/elementwise/copy_view.hpp"
#include "parallax/host/error.hpp"
#include "steps.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace parallax::engine {
Algorithm make_crop();
Algorithm make_select();
}

namespace {

ArrayDesc volume(ElementType type) {
    return ArrayDesc::dense(type, {{'t', 3}, {'z', 5}, {'y', 7}, {'x', 24}, {'c', 2}})
        .with_spacing('x', 0.5)
        .with_spacing('z', 2)
        .with_unit("um");
}

}  // namespace

TEST_CASE("crop and select: what is taken") {
    const ArrayDesc desc = ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 3}, {'x', 4}}).with_spacing('y', 3).with_unit("um");
    std::vector<std::uint8_t> list(24);
    for (std::size_t i = 0; i < 24; ++i) list[i] = static_cast<std::uint8_t>(i);
    const NamedValues image{{"image", values_of(desc, list)}};
    using B = std::vector<std::uint8_t>;
    const Values box = reference_of(make_crop(), {{"x", {1, 2}}, {"y", {0, 2}}}, image).arrays.at("image");
    CHECK(box.list<std::uint8_t>() == B{1, 2, 5, 6, 13, 14, 17, 18});
    CHECK(box.desc == ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 2}, {'x', 2}}).with_spacing('y', 3).with_unit("um"));
    const Values slice = reference_of(make_select(), {{"axis", "z"}, {"index", -1}}, image).arrays.at("image");
    CHECK(slice.list<std::uint8_t>() == B{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
    CHECK(slice.desc == ArrayDesc::dense(ElementType::u8, {{'y', 3}, {'x', 4}}).with_spacing('y', 3).with_unit("um"));
    CHECK(reference_of(make_select(), {{"axis", "x"}, {"index", 2}}, image).arrays.at("image").list<std::uint8_t>() ==
          B{2, 6, 10, 14, 18, 22});
}

TEST_CASE("crop and select: devices copy what the reference copies") {
    const Json crops[] = {Json::object(),
                          {{"x", {1, 22}}, {"t", {1, 1}}},
                          {{"x", {8, 16}}, {"z", {1, 3}}},
                          {{"t", {1, 2}}, {"z", {2, 3}}, {"y", {3, 2}}, {"x", {5, 11}}, {"c", {1, 1}}},
                          {{"y", {6, 1}}}};
    const Json selects[] = {{{"axis", "c"}, {"index", 1}},
                            {{"axis", "t"}, {"index", 2}},
                            {{"axis", "z"}, {"index", 0}},
                            {{"axis", "x"}, {"index", 3}}};
    each_kernel_device([&](StepBench& bench) {
        const auto check = [&](const Algorithm& algorithm, const Json& parameters, const Values& image,
                               const Json& policy = Json::object()) {
            CAPTURE(parameters.dump());
            CAPTURE(image.desc.describe());
            const Values want = reference_of(algorithm, parameters, {{"image", image}}).arrays.at("image");
            const Values got = bench.run(algorithm, parameters, {{"image", image}}, {}, policy).arrays.at("image");
            CHECK(got.desc == want.desc);
            CHECK(got.bytes == want.bytes);
        };
        for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::f32, ElementType::c128}) {
            const Values image = random_values(volume(type));
            for (const Json& parameters : crops) check(make_crop(), parameters, image);
            for (const Json& parameters : selects) check(make_select(), parameters, image);
        }
        const Values wide =
            random_values(ArrayDesc::dense(ElementType::u8, {{'y', 3}, {'x', 100003}}));   // several segments a row
        check(make_crop(), {{"x", {1, 99999}}}, wide);
        check(make_crop(), {{"x", {1, 99999}}}, wide, {{"work_group_size", 64}});
        check(make_crop(), {{"x", {3, 5}}, {"y", {1, 2}}}, wide, {{"work_group_size", 64}});   // several rows a work-group
        check(make_select(), {{"axis", "y"}, {"index", 1}}, wide);
        check(make_crop(), Json::object(), random_values(row_of(ElementType::u8, 0)));
        check(make_crop(), Json::object(), random_values(row_of(ElementType::u8, 1)));
    });
}

TEST_CASE("rows of a view: axes without gaps are one, and words as large as alignment admits") {
    using elementwise::rows_of;
    const auto whole = rows_of(ArrayDesc::dense(ElementType::u8, {{'z', 3}, {'y', 8}, {'x', 16}}));
    CHECK(whole.word_bytes == 16);
    CHECK(whole.count == 1);
    CHECK(whole.length == 24);
    ArrayDesc part = ArrayDesc::dense(ElementType::u8, {{'y', 8}, {'x', 16}});
    part.offset = 4;
    part.axes[1].size = 8;
    CHECK(rows_of(part).word_bytes == 4);
    CHECK(rows_of(part).count == 8);
    part.offset = 5;
    CHECK(rows_of(part).word_bytes == 1);
}

TEST_CASE("crop and select: what is not there is refused") {
    const auto refused = [](const Algorithm& algorithm, const Json& parameters, const ArrayDesc& image, const char* pointer) {
        CAPTURE(parameters.dump());
        try {
            algorithm.infer({{{"image", image}}, algorithm.parameters.parse(parameters, ""), {"image"}});
            FAIL("not refused");
        } catch (const ConfigError& e) {
            CHECK(e.pointer == pointer);
        }
    };
    const ArrayDesc grey = ArrayDesc::dense(ElementType::u8, {{'y', 4}, {'x', 6}});
    refused(make_crop(), {{"x", {0, 7}}}, grey, "/x");
    refused(make_crop(), {{"x", {6, 1}}}, grey, "/x");
    refused(make_crop(), {{"y", {2147483647, 2147483647}}}, grey, "/y");
    refused(make_crop(), {{"x", {2, 0}}}, grey, "/x");
    refused(make_crop(), {{"z", {0, 1}}}, grey, "/z");
    refused(make_select(), {{"axis", "z"}, {"index", 0}}, grey, "/axis");
    refused(make_select(), {{"axis", "x"}, {"index", 6}}, grey, "/index");
    refused(make_select(), {{"axis", "x"}, {"index", -7}}, grey, "/index");
    refused(make_select(), {{"axis", "x"}, {"index", 0}}, ArrayDesc::dense(ElementType::u8, {{'x', 6}}), "/inputs/image");
}
