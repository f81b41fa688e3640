// Images of every type and size, equalised by every formula on every device: the serial reference against values of OpenCV and
// scikit-image, every other variant against the reference, bit for bit. Guards around input and output must not change.
#include "algorithms/equalize/equalize.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::equalize;

namespace parallax::engine {
Algorithm make_equalize();
}

namespace {

using Bytes = std::vector<std::byte>;
const char* const formulas[] = {"opencv", "classic", "skimage"};

class Bench {
public:
    explicit Bench(const tests::DevicePtr& device)
        : engine_(*device, registry_with_peers(), {host::ProgramCache::open()}), session_(engine_) {}
    bool native() const { return engine_.device().backend == host::Backend::native; }
    std::vector<std::string> variants() const {
        return native() ? std::vector<std::string>{"reference", "threaded"} : std::vector<std::string>{"device"};
    }

    Bytes run(const std::string& variant, const char* formula, const ArrayDesc& desc, const Bytes& image,
              const Json& policy = Json::object()) {
        Call call;
        call.algorithm = &algorithm_;
        call.parameters = algorithm_.parameters.parse(Json{{"formula", formula}}, "");
        call.variant = variant;
        call.policy = policy;
        const ArrayDesc result = algorithm_.infer({{{"image", desc}}, call.parameters, {"image"}}).at("image");
        const std::size_t guard = 4096;
        Bytes in(image.size() + 2 * guard, std::byte{0x7b}), pattern(result.dense_bytes() + 2 * guard, std::byte{0x5a}),
            after(pattern.size());
        std::memcpy(in.data() + guard, image.data(), image.size());
        const host::Buffer from = engine_.context().allocate(in.size()), to = engine_.context().allocate(pattern.size());
        session_.queue().write(from, 0, in.data(), in.size()).wait();
        session_.queue().write(to, 0, pattern.data(), pattern.size()).wait();
        call.inputs["image"].desc = desc;
        call.inputs["image"].buffer = from.sub(guard, image.size());
        std::map<std::string, DeviceArray, std::less<>> outputs;
        outputs["image"].desc = result;
        outputs["image"].buffer = to.sub(guard, result.dense_bytes());
        for (int i = 0; i < 2; ++i) session_.run(call, outputs);   // a second run must not add to the first
        session_.queue().read(to, 0, after.data(), after.size()).wait();
        const Bytes values(after.begin() + guard, after.end() - guard);
        std::memcpy(after.data() + guard, pattern.data() + guard, values.size());
        CHECK(after == pattern);
        Bytes unchanged(in.size());
        session_.queue().read(from, 0, unchanged.data(), unchanged.size()).wait();
        CHECK(unchanged == in);
        return values;
    }

    void check(const char* formula, const ArrayDesc& desc, const Bytes& image, const Json& policy = Json::object()) {
        CAPTURE(std::string(formula));
        CAPTURE(desc.describe());
        const Formula f = formula[0] == 'o' ? Formula::opencv : formula[0] == 'c' ? Formula::classic : Formula::skimage;
        Bytes want(static_cast<std::size_t>(desc.count()) * (f == Formula::skimage ? 4 : bytes_of(desc.type)));
        reference_equalize(f, spec_of(desc), image.data(), want.data());
        for (const std::string& variant : variants()) {
            CAPTURE(variant);
            CHECK(run(variant, formula, desc, image, policy) == want);
        }
    }

private:
    Engine engine_;
    Session session_;
    Algorithm algorithm_ = make_equalize();
};

template <class Body> void each_device(const Body& body) {
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        body(bench);
    }
}

/// Images that a line of Python makes as well.
Bytes generated(const std::string& name, std::size_t count) {
    Bytes image(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t hash = (i * 2654435761u & 0xffffffffu) >> 24;
        const std::size_t v = name == "skewed"   ? hash * hash >> 8
                              : name == "narrow" ? 100 + i * i % 37
                              : name == "steps"  ? hash & i >> 7
                              : name == "two"    ? (i % 5 == 0 ? 200 : 30)
                                                 : 77;
        image[i] = static_cast<std::byte>(v);
    }
    return image;
}

template <class T> double weighted_sum(const T* values, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(i % 251 + 1);
    return sum;
}

/// Normal around a third of the range, so that some levels are common and some do not occur.
Bytes noise(const ArrayDesc& desc) {
    std::mt19937 random(5);
    const double top = desc.type == ElementType::u16 ? 65535 : 255;
    std::normal_distribution<double> normal(top / 3, top / 8);
    Bytes image(desc.dense_bytes());
    for (std::int64_t i = 0; i < desc.count(); ++i) {
        const double v = std::min(std::max(normal(random), 0.0), top);
        if (desc.type == ElementType::u8) image[static_cast<std::size_t>(i)] = static_cast<std::byte>(v);
        else {
            const auto wide = static_cast<std::uint16_t>(v);
            std::memcpy(image.data() + 2 * i, &wide, 2);
        }
    }
    return image;
}

ArrayDesc row(ElementType type, std::int64_t size) { return ArrayDesc::dense(type, {{'y', 1}, {'x', size}}); }

}  // namespace

TEST_CASE("equalize: the reference gives the values of OpenCV and scikit-image") {
    // Sums of v[i] * (i % 251 + 1): cv2.equalizeHist (5.0) and skimage.exposure.equalize_hist (0.26, 256 bins).
    struct Row { const char* name; std::int64_t height, width; double in, opencv, skimage; };
    const Row rows[] = {{"skewed", 61, 97, 62216524, 88733746, 372541.14804799727},
                        {"narrow", 97, 61, 87069796, 96589099, 388586.65573770495},
                        {"steps", 512, 512, 2105012855, 3850576760, 16895603.824920654},
                        {"constant", 3, 5, 9240, 9240, 120},
                        {"two", 31, 33, 8125450, 6486945, 106403.40860215054}};
    for (const Row& r : rows) {
        CAPTURE(std::string(r.name));
        const ArrayDesc desc = ArrayDesc::dense(ElementType::u8, {{'y', r.height}, {'x', r.width}});
        const auto count = static_cast<std::size_t>(desc.count());
        const Bytes image = generated(r.name, count);
        REQUIRE(weighted_sum(reinterpret_cast<const std::uint8_t*>(image.data()), count) == r.in);
        std::vector<std::uint8_t> out(count);
        reference_equalize(Formula::opencv, spec_of(desc), image.data(), reinterpret_cast<std::byte*>(out.data()));
        CHECK(weighted_sum(out.data(), count) == r.opencv);
        std::vector<float> real(count);
        reference_equalize(Formula::skimage, spec_of(desc), image.data(), reinterpret_cast<std::byte*>(real.data()));
        CHECK(weighted_sum(real.data(), count) == doctest::Approx(r.skimage).epsilon(1e-7));
    }
}

TEST_CASE("equalize: classic is floor(255 cdf / N + 1/2)") {
    const std::uint8_t levels[] = {9, 9, 10, 200};   // 127.5 -> 128, 191.25 -> 191
    std::uint8_t out[4];
    reference_equalize(Formula::classic, spec_of(row(ElementType::u8, 4)), reinterpret_cast<const std::byte*>(levels),
                       reinterpret_cast<std::byte*>(out));
    CHECK(std::vector<int>(out, out + 4) == std::vector<int>{128, 128, 191, 255});
}

TEST_CASE("equalize: a few small images") {   // fit for a simulator that checks every access
    each_device([](Bench& bench) {
        for (const std::int64_t size : {1, 17, 1031})
            bench.check("opencv", row(ElementType::u8, size), noise(row(ElementType::u8, size)));
        if (bench.native()) return;
        const ArrayDesc colour = ArrayDesc::dense(ElementType::u8, {{'y', 7}, {'x', 37}, {'c', 3}});
        bench.check("opencv", colour, noise(colour), {{"work_group_size", 64}, {"copies", 4}});
    });
}

TEST_CASE("equalize: every size, every formula, u8") {
    each_device([](Bench& bench) {
        for (const char* formula : formulas)
            for (const std::int64_t size : {1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 48, 255, 4093, 65537, 300007})
                bench.check(formula, row(ElementType::u8, size), noise(row(ElementType::u8, size)));
        for (const char* name : {"skewed", "narrow", "steps", "constant", "two"})
            bench.check("opencv", row(ElementType::u8, 30011), generated(name, 30011));
        bench.check("classic", row(ElementType::u8, 255), generated("constant", 255));
        bench.check("opencv", row(ElementType::u8, 1100003), noise(row(ElementType::u8, 1100003)));   // large enough for pairs
        if (!bench.native()) {   // as on a GPU
            bench.check("opencv", row(ElementType::u8, 300007), noise(row(ElementType::u8, 300007)),
                        {{"work_group_size", 128}, {"copies", 32}});
            bench.check("opencv", row(ElementType::u8, 300007), noise(row(ElementType::u8, 300007)),
                        {{"work_group_size", 64}, {"copies", 1}, {"loads", 4}, {"from_end", 0}});
        }
    });
}

TEST_CASE("equalize: u16, channels and stacks") {
    each_device([](Bench& bench) {
        for (const char* formula : formulas)
            for (const std::int64_t size : {1, 7, 8, 9, 100003})
                bench.check(formula, row(ElementType::u16, size), noise(row(ElementType::u16, size)));
        const ArrayDesc colour = ArrayDesc::dense(ElementType::u8, {{'z', 3}, {'y', 61}, {'x', 47}, {'c', 3}});
        bench.check("opencv", colour, noise(colour));
        bench.check("skimage", colour, noise(colour));
        const ArrayDesc two = ArrayDesc::dense(ElementType::u16, {{'y', 61}, {'x', 47}, {'c', 2}});
        bench.check("opencv", two, noise(two));
        if (bench.native()) return;
        bench.check("opencv", colour, noise(colour), {{"work_group_size", 64}});
        bench.check("opencv", two, noise(two), {{"work_group_size", 64}});
    });
}

TEST_CASE("equalize: real images as cv2.equalizeHist has them") {
    const char* const folder = std::getenv("PARALLAX_TEST_DATA");
    struct Row { const char* file; double in, opencv; };   // sums as above
    const Row rows[] = {{"std/camera.png", 4256556634, 4239789952},       {"std/coins.png", 1419484340, 1879905359},
                        {"std/moon.png", 3705042207, 4419963709},         {"std/cell.png", 3108272639, 6105096113},
                        {"us/pydicomdata_US1_UNCR.png", 1376997657, 2372393522}};
    for (const Row& r : rows) {
        const std::filesystem::path path = std::filesystem::path(folder != nullptr ? folder : "../shared/data") / r.file;
        if (!std::filesystem::exists(path)) {
            MESSAGE("skipped, no file " << path.string() << ": set PARALLAX_TEST_DATA");
            continue;
        }
        CAPTURE(path.string());
        const HostArray image = io::read(path).to_dense();
        const auto count = static_cast<std::size_t>(image.desc.count());
        REQUIRE(weighted_sum(image.as<std::uint8_t>(), count) == r.in);
        const Bytes bytes(image.data(), image.data() + count);
        each_device([&](Bench& bench) {
            const Bytes out = bench.run(bench.variants().front(), "opencv", image.desc, bytes);
            CHECK(weighted_sum(reinterpret_cast<const std::uint8_t*>(out.data()), count) == r.opencv);
        });
    }
}

TEST_CASE("equalize: shapes, and what cannot be equalised") {
    const Algorithm algorithm = make_equalize();
    const auto infer = [&](const char* formula, const ArrayDesc& desc) {
        return algorithm.infer({{{"image", desc}}, algorithm.parameters.parse(Json{{"formula", formula}}, ""), {"image"}})
            .at("image");
    };
    const ArrayDesc grey = ArrayDesc::dense(ElementType::u8, {{'y', 6}, {'x', 8}}).with_spacing('x', 0.5).with_unit("um");
    CHECK(infer("opencv", grey) == grey);
    CHECK(infer("skimage", grey) == grey.with_type(ElementType::f32));
    CHECK_THROWS_AS(infer("opencv", grey.with_type(ElementType::f32)), ConfigError);
    CHECK_THROWS_AS(infer("opencv", ArrayDesc::dense(ElementType::u8, {{'y', 0}, {'x', 8}})), ConfigError);
    CHECK_THROWS_AS(infer("opencv", ArrayDesc::dense(ElementType::u8, {{'y', 6}, {'x', 8}, {'c', 5}})), ConfigError);
}
