// What is made of box counts: the sizes that are fitted, the line through them, units, and the plot.
#include "box_count_bench.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::box_count;
using namespace parallax::tests::boxes;

namespace {

/// Which ternary digits of a coordinate are 1.
unsigned ones_of(std::int64_t v) {
    unsigned digits = 0;
    for (int at = 0; v > 0; v /= 3, ++at) digits |= static_cast<unsigned>(v % 3 == 1) << at;
    return digits;
}

}  // namespace

TEST_CASE("box_count: \"fit\": \"auto\" keeps to sizes whose boxes are neither few nor full") {
    const auto carpet = [](auto x, auto y, auto) { return (ones_of(x) & ones_of(y)) == 0; };
    const auto menger = [](auto x, auto y, auto z) {
        return ((ones_of(x) & ones_of(y)) | (ones_of(x) & ones_of(z)) | (ones_of(y) & ones_of(z))) == 0;
    };
    const auto dust = [](auto x, auto y, auto z) { return ones_of(x) == 0 && ones_of(y) == 0 && ones_of(z) == 0; };
    const auto vicsek = [](int depth) {
        return [depth](std::int64_t x, std::int64_t y, std::int64_t) {
            for (int i = 0; i < depth; ++i, x /= 3, y /= 3)
                if (x % 3 != 1 && y % 3 != 1) return false;
            return true;
        };
    };
    const auto flat_dust = [&](auto x, auto y, auto) { return dust(x, y, 0); };
    struct Row {   // docs/theory/box_counting.md#the-dimension, powers of two
        const char* name;
        Shape shape;
        Inside inside;
        double dimension;
        int from, to;      // edges
        bool stable;
    };
    const Row rows[] = {{"menger 243", {243, 243, 243}, menger, 2.6108, 2, 16, true},
                        {"carpet 729", {729, 729, 0}, carpet, 1.8727, 2, 32, true},
                        {"cantor^2 243", {243, 243, 0}, flat_dust, 1.3356, 4, 32, false},
                        {"cantor^2 729", {729, 729, 0}, flat_dust, 1.3631, 8, 128, true},
                        {"cantor^3 243", {243, 243, 243}, dust, 2.0034, 4, 32, false},
                        {"vicsek 243", {243, 243, 0}, vicsek(5), 1.3177, 2, 32, true},
                        {"vicsek 729", {729, 729, 0}, vicsek(6), 1.4225, 4, 128, true},
                        {"triangle 512", {512, 512, 0}, [](auto x, auto y, auto) { return (x & y) == 0; }, 1.5850, 2, 128, true}};
    const Json parameters{{"fit", "auto"}};
    for (const auto& device : tests::devices_under_test()) {
        Bench bench(device);
        const bool slow = bench.device().platform == "rusticl" || bench.device().platform == "Oclgrind";
        for (const Row& row : rows) {
            INFO(tests::device_label(*device) << " " << row.name);
            if (slow && row.shape[2] > 0) continue;
            const Json record = bench.count(shape_of(row.shape, row.inside), "", parameters);
            CHECK(std::abs(record.at("dimension").get<double>() - row.dimension) < 2e-4);
            CHECK((1 << record.at("fit").at("from").get<int>()) == row.from);
            CHECK((1 << record.at("fit").at("to").get<int>()) == row.to);
            CHECK(record.at("fit").at("stable") == row.stable);
            CHECK((record.at("fit").at("change").get<double>() <= .2) == row.stable);
            CHECK(record.at("fit").at("cover").get<double>() <= .9);
        }
        const Json none = bench.count(shape_of({243, 243, 0}, carpet), "", parameters);
        CHECK(none.at("dimension").is_null());
        CHECK(none.at("why_no_dimension").get<std::string>().find("no four sizes") != std::string::npos);
        // A square of 200 in an image of 256, wherever it lies: what counts is the box around it.
        for (const std::int64_t at : {0, 31, 56}) {
            const Json square = bench.count(
                shape_of({256, 256, 0}, [=](auto x, auto y, auto) { return std::min(x, y) >= at && std::max(x, y) < at + 200; }),
                "", parameters);
            CHECK(square.at("extent") == Json{200, 200});
            if (at == 0) CHECK(square.at("dimension") == 2.0);
            if (at == 0) CHECK(square.at("fit").is_null());
            if (at == 0) CHECK(plot_of(square).find("it fills its box") != std::string::npos);
        }
        const Json line = bench.count(shape_of({200, 3, 0}, [](auto, auto y, auto) { return y == 1; }), "", parameters);
        CHECK(line.at("dimension").is_null());   // thin: it fills its box, which says nothing
        CHECK(
            bench.count(shape_of({64, 64, 64}, [](auto, auto, auto) { return false; }), "", parameters).at("why_no_dimension") ==
            "auto: no voxel is set");
    }
}

TEST_CASE("box_count: \"fit\": \"auto\" knows the box around each set, by every variant, in slabs, for each label") {
    std::mt19937 random(11);
    for (const auto& device : tests::devices_under_test()) {
        Bench bench(device);
        for (int round = 0; round < 4; ++round) {
            HostArray array = round == 3 ? blobs({75, 90, 0}, 40) : blobs({75, 40, 70}, static_cast<unsigned>(30 + round));
            const std::size_t empty = array.desc.dense_bytes() / 8;
            std::fill_n(array.data(), empty + random() % empty, std::byte{0});   // a box that begins somewhere
            if (round == 1) array.desc = array.desc.with_spacing('z', 1.3);
            Json parameters{{"fit", "auto"}};
            if (round == 1) parameters.update({{"anisotropy", "resample"}, {"surface", true}});
            if (round == 2) parameters.update({{"labels", {255, 0, 9}}, {"origin", "bounding_box"}, {"offsets", 2}});
            const Json expected = reference_record(array, parameters);
            INFO(tests::device_label(*device) << " " << parameters.dump());
            for (const std::string& variant : bench.variants()) {
                if (variant == "hou" && (round == 1 || round == 2)) continue;
                CAPTURE(variant);
                CHECK(bench.count(array, variant, parameters) == expected);
            }
            if (device->info().backend == host::Backend::native) continue;
            for (const std::int64_t height : {1, 33, 70}) CHECK(bench.count_in_slabs(array, "", height, parameters) == expected);
        }
    }
}

TEST_CASE("box_count: the line through the counts, and what it cannot be drawn through") {
    const HostArray gasket = shape_of({64, 64, 0}, [](auto x, auto y, auto) { return (x & y) == 0; });
    const Json automatic = reference_record(gasket, {{"fit", "auto"}});
    CHECK(std::abs(automatic.at("dimension").get<double>() - std::log2(3.0)) < 1e-12);
    CHECK(automatic.at("fit").at("from") == 1);
    CHECK(automatic.at("fit").at("to") == 4);   // 9 boxes of 16; 3 of 32 are few
    CHECK(automatic.at("fit").at("stable") == true);
    CHECK(std::abs(automatic.at("r").get<double>() - 1) < 1e-12);
    CHECK(automatic.at("standard_error").get<double>() < 1e-6);
    CHECK(std::abs(automatic.at("levels").at(2).at("slope").get<double>() - std::log2(3.0)) < 1e-12);
    CHECK(automatic.at("levels").at(6).at("slope").is_null());

    const HostArray empty = shape_of({64, 64, 64}, [](auto, auto, auto) { return false; });
    for (const Json& parameters : {Json::object(), Json{{"fit", "auto"}}}) {
        const Json none = reference_record(empty, parameters);
        CHECK(none.at("dimension").is_null());
        CHECK(none.contains("why_no_dimension"));
    }
    CHECK(reference_record(gasket, {{"count", "black"}}).at("dimension").is_null());
    CHECK(reference_record(shape_of({1, 1, 0}, [](auto, auto, auto) { return true; })).at("dimension").is_null());
}

TEST_CASE("box_count: units, and what is refused") {
    HostArray array = shape_of({20, 20, 20}, [](auto x, auto y, auto z) { return x + y + z < 20; });
    array.desc = array.desc.with_unit("mm").with_spacing('x', .5).with_spacing('y', .5).with_spacing('z', .5);
    CHECK(reference_record(array).at("levels").at(3).at("edge") == 4.0);
    CHECK(reference_record(array).at("unit") == "mm");
    HostArray nameless = array;
    nameless.desc = array.desc.with_unit("");
    CHECK(reference_record(nameless).at("unit") == "unstated");   // a spacing of .5 is no voxel's
    CHECK(plot_of(reference_record(nameless)).find("unit not stated") != std::string::npos);
    CHECK(reference_record(shape_of({8, 8, 8}, [](auto, auto, auto) { return true; })).at("unit") == "voxel");
    array.desc = array.desc.with_spacing('z', 2);
    CHECK_THROWS_AS(reference_record(array), ConfigError);
    CHECK(reference_record(array, {{"anisotropy", "ignore"}}).at("levels").at(1).at("edge") == Json{1.0, 1.0, 4.0});

    const Algorithm algorithm = make_box_count();
    const auto refused = [&](const ArrayDescs& inputs, const Json& parameters = Json::object()) {
        CHECK_THROWS_AS(algorithm.infer({inputs, algorithm.parameters.parse(parameters, ""), {"counts"}}), ConfigError);
    };
    const ArrayDesc good = desc_of(ElementType::u8, {4, 4, 4});
    refused({});
    refused({{"volume", good}, {"image", good}});
    refused({{"volume", good.with_type(ElementType::c64)}});
    refused({{"volume", ArrayDesc::dense(ElementType::u8, {{'c', 3}, {'y', 4}, {'x', 4}})}});
    refused({{"volume", ArrayDesc::dense(ElementType::u8, {{'x', 4}})}});
    refused({{"volume", desc_of(ElementType::u8, {0, 4, 4})}});
    refused({{"volume", good}}, {{"packed_width", 4}});
    refused({{"volume", good.with_type(ElementType::u16)}}, {{"packed_width", 32}});
    refused({{"volume", good}}, {{"packed_width", 32}, {"threshold", 1}});
    refused({{"volume", good}}, {{"packed_width", 32}, {"labels", {1}}});
    refused({{"volume", good.with_spacing('z', 1e9)}}, {{"anisotropy", "resample"}});
    refused({{"volume", good.with_spacing('z', 1e5 * 4)}}, {{"anisotropy", "resample"}});
    refused({{"volume", good}}, {{"fit", "auto"}});
    refused({{"volume", good}}, {{"fit", {{"from", 1}, {"to", 3}}}});
    refused({{"volume", good}}, {{"fit", {{"from", 2}, {"to", 2}}}});
}

TEST_CASE("box_count: the plot shows every size that has boxes, filled where it is fitted") {
    const auto occurrences = [](const std::string& text, const std::string& word) {
        std::size_t n = 0;
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
        return n;
    };
    HostArray gasket = shape_of({64, 64, 0}, [](auto x, auto y, auto) { return (x & y) == 0; });
    gasket.desc = gasket.desc.with_unit("<um>").with_spacing('x', .5).with_spacing('y', .5);
    const std::string plot = plot_of(reference_record(gasket, {{"fit", {{"from", 1}, {"to", 4}}}}));
    CHECK(plot.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK(plot.ends_with("</svg>\n"));
    CHECK(occurrences(plot, "<circle") == 7);
    CHECK(occurrences(plot, R"(fill="#fff" stroke)") == 3);
    CHECK(occurrences(plot, "Dimension 1.5850") == 1);
    CHECK(occurrences(plot, ">Box edge, &lt;um><") == 1);
    CHECK(occurrences(plot, ">32<") == 1);   // the largest edge, in um
    const std::string labels = plot_of(reference_record(gasket, {{"labels", {255, 9}}}));
    CHECK(occurrences(labels, "label 255: 1.5850") == 1);
    CHECK(occurrences(labels, "label 9: none") == 1);
    CHECK(occurrences(labels, "<circle") == 9);
    const std::string empty = plot_of(reference_record(shape_of({64, 64, 0}, [](auto, auto, auto) { return false; })));
    CHECK(occurrences(empty, "<circle") == 0);
    CHECK(occurrences(empty, "No dimension: ") == 1);
    const std::string point = plot_of(reference_record(shape_of({1, 1, 0}, [](auto, auto, auto) { return true; })));
    CHECK(occurrences(point, "nan") + occurrences(point, "inf") == 0);

    for (const auto& device : tests::devices_under_test()) {
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        Session session(engine);
        const Algorithm algorithm = make_box_count();
        Call call;
        call.algorithm = &algorithm;
        call.parameters = algorithm.parameters.parse({{"fit", {{"from", 1}, {"to", 4}}}}, "");
        call.inputs["image"] = session.upload(gasket);
        call.outputs = {"counts", "plot"};
        CHECK(session.run(call).records.at("plot") == plot);
    }
}
