// Box counts of outlines, on moved grids and of resampled voxels.
#include <algorithm>
#include <iterator>
#include <random>

#include "box_count_bench.hpp"
#include "seed.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::box_count;
using namespace parallax::tests::boxes;

TEST_CASE("box_count: outlines, moved grids, resampling and bits, as they must come out") {
    const auto levels = [](const HostArray& array, const Json& parameters = Json::object()) {
        return boxes_in(reference_record(array, parameters));
    };
    const auto cube = [](std::int64_t at, std::int64_t side) {
        return shape_of({64, 40, 50}, [=](auto x, auto y, auto z) {
            return std::min({x, y, z}) >= at && std::max({x, y, z}) < at + side;
        });
    };
    // A cube's outline is the cube without the one inside; at the array's edge there is none.
    CHECK(levels(cube(3, 20), {{"surface", true}})[0].any == 20 * 20 * 20 - 18 * 18 * 18);
    CHECK(levels(cube(0, 20), {{"surface", true}})[0].any == 20 * 20 * 20 - 19 * 19 * 19);
    CHECK(levels(shape_of({9, 9, 0}, [](auto, auto, auto) { return true; }), {{"surface", true}})[0].any == 0);
    // The box around it is what is counted, wherever it lies.
    CHECK(levels(cube(13, 16), {{"origin", "bounding_box"}}) == levels(cube(0, 16)));
    CHECK(levels(cube(13, 16))[3].all < levels(cube(0, 16))[3].all);
    // Of two grids along each axis one begins a third of a box before the voxels; each is counted by itself here.
    const HostArray volume = blobs({37, 21, 19}, 5);
    const Json two = reference_record(volume, {{"offsets", 2}});
    std::vector<Boxes> fewest = levels(volume);
    for (int i = 1; i < 8; ++i) {
        const std::int64_t third = 64 / 3, sx = i % 2 * third, sy = i / 2 % 2 * third, sz = i / 4 * third;
        const HostArray moved = shape_of({37 + third, 21 + third, 19 + third}, [&](auto x, auto y, auto z) {
            return x >= sx && y >= sy && z >= sz && x - sx < 37 && y - sy < 21 && z - sz < 19 &&
                   volume.as<std::uint8_t>()[((z - sz) * 21 + y - sy) * 37 + x - sx] > 0;
        });
        const std::vector<Boxes> boxes = one_by_one(moved);
        for (std::size_t m = 0; m < fewest.size(); ++m)
            if (boxes[m].any < fewest[m].any) fewest[m] = boxes[m];
    }
    CHECK(boxes_in(two) == fewest);
    CHECK(two.at("offsets") == 2);
    for (const Json& level : two.at("levels"))
        for (const Json& shift : level.at("offset")) CHECK((shift == 0 || shift == 21 % level.at("edge_voxels").get<int>()));
    // Slices twice and rows three times as far apart as columns.
    HostArray flat = blobs({30, 10, 15}, 6);
    flat.desc = flat.desc.with_unit("mm").with_spacing('x', .5).with_spacing('y', 1.5).with_spacing('z', 1);
    const HostArray tall = shape_of(
        {30, 30, 30}, [&](auto x, auto y, auto z) { return flat.as<std::uint8_t>()[(z / 2 * 10 + y / 3) * 30 + x] > 0; });
    CHECK(levels(flat, {{"anisotropy", "resample"}}) == levels(tall));
    CHECK(reference_record(flat, {{"anisotropy", "resample"}}).at("levels").at(2).at("edge") == 2.0);
    CHECK(reference_record(flat, {{"anisotropy", "resample"}}).at("resampled") == Json{30, 30, 30});
}

TEST_CASE("box_count: resampled voxels lie where their distance says, for any anisotropy") {
    const unsigned seed = std::getenv("PARALLAX_TEST_SEED") ? static_cast<unsigned>(std::stoul(std::getenv("PARALLAX_TEST_SEED")))
                                                            : std::random_device{}();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937 random(seed);
    const Algorithm algorithm = make_box_count();
    const Json resample{{"anisotropy", "resample"}};
    for (int draw = 0; draw < 200; ++draw) {
        const auto side = [&] { return static_cast<std::int64_t>(random() % 90) + 2; };
        const Shape size{side(), side(), side()};
        std::array<double, 3> spacing{};
        for (double& s : spacing) s = static_cast<double>(1 + random() % 4000) / 1000;
        HostArray array = blobs(size, static_cast<unsigned>(random()));
        array.desc = array.desc.with_spacing('x', spacing[0]).with_spacing('y', spacing[1]).with_spacing('z', spacing[2]);
        CAPTURE(array.desc.describe());
        const BoxCountSpec spec = spec_of({{{"volume", array.desc}}, algorithm.parameters.parse(resample, ""), {"counts"}});
        const double shortest = *std::min_element(spacing.begin(), spacing.end());
        const auto samples = spec.samples();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double length = static_cast<double>(size[axis]) * spacing[axis];
            // All middles lie in the array, and the next one would not.
            CHECK(samples[axis].size() == static_cast<std::size_t>(spec.size[axis]));
            CHECK((static_cast<double>(spec.size[axis]) - .5) * shortest <= std::max(length, shortest) * (1 + 1e-12));
            CHECK((static_cast<double>(spec.size[axis]) + .5) * shortest >= length * (1 - 1e-12));
            for (std::size_t i = 0; i < samples[axis].size();
                 ++i) {   // the middle of each lies in the voxel that it is taken from
                const double middle = (static_cast<double>(i) + .5) * shortest, first = samples[axis][i] * spacing[axis];
                CHECK(middle >= first * (1 - 1e-9));
                CHECK(middle <= (first + spacing[axis]) * (1 + 1e-9));
            }
        }
        const std::int64_t voxels = spec.size[0] * spec.size[1] * spec.size[2];
        if (draw < 20 && voxels < 4'000'000)
            CHECK(reference_record(array, resample).at("levels").at(1).at("edge").get<double>() == doctest::Approx(2 * shortest));
    }
}

TEST_CASE("box_count: every device makes bits, outlines and moved grids as the reference does") {
    // Nearly all of a box is set, so that outlines are thin and hang on single voxels.
    const auto holes = [](const Shape& s, const Shape& low) {
        return shape_of(s, [=, random = std::mt19937(8)](auto x, auto y, auto z) mutable {
            const bool hole = random() % 64 == 0;
            return !hole && x >= low[0] && y >= low[1] && z >= low[2];
        });
    };
    const HostArray volume = holes({75, 21, 40}, {37, 3, 6}), image = holes({75, 130, 0}, {0, 9, 0});
    HostArray flat = blobs({75, 20, 11}, 10), bits = HostArray::make(desc_of(ElementType::u8, {10, 21, 40})),
              whole_bits = HostArray::make(desc_of(ElementType::u8, {10, 21, 40}));
    flat.desc = flat.desc.with_spacing('z', 2.7);
    std::mt19937 random(3);
    for (std::int64_t i = 0; i < bits.desc.count(); ++i)
        bits.as<std::uint8_t>()[i] = whole_bits.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(random() & random());
    const Json narrow{{"packed_width", 75}}, wide{{"packed_width", 80}};
    const HostArray unpacked = shape_of(
        {75, 21, 40}, [&](auto x, auto y, auto z) { return bits.as<std::uint8_t>()[(z * 21 + y) * 10 + x / 8] >> (x % 8) & 1; });
    CHECK(reference_record(bits, narrow) == reference_record(unpacked));
    struct Row {
        const HostArray& array;
        Json parameters;
    };
    const Row rows[] = {{volume, {{"surface", true}}},
                        {volume, {{"offsets", 3}}},
                        {volume, {{"surface", true}, {"origin", "bounding_box"}, {"offsets", 2}}},
                        {volume, {{"labels", {255, 0}}, {"origin", "bounding_box"}}},
                        {volume, {{"threshold", 255}, {"origin", "bounding_box"}}},
                        {image, {{"surface", true}, {"offsets", 2}}},
                        {flat, {{"anisotropy", "resample"}}},
                        {bits, narrow},
                        {whole_bits, wide}};
    for (const auto& device : tests::devices_under_test()) {
        Bench bench(device);
        for (const Row& row : rows) {
            INFO(tests::device_label(*device) << " " << row.parameters.dump());
            CHECK(bench.count(row.array, "", row.parameters) == reference_record(row.array, row.parameters));
        }
        if (device->info().backend == host::Backend::native) {
            CHECK(bench.count(volume, "hou_threaded", rows[1].parameters) == reference_record(volume, rows[1].parameters));
            continue;
        }
        CHECK(bench.count(whole_bits, "hou", wide) == reference_record(whole_bits, wide));
        // Tiles side by side: three of them in pairs, and in fours.
        const Json pairs{{"tile", 32}, {"wide", 2}};
        for (const Row* row : {&rows[0], &rows[8]})
            CHECK(bench.count(row->array, "pyramid", row->parameters, pairs) == reference_record(row->array, row->parameters));
        CHECK(bench.count(volume, "pyramid", Json::object(), {{"tile", 32}, {"wide", 4}}) ==
              reference_record(volume, Json::object()));
        CHECK_THROWS_AS(bench.count(volume, "hou", {{"surface", true}}), UnsupportedError);
    }
}

TEST_CASE("box_count: moved grids of elongated arrays, box by box, and on every device") {
    const Shape shapes[] = {{4, 300, 6}, {700, 3, 5}, {5, 4, 130}, {2, 900, 0}, {1025, 9, 0}, {1, 1, 64}, {33, 1, 0}};
    struct Row {
        HostArray array;
        Json parameters;
    };
    std::vector<Row> rows;
    unsigned seed = 40;
    for (const Shape& s : shapes)
        for (const int offsets : {2, 3, 4}) rows.push_back({blobs(s, ++seed), {{"offsets", offsets}}});
    rows.push_back({blobs({6, 400, 3}, 71), {{"offsets", 3}, {"origin", "bounding_box"}, {"surface", true}}});
    rows.push_back({shape_of({300, 5, 9}, [](auto x, auto y, auto) { return x > 70 && y > 1; }),
                    {{"offsets", 2}, {"origin", "bounding_box"}}});
    rows.push_back({blobs({3, 70000, 0}, 72), {{"offsets", 3}}});   // so many tiles that local memory does not hold their flags

    const Algorithm algorithm = make_box_count();
    for (const Row& row : rows) {
        const Problem problem{{{"volume", row.array.desc}}, algorithm.parameters.parse(row.parameters, ""), {"counts"}};
        const BoxCountSpec spec = spec_of(problem);
        const Counted counted = counts_of(spec, row.array.data(), pyramid_counts, 1);
        INFO(row.array.desc.describe() << " " << row.parameters.dump());
        CHECK(counts_of(spec, row.array.data(), hou_counts, 3).counts == counted.counts);
        CHECK(counts_of(spec, row.array.data(), pyramid_counts, 3).counts == counted.counts);
        if (spec.surface || spec.origin == Origin::bounding_box || spec.voxels() > 20000) continue;
        // How many voxels each box of each grid holds.
        const auto shifts = spec.shifts();
        REQUIRE(counted.counts.size() == shifts.size());
        for (std::size_t grid = 0; grid < shifts.size(); ++grid)
            for (int m = 0; m <= spec.top; ++m) {
                std::map<Shape, std::int64_t> held;
                for (std::int64_t i = 0; i < spec.voxels(); ++i) {
                    if (row.array.as<std::uint8_t>()[i] == 0) continue;
                    const Shape at{i % spec.size[0], i / spec.size[0] % spec.size[1], i / spec.size[0] / spec.size[1]};
                    ++held[{(at[0] + shifts[grid][0]) >> m, (at[1] + shifts[grid][1]) >> m, (at[2] + shifts[grid][2]) >> m}];
                }
                Boxes boxes{held.size(), 0};
                for (const auto& [box, voxels] : held) boxes.all += voxels == std::int64_t{1} << (m * spec.dimensions);
                CAPTURE(grid);
                CAPTURE(m);
                CHECK(counted.counts[grid][static_cast<std::size_t>(m)] == boxes);
            }
    }
    const auto seed_of_rows = tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed_of_rows);
    std::mt19937_64 random(seed_of_rows);
    std::shuffle(rows.begin(), std::prev(rows.end()), random);
    const auto left_out = std::max<std::ptrdiff_t>(0, std::ssize(rows) - tests::drawn_count(8));
    rows.erase(rows.begin(), rows.begin() + left_out);   // the last one stays
    for (const auto& device : tests::kernel_devices_under_test()) {
        Bench bench(device);
        for (const std::string& variant : bench.variants()) {
            if (variant == "hou" || variant == "cub") continue;   // count in the grid that begins at the first voxel
            for (const Row& row : rows) {
                INFO(tests::device_label(*device) << " " << variant << " " << row.array.desc.describe() << " "
                                                  << row.parameters.dump());
                const Json expected = reference_record(row.array, row.parameters);
                CHECK(bench.count(row.array, variant, row.parameters) == expected);
                CHECK(bench.count_in_slabs(row.array, variant, 50, row.parameters) == expected);
            }
            CHECK(bench.count(rows.back().array, variant, rows.back().parameters, {{"tile", 32}}) ==
                  reference_record(rows.back().array, rows.back().parameters));
        }
    }
}

TEST_CASE("box_count: moved grids of an elongated array take memory by its voxels") {
    for (const auto& device : tests::kernel_devices_under_test()) {
        Bench bench(device);
        for (const char* variant : {"pyramid", "simd"}) {
            const std::vector<std::string> there = bench.variants();
            if (std::find(there.begin(), there.end(), variant) == there.end()) continue;
            for (const int offsets : {2, 3, 16}) {
                INFO(tests::device_label(*device) << " " << variant << " " << offsets);
                const auto bytes = [&](const Shape& s) { return bench.workspace(s, variant, {{"offsets", offsets}}); };
                // Of 4 x 6 voxels and of one line alike: a row of tiles, and the row before it.
                const std::size_t shorter = bytes({4, 2048, 6}), longer = bytes({4, 8192, 6});
                CHECK(longer <= 4 * shorter);
                CHECK(longer <= 1280 * 8192 + (1u << 20));
                CHECK(bytes({8192, 4, 6}) <= longer + (1u << 20));
                CHECK(bytes({4, 8192, 0}) <= 32 * 8192 + (1u << 20));
            }
        }
    }
}

TEST_CASE("box_count: outlines, boxes, moved grids and resampling in slabs of any height, as the reference counts them") {
    const Json outline{{"surface", true}}, box{{"origin", "bounding_box"}}, three{{"offsets", 3}},
        resampled{{"anisotropy", "resample"}};
    const Json all{{"surface", true}, {"origin", "bounding_box"}, {"offsets", 2}, {"anisotropy", "resample"}},
        labels{{"labels", {255, 0}}, {"origin", "bounding_box"}, {"offsets", 2}};
    for (const auto& device : tests::kernel_devices_under_test()) {
        Bench bench(device);
        std::mt19937 random(17);
        const auto side = [&](unsigned most) { return static_cast<std::int64_t>(random() % most) + 1; };
        unsigned seed = 0;
        for (int round = 0; round < 3; ++round)
            for (const Json& parameters : {outline, box, three, resampled, all, labels}) {
                const std::int64_t depth = 66 + side(80);
                HostArray array = round == 2 ? blobs({side(150), depth, 0}, ++seed) : blobs({side(100), side(30), depth}, ++seed);
                // A few empty slices: boxes begin anywhere.
                const std::size_t empty = array.desc.dense_bytes() / static_cast<std::size_t>(depth) * random() % 70;
                std::fill_n(array.data(), round % 2 == 0 ? std::min(empty, array.desc.dense_bytes()) : 0, std::byte{0});
                if (parameters.contains("anisotropy"))
                    array.desc = array.desc.with_spacing('y', round % 2 == 0 ? 1 : 1.4)
                                     .with_spacing(round == 2 ? 'y' : 'z', 1 + .3 * round);
                for (const std::int64_t height : {std::int64_t{1}, side(static_cast<unsigned>(depth)), depth}) {
                    INFO(tests::device_label(*device)
                         << " " << parameters.dump() << " " << array.desc.describe() << " by " << height);
                    CHECK(bench.count_in_slabs(array, "", height, parameters) == reference_record(array, parameters));
                }
                if (round == 0)
                    CHECK(bench.count_in_slabs(array, "pyramid", 50, parameters) == reference_record(array, parameters));
            }
        // With little memory the flags and counts of all bands and grids do not fit at once: they take further passes.
        const HostArray array = blobs({75, 30, 100}, 21);
        const Json every{{"labels", {255, 0, 7}}, {"origin", "bounding_box"}, {"offsets", 2}};
        const Json expected = reference_record(array, every), tile{{"tile", 64}};   // how much memory they take depends on it
        CHECK(bench.count_in_slabs(array, "", 30, every, 0, 2, tile) == expected);            // boxes, counts
        CHECK(bench.count_in_slabs(array, "", 30, every, 1, 3 + 3 * 8, tile) == expected);    // one label in one grid at a time
        CHECK(bench.count_in_slabs(array, "", 30, every, 160000, 2 * 2, tile) == expected);   // two labels, then one
        CHECK(bench.count_in_slabs(array, "", 30, every, 106500, 0, tile) == expected);       // one label in a few grids
        CHECK(bench.count_in_slabs(array, "", 30, every) == expected);
    }
}
