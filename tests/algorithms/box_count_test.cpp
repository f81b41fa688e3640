// Box counts: the reference against boxes looked at one by one and against closed forms; every variant of every device against
// the reference; the line through the counts of fractals against published dimensions.
#include "box_count_bench.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::box_count;
using namespace parallax::tests::boxes;

TEST_CASE("box_count: the reference counts every box") {
    const Shape shapes[] = {{1, 1, 0},   {1, 1, 1},  {2, 1, 0},  {7, 5, 3},   {16, 16, 16},
                            {17, 33, 5}, {1, 1, 40}, {61, 2, 1}, {19, 70, 0}, {64, 64, 0}};
    unsigned seed = 1;
    for (const Shape& s : shapes) {
        CAPTURE(s[0]);
        const HostArray array = blobs(s, seed++);
        const std::vector<Boxes> counted = boxes_in(reference_record(array));
        if (s[2] != 1) CHECK(counted == one_by_one(array));   // one slice is an image: counted below
        const Algorithm algorithm = make_box_count();
        const BoxCountSpec spec = spec_of({{{"image", array.desc}}, algorithm.parameters.defaults(), {"counts"}});
        for (const int threads : {1, 3}) {
            const BoxCounts hou = hou_counts(spec, array.data(), threads).front();
            CHECK(hou == counted);
            CHECK(pyramid_counts(spec, array.data(), threads).front() == counted);
        }
    }
}

TEST_CASE("box_count: closed forms, on every variant of every device") {
    struct Row {
        Shape shape;
        Inside inside;
        std::function<Boxes(int m)> expected;
    };
    const auto power = [](std::uint64_t base, int exponent) {
        std::uint64_t p = 1;
        while (exponent-- > 0) p *= base;
        return p;
    };
    const auto fractal = [&](std::uint64_t base) {
        return [&, base](int m) { return Boxes{power(base, 6 - m), m == 0 ? power(base, 6) : 0}; };
    };
    const Shape volume{64, 64, 64}, image{64, 64, 0};
    const Row rows[] = {{volume, [](auto x, auto y, auto z) { return x < 45 && y < 45 && z < 45; },
                         [&](int m) {
                             return Boxes{power(static_cast<std::uint64_t>((45 + (1 << m) - 1) >> m), 3),
                                          power(static_cast<std::uint64_t>(45 >> m), 3)};
                         }},
                        {volume, [](auto x, auto y, auto z) { return ((x & y) | (x & z) | (y & z)) == 0; }, fractal(4)},
                        {volume, [](auto x, auto y, auto z) { return (x & y & z) == 0; }, fractal(7)},
                        {volume, [](auto, auto, auto) { return false; }, [](int) { return Boxes{}; }},
                        {image, [](auto x, auto y, auto) { return (x & y) == 0; }, fractal(3)}};
    for (const auto& device : tests::devices_under_test()) {
        Bench bench(device);
        for (const std::string& variant : bench.variants()) {
            INFO(tests::device_label(*device) << " " << variant);
            for (const Row& row : rows) {
                const std::vector<Boxes> boxes = boxes_in(bench.count(shape_of(row.shape, row.inside), variant));
                REQUIRE(boxes.size() == 7);
                for (int m = 0; m <= 6; ++m) {
                    CAPTURE(m);
                    CHECK(boxes[static_cast<std::size_t>(m)].any == row.expected(m).any);
                    CHECK(boxes[static_cast<std::size_t>(m)].all == row.expected(m).all);
                }
            }
        }
    }
}

TEST_CASE("box_count: random volumes and images of odd shapes, as the reference counts them") {
    for (const auto& device : tests::kernel_devices_under_test()) {
        Bench bench(device);
        for (const std::string& variant : bench.variants()) {
            INFO(tests::device_label(*device) << " " << variant);
            std::mt19937 random(7);
            for (unsigned i = 0; i < 200; ++i) {
                // hou has a program for each grid; the pyramid has one for any, beyond a tile and within it.
                const auto side = [&](std::int64_t most) {
                    return static_cast<std::int64_t>(random() % static_cast<unsigned>(most)) + 1;
                };
                Shape s = i % 3 == 0 ? Shape{side(200), side(200), 0} : Shape{side(150), side(50), side(100)};
                if (i % 4 == 0) s[0] = (s[0] + 15) / 16 * 16;
                if (variant == "hou")
                    s = i % 3 == 0 ? Shape{65 + side(63), side(100), 0} : Shape{32 + side(32), side(64), 2 + side(40)};
                CAPTURE(s[0]);
                CAPTURE(s[1]);
                CAPTURE(s[2]);
                const HostArray array = blobs(s, i);
                CHECK(bench.count(array, variant) == reference_record(array));
            }
        }
    }
}

TEST_CASE("box_count: tiles by the thousand, whose flags local memory does not hold") {
    const HostArray image = blobs({6600, 4100, 0}, 3);
    const Json expected = reference_record(image);
    for (const auto& device : tests::kernel_devices_under_test()) {
        Bench bench(device);
        for (const char* variant : {"pyramid", "simd"}) {
            const std::vector<std::string> there = bench.variants();
            if (std::find(there.begin(), there.end(), variant) == there.end()) continue;
            INFO(tests::device_label(*device) << " " << variant);
            CHECK(bench.count(image, variant, Json::object(), {{"tile", 32}}) == expected);
        }
    }
}

TEST_CASE("box_count: types, thresholds and labels, as the reference counts them") {
    const Shape odd{37, 21, 19}, even{48, 21, 19};
    const auto noise = [](std::int64_t i) { return static_cast<std::uint32_t>(i / 3) * 2654435761u; };
    std::vector<HostArray> arrays;
    arrays.push_back(
        filled<std::uint8_t>(ElementType::boolean, odd, [&](auto i) { return static_cast<std::uint8_t>(noise(i) >> 31); }));
    arrays.push_back(
        filled<std::uint8_t>(ElementType::u8, odd, [&](auto i) { return static_cast<std::uint8_t>(noise(i) >> 24); }));
    arrays.push_back(
        filled<std::int8_t>(ElementType::i8, even, [&](auto i) { return static_cast<std::int8_t>(noise(i) >> 24); }));
    arrays.push_back(filled<std::uint16_t>(ElementType::u16, even,
                                           [&](auto i) { return static_cast<std::uint16_t>((noise(i) >> 24) * 257); }));
    arrays.push_back(
        filled<std::int16_t>(ElementType::i16, odd, [&](auto i) { return static_cast<std::int16_t>((noise(i) >> 24) - 128u); }));
    arrays.push_back(filled<std::uint32_t>(ElementType::u32, even, [&](auto i) { return noise(i) & 0xf00000ffu; }));
    arrays.push_back(
        filled<std::int32_t>(ElementType::i32, odd, [&](auto i) { return static_cast<std::int32_t>(noise(i) & 0xf000003fu); }));
    arrays.push_back(filled<float>(ElementType::f32, even, [&](auto i) {
        return i % 11 == 0   ? NAN
               : i % 13 == 0 ? INFINITY
                             : static_cast<float>(noise(i) >> 24) - 100.5f + 0.5f * static_cast<float>(i % 2);
    }));
    arrays.push_back(filled<std::uint64_t>(ElementType::u64, odd, [&](auto i) {
        return i % 7 == 0 ? ~std::uint64_t{0} : std::uint64_t{noise(i) >> 24} << (i % 3 * 20);
    }));
    arrays.push_back(filled<std::int64_t>(ElementType::i64, odd, [&](auto i) {
        return i % 7 == 0 ? std::numeric_limits<std::int64_t>::min() : (std::int64_t{noise(i) >> 24} - 100) << (i % 3 * 20);
    }));
    arrays.push_back(filled<double>(ElementType::f64, odd, [&](auto i) {
        return i % 11 == 0   ? (i % 2 ? double{NAN} : -double{NAN})
               : i % 13 == 0 ? (i % 2 ? 1 : -1) * double{INFINITY}
               : i % 5 == 0  ? -0.0
                             : (noise(i) >> 24) - 100.5 + 0.5 * static_cast<double>(i % 2);
    }));
    const Json thresholds[] = {{{"threshold", 0}},
                               {{"threshold", -0.5}},
                               {{"threshold", 100.25}},
                               {{"threshold", -100}},
                               {{"threshold", 127}},
                               {{"threshold", 128}},
                               {{"threshold", 255}},
                               {{"threshold", 1e30}},
                               {{"threshold", -1e30}},
                               {{"labels", {1, 0, 200, -3, 70000}}},
                               {{"labels", {128, 127, 255}}, {"count", "grey"}}};
    const Json labels = thresholds[9];
    for (const auto& device : tests::kernel_devices_under_test()) {
        Bench bench(device);
        for (const HostArray& array : arrays)
            for (const Json& parameters : thresholds) {
                CAPTURE(array.desc.describe());
                CAPTURE(parameters.dump());
                CHECK(bench.count(array, "", parameters) == reference_record(array, parameters));
            }
        CHECK(bench.count(arrays[1], "hou", labels) == reference_record(arrays[1], labels));
        for (const int tile : {32, 128})
            CHECK(bench.count(arrays[1], "", labels, {{"tile", tile}}) == reference_record(arrays[1], labels));
    }
}

TEST_CASE("box_count: thresholds and labels of 64 bits are exact, wherever the numbers lie") {
    const unsigned seed = std::getenv("PARALLAX_TEST_SEED") ? static_cast<unsigned>(std::stoul(std::getenv("PARALLAX_TEST_SEED")))
                                                            : std::random_device{}();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    // 64 of 512 voxels are above 2^53, all others equal to it.
    for (const ElementType type : {ElementType::u64, ElementType::i64}) {
        const HostArray near =
            filled<std::uint64_t>(type, {8, 8, 8}, [](std::int64_t i) { return (std::uint64_t{1} << 53) + (i % 8 == 0); });
        for (const Json& threshold : {Json(9007199254740992.0), Json(9007199254740992)})
            CHECK(boxes_in(reference_record(near, {{"threshold", threshold}}))[0].any == 64);
        CHECK(boxes_in(reference_record(near, {{"threshold", 9007199254740993}}))[0].any == 0);
        CHECK(boxes_in(reference_record(near, {{"labels", 9007199254740993}}).at("labels")[0])[0].any == 64);
    }
    const std::uint64_t corners[] = {0,
                                     std::uint64_t{1} << 31,
                                     std::uint64_t{1} << 32,
                                     std::uint64_t{1} << 53,
                                     std::uint64_t{1} << 62,
                                     std::uint64_t{1} << 63,
                                     ~std::uint64_t{0}};
    const auto drawn = [&] { return corners[random() % 7] + (random() % 9) - 4; };   // around a corner, round the end of the type
    int draws = 0;
    for (const auto& device : tests::devices_under_test()) {
        Bench bench(device);
        for (int draw = 0; draw < 40; ++draw, ++draws) {
            const bool is_signed = draw % 2 == 0;
            const ElementType type = is_signed ? ElementType::i64 : ElementType::u64;
            const HostArray array = filled<std::uint64_t>(type, {6, 7, 8}, [&](std::int64_t) { return drawn(); });
            const std::uint64_t number = drawn(), first = drawn(), second = drawn();
            const auto json = [&](std::uint64_t v) { return is_signed ? Json(static_cast<std::int64_t>(v)) : Json(v); };
            std::uint64_t above = 0, equal[2] = {0, 0};
            for (std::int64_t i = 0; i < array.desc.count(); ++i) {
                const std::uint64_t v = array.as<std::uint64_t>()[i];
                above += is_signed ? static_cast<std::int64_t>(v) > static_cast<std::int64_t>(number) : v > number;
                equal[0] += v == first;
                equal[1] += v == second;
            }
            INFO(tests::device_label(*device)
                 << " " << json(number).dump() << " " << json(first).dump() << " " << json(second).dump());
            CHECK(boxes_in(bench.count(array, "", {{"threshold", json(number)}}))[0].any == above);
            if (first == second) continue;
            const Json labels = bench.count(array, "", {{"labels", {json(first), json(second)}}}).at("labels");
            for (std::size_t l = 0; l < 2; ++l) CHECK(boxes_in(labels[l])[0].any == equal[l]);
            CHECK(labels[0].at("label") == json(first));
        }
    }
    MESSAGE(draws << " draws around 0, 2^31, 2^32, 2^53, 2^62, 2^63 and 2^64");
    // Floats beside integers that no double is.
    const HostArray doubles =
        filled<double>(ElementType::f64, {4, 4, 4}, [](std::int64_t i) { return i % 2 == 0 ? 0x1p53 : 0x1p53 + 2; });
    CHECK(boxes_in(reference_record(doubles, {{"threshold", 9007199254740993}}))[0].any == 32);   // 2^53 + 1 is nearest to 2^53
    CHECK(boxes_in(reference_record(doubles, {{"threshold", 9007199254740991}}))[0].any == 64);
    CHECK(boxes_in(reference_record(doubles, {{"labels", 9007199254740993}}).at("labels")[0])[0].any == 0);
    CHECK(boxes_in(reference_record(doubles, {{"labels", 9007199254740994}}).at("labels")[0])[0].any == 32);
}

TEST_CASE("box_count: labels by name, and hundreds of them") {
    const HostArray atlas = filled<std::uint16_t>(ElementType::u16, {40, 30, 20}, [](std::int64_t i) {
        return static_cast<std::uint16_t>((i % 40 / 2) + 20 * (i / 40 % 30 / 2));
    });
    std::vector<int> all;
    for (int label = 0; label < 700; ++label) all.push_back(label);   // more than are folded at a time, and more than there are
    const Json many{{"labels", all}}, named{{"labels", {{"7", "thalamus"}, {"3", "putamen"}, {"299", "<vermis>"}}}};
    const Json hundred{{"labels", std::vector<int>(all.begin(), all.begin() + 100)}};
    const Json record = reference_record(atlas, many);
    CHECK(record.at("labels").size() == 700);
    CHECK(boxes_in(record.at("labels")[7])[0].any == 80);
    CHECK(boxes_in(record.at("labels")[400])[0].any == 0);
    const Json names = reference_record(atlas, named).at("labels");
    REQUIRE(names.size() == 3);
    CHECK(names[0].at("label") == 7);   // in the order of the job
    CHECK(names[0].at("name") == "thalamus");
    CHECK(names[1].at("name") == "putamen");
    CHECK_FALSE(record.at("labels")[0].contains("name"));
    CHECK(plot_of(reference_record(atlas, named)).find("&lt;vermis>") != std::string::npos);
    for (const auto& device : tests::kernel_devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        CHECK(bench.count(atlas, "", named) == reference_record(atlas, named));
        CHECK(bench.count(atlas, "", hundred) == reference_record(atlas, hundred));   // Mesa 22 cuts a loop over so many
        CHECK(bench.count(atlas, "", many) == record);
        CHECK(bench.count_in_slabs(atlas, "", 7, many) == record);   // 64 at a time: eleven readings
    }
    const Algorithm algorithm = make_box_count();
    const auto refused = [&](const Json& labels) {
        CHECK_THROWS_AS(algorithm.parameters.parse({{"labels", labels}}, ""), ConfigError);
    };
    refused({{"seven", "thalamus"}});
    refused({{"7", 3}});
    refused({{"7", "a"}, {"07", "b"}});
    refused(Json::object());
    refused(Json::array());
    refused({1, 2.5});
    refused("7");
    refused(std::vector<int>(4097, 1));
    CHECK(algorithm.parameters.parse(named, "").to_json().at("labels") == named.at("labels"));
    CHECK(algorithm.parameters.parse({{"labels", {1, 2}}}, "").to_json().at("labels") == Json{1, 2});
}

TEST_CASE("box_count: slabs of any height count as one piece does") {
    const HostArray volume = blobs({75, 40, 150}, 11), image = blobs({75, 150, 0}, 12), bits = blobs({10, 21, 70}, 13);
    const Json labels{{"labels", {255, 0}}}, packed{{"packed_width", 77}};
    for (const auto& device : tests::kernel_devices_under_test()) {
        Bench bench(device);
        for (const std::string& variant : bench.variants()) {
            INFO(tests::device_label(*device) << " " << variant);
            if (variant == "hou") {
                CHECK_THROWS_AS(bench.count_in_slabs(volume, variant, 10), UnsupportedError);
                continue;
            }
            for (const std::int64_t height : {1, 37, 64, 100, 150}) {
                CAPTURE(height);
                CHECK(bench.count_in_slabs(volume, variant, height) == reference_record(volume));
            }
            CHECK(bench.count_in_slabs(volume, variant, 70, labels) == reference_record(volume, labels));
            CHECK(bench.count_in_slabs(image, variant, 19) == reference_record(image));
            CHECK(bench.count_in_slabs(bits, variant, 33, packed) == reference_record(bits, packed));
        }
    }
}

TEST_CASE("box_count: the carpet and the Menger sponge") {
    const auto ones = [](std::int64_t v) {   // which ternary digits are 1
        unsigned digits = 0;
        for (int at = 0; v > 0; v /= 3, ++at) digits |= static_cast<unsigned>(v % 3 == 1) << at;
        return digits;
    };
    std::vector<unsigned> middle;
    for (std::int64_t i = 0; i < 729; ++i) middle.push_back(ones(i));
    const auto at = [&](std::int64_t i) { return middle[static_cast<std::size_t>(i)]; };
    const HostArray carpet = shape_of({729, 729, 0}, [&](auto x, auto y, auto) { return (at(x) & at(y)) == 0; });
    const std::uint64_t carpet_boxes[] = {262144, 82680, 23340, 6520, 1768, 456, 134, 35, 9, 4, 1};
    HostArray sponge = HostArray::make(desc_of(ElementType::u8, {729, 729, 729}));
    std::uint8_t* to = sponge.as<std::uint8_t>();
    for (const unsigned z : middle)
        for (const unsigned y : middle)
            for (const unsigned x : middle) *to++ = ((x & y) | (x & z) | (y & z)) == 0;
    const std::uint64_t sponge_boxes[] = {64000000, 14348848, 2432160, 398204, 61216, 8208, 1424, 200, 27, 8, 1};
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        const Json flat = bench.count(carpet, "", {{"fit", {{"from", 3}, {"to", 8}}}});
        CHECK(std::abs(flat.at("dimension").get<double>() - 1.8928) < 5e-5);
        for (std::size_t m = 0; m < 11; ++m) CHECK(boxes_in(flat)[m].any == carpet_boxes[m]);
        const std::string& platform = bench.device().platform;
        if (platform == "rusticl" || platform == "Oclgrind") continue;   // 400 MB are too many for them
        const Json deep = bench.count(sponge, bench.device().backend == host::Backend::native ? "threaded" : "");
        CHECK(std::abs(deep.at("dimension").get<double>() - 2.7175) < 5e-5);
        CHECK(deep.at("fit").at("from") == 1);
        CHECK(deep.at("fit").at("to") == 8);
        CHECK(deep.at("levels").at(1).at("black") == 762816);
        CHECK(deep.at("levels").at(1).at("white") == (std::uint64_t{1} << 27) - 14348848);
        for (std::size_t m = 0; m < 11; ++m) CHECK(boxes_in(deep)[m].any == sponge_boxes[m]);
    }
}

TEST_CASE("box_count: the grey matter of the MNI template") {
    const char* const folder = std::getenv("PARALLAX_TEST_DATA");
    const std::filesystem::path path =
        std::filesystem::path(folder != nullptr ? folder : "../shared/data") / "brain/mni_icbm152_gm_2009a.nii.gz";
    if (!std::filesystem::exists(path)) {
        MESSAGE("skipped, no file " << path.string() << ": set PARALLAX_TEST_DATA");
        return;
    }
    const HostArray brain = io::read(path);
    const std::uint64_t boxes[] = {1079599, 167969, 27309, 4343, 702, 128, 32, 8, 1};
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        const Json counted = Bench(device).count(brain, "", {{"threshold", 127}, {"fit", {{"from", 1}, {"to", 5}}}});
        for (std::size_t m = 0; m < 9; ++m) CHECK(boxes_in(counted)[m].any == boxes[m]);
        CHECK(counted.at("levels").at(1).at("black") == 100945);
        CHECK(std::abs(counted.at("dimension").get<double>() - 2.5997) < 5e-5);
    }
}
