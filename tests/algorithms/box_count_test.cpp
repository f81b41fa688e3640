// Box counts: the reference against boxes looked at one by one and against closed forms; every variant of every device against
// the reference; the line through the counts against published dimensions.
#include "algorithms/box_count/box_count.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <random>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::box_count;

namespace parallax::engine {
Algorithm make_box_count();
}

namespace {

using Shape = std::array<std::int64_t, 3>;   // x, y, z; z 0: an image
using Inside = std::function<bool(std::int64_t, std::int64_t, std::int64_t)>;

ArrayDesc desc_of(ElementType type, const Shape& s) {
    if (s[2] == 0) return ArrayDesc::dense(type, {{'y', s[1]}, {'x', s[0]}});
    return ArrayDesc::dense(type, {{'z', s[2]}, {'y', s[1]}, {'x', s[0]}});
}

template <class T> HostArray filled(ElementType type, const Shape& s, const std::function<T(std::int64_t)>& value) {
    HostArray array = HostArray::make(desc_of(type, s));
    for (std::int64_t i = 0; i < array.desc.count(); ++i) array.as<T>()[i] = value(i);
    return array;
}

HostArray shape_of(const Shape& s, const Inside& inside) {
    return filled<std::uint8_t>(ElementType::u8, s, [&](std::int64_t i) {
        return static_cast<std::uint8_t>(inside(i % s[0], i / s[0] % s[1], i / s[0] / s[1]) ? 255 : 0);
    });
}

/// Black and occupied boxes of a record, by m.
std::vector<Boxes> boxes_in(const Json& record) {
    std::vector<Boxes> boxes;
    for (const Json& level : record.at("levels")) {
        const auto black = level.at("black").get<std::uint64_t>();
        boxes.push_back({black + level.at("grey").get<std::uint64_t>(), black});
    }
    return boxes;
}

/// Every box by itself.
std::vector<Boxes> one_by_one(const HostArray& array) {
    const ArrayDesc& d = array.desc;
    const bool flat = d.find('z') == nullptr;
    const std::int64_t nx = d.size('x'), ny = d.size('y'), nz = d.size('z');
    std::vector<Boxes> all;
    for (std::int64_t edge = 1;; edge *= 2) {
        Boxes b;
        const std::int64_t deep = flat ? 1 : edge;
        for (std::int64_t z = 0; z < nz; z += deep)
            for (std::int64_t y = 0; y < ny; y += edge)
                for (std::int64_t x = 0; x < nx; x += edge) {
                    std::int64_t set = 0;
                    for (std::int64_t w = z; w < std::min(z + deep, nz); ++w)
                        for (std::int64_t v = y; v < std::min(y + edge, ny); ++v)
                            for (std::int64_t u = x; u < std::min(x + edge, nx); ++u)
                                set += array.as<std::uint8_t>()[(w * ny + v) * nx + u] > 0;
                    b.any += set > 0;
                    b.all += set == edge * edge * deep;
                }
        all.push_back(b);
        if (edge >= std::max({nx, ny, flat ? 1 : nz})) return all;
    }
}

class Bench {
public:
    explicit Bench(const tests::DevicePtr& device)
        : engine_(*device, registry_with_peers(), {host::ProgramCache::open()}), session_(engine_) {}

    Json count(const HostArray& array, const std::string& variant, const Json& parameters = Json::object(),
               const Json& policy = Json::object()) {
        Call call;
        call.algorithm = &algorithm_;
        call.parameters = algorithm_.parameters.parse(parameters, "");
        call.variant = variant;
        call.policy = policy;
        call.inputs["volume"] = session_.upload(array);
        return session_.run(call).records.at("counts");
    }
    /// The same, `height` slices at a time. passes: how many that was to take; 0: any number.
    Json count_in_slabs(const HostArray& array, const std::string& variant, std::int64_t height,
                        const Json& parameters = Json::object(), std::uint64_t workspace = 0, int passes = 0,
                        const Json& policy = Json::object()) {
        Call call;
        call.algorithm = &algorithm_;
        call.parameters = algorithm_.parameters.parse(parameters, "");
        call.variant = variant;
        call.policy = policy;
        call.slab = height;
        call.slab_workspace = workspace;
        const PlannedCall ready = session_.plan(call, {{"volume", array.desc}});
        if (passes > 0) CHECK(ready.plan->slab_passes() == passes);
        const std::int64_t slices = array.desc.axes.front().size;
        const std::size_t slice = array.desc.dense_bytes() / static_cast<std::size_t>(slices);
        const host::Buffer slab = session_.context().allocate(static_cast<std::size_t>(height) * slice);
        for (int pass = 0; pass < ready.plan->slab_passes(); ++pass)
            for (std::int64_t first = 0; first < slices; first += height) {
                const std::int64_t count = std::min(height, slices - first);
                session_.queue()
                    .write(slab, 0, array.data() + static_cast<std::size_t>(first) * slice,
                           static_cast<std::size_t>(count) * slice, "slab")
                    .wait();
                session_.enqueue_slab(ready, slab, pass, first, count, session_.profiler());
            }
        const auto execution = session_.enqueue(ready, {}, session_.profiler());
        session_.queue().finish("slabs");
        return execution->finish_records().at("counts");
    }
    /// Bytes of device memory that a plan takes beside the array.
    std::size_t workspace(const Shape& s, const std::string& variant, const Json& parameters) {
        Call call;
        call.algorithm = &algorithm_;
        call.parameters = algorithm_.parameters.parse(parameters, "");
        call.variant = variant;
        return session_.plan(call, {{"volume", desc_of(ElementType::u8, s)}}).about.workspace_bytes;
    }
    std::vector<std::string> variants() {
        std::vector<std::string> names;
        const Problem problem{{{"volume", desc_of(ElementType::u8, {4, 4, 4})}}, algorithm_.parameters.defaults(), {"counts"}};
        for (const Variant& v : algorithm_.variants) {
            const bool listed = std::find(v.backends.begin(), v.backends.end(), engine_.device().backend) != v.backends.end();
            if (listed && v.supports(problem, engine_.context())) names.push_back(v.name);
        }
        return names;
    }
    const host::DeviceInfo& device() const { return engine_.device(); }

private:
    Engine engine_;
    Session session_;
    Algorithm algorithm_ = make_box_count();
};

Json reference_record(const HostArray& array, const Json& parameters = Json::object()) {
    const Algorithm algorithm = make_box_count();
    const Problem problem{{{"volume", array.desc}}, algorithm.parameters.parse(parameters, ""), {"counts"}};
    const BoxCountSpec spec = spec_of(problem);
    return record_of(problem.parameters.as<BoxCountParameters>(), spec, counts_of(spec, array.data(), pyramid_counts, 1));
}

/// Random blobs: boxes of several sizes are full, empty and in between.
HostArray blobs(const Shape& s, unsigned seed) {
    std::mt19937 random(seed);
    const auto shift = static_cast<int>(random() % 4);
    const unsigned share = 20 + random() % 75;
    return shape_of(s, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const auto cell =
            static_cast<unsigned>((x >> shift) * 73856093 ^ (y >> shift) * 19349663 ^ (z >> shift) * 83492791) * 2654435761u +
            seed * 40503u;
        return (cell >> 8) % 100 < share;
    });
}

}  // namespace

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
