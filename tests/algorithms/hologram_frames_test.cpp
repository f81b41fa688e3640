// The camera's frames on every device: (H - D) / (B - D).
#include <algorithm>
#include <limits>
#include <random>

#include "hologram_bench.hpp"
#include "seed.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;
using namespace parallax::tests::holograms;

TEST_CASE("backgrounds and dark frames of every type") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const Parameters parameters = parse(algorithm, R"({"method": "angular_spectrum", "distance_um": 200})");
        const auto& p = parameters.as<HologramParameters>();
        const Image image = rings(64, 48);
        std::vector<double> h = to_double(image), background(h.size()), dark(h.size());
        HostArray b = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', 48}, {'x', 64}}));
        HostArray d = HostArray::make(ArrayDesc::dense(ElementType::u16, {{'y', 48}, {'x', 64}}));
        for (std::size_t i = 0; i < h.size(); ++i) {
            dark[i] = d.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i % 7);
            background[i] = b.as<float>()[i] =
                i == 100 ? static_cast<float>(dark[i]) : 130.0f + static_cast<float>(i % 11);   // one dead pixel
        }
        for (int with = 0; with < 4; ++with) {
            const bool use_background = with & 1, use_dark = with & 2;
            CAPTURE(with);
            Call call;
            call.algorithm = &algorithm;
            call.parameters = parameters;
            call.inputs.emplace("hologram", session.upload(host_array(image)));
            if (use_background) call.inputs.emplace("background", session.upload(b));
            if (use_dark) call.inputs.emplace("dark", session.upload(d));
            const std::vector<double> expected_h =
                normalise({h.data(), 64, 48}, {use_background ? background.data() : nullptr, 64, 48},
                          {use_dark ? dark.data() : nullptr, 64, 48});
            Reference expected;
            reference_reconstruct(p, resolve(p, 64, 48), expected_h, 0,
                                  [&](std::size_t, const std::vector<std::complex<double>>& f) { expected.planes.push_back(f); });
            CHECK(relative_error(session.download(session.run(call).outputs.at("amplitude")), expected.planes) < 2e-6);
        }
    });
}

namespace {

struct Frames {
    std::int64_t width, height;
    HostArray hologram, background, dark;
    std::vector<double> h;   // what the definition says
};

/// An even light, and every so many pixels one without any: B = D; B = D = H; B below D; B and D apart by rounding alone, and by
/// less than the smallest normal number, which floats can be. Others have little light, but some.
template <class T>
Frames with_dead_pixels(ElementType type, std::int64_t width, std::int64_t height) {
    const Image image = rings(width, height);
    const auto frame = [&] { return HostArray::make(ArrayDesc::dense(type, {{'y', height}, {'x', width}})); };
    Frames frames{width, height, frame(), frame(), frame(), {}};
    T *const of_hologram = frames.hologram.as<T>(), *const of_background = frames.background.as<T>(),
             *const of_dark = frames.dark.as<T>();
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
        T hologram = image.pixels[i], dark = static_cast<T>(i % 7), background = static_cast<T>(130 + i % 11);
        bool dead = true;
        if (i % 97 == 5)
            background = dark;
        else if (i % 101 == 7)
            background = dark = hologram;
        else if (i % 89 == 11)
            dark = 9, background = static_cast<T>(i % 9);
        else if (std::is_floating_point_v<T> && i % 83 == 3)
            dark = 100, background = static_cast<T>(100 * (1 + 0x1p-21));
        else if (std::is_floating_point_v<T> && i % 79 == 2)
            dark = 0, background = static_cast<T>(1e-40);
        else
            dead = false;
        if (!dead && i % 73 == 1) dark = 100, background = 101, hologram = 102;
        if (!dead && std::is_floating_point_v<T> && i % 71 == 1)
            dark = 64, background = static_cast<T>(64 + 0x1p-13), hologram = static_cast<T>(64 + 0x1p-12);
        of_hologram[i] = hologram, of_background[i] = background, of_dark[i] = dark;
        frames.h.push_back(dead ? 1.0 : (double(hologram) - double(dark)) / (double(background) - double(dark)));
    }
    return frames;
}

/// By every variant on every device, native ones included.
template <class F>
void on_each_variant(const Frames& frames, const std::string& parameters, F check) {
    for (const auto& device : parallax::tests::devices_under_test()) {
        CAPTURE(device->info().name);
        Engine engine(*device, registry_with_peers());
        Session session(engine);
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const Parameters parsed = parse(algorithm, parameters);
        const Problem problem{
            {{"hologram", frames.hologram.desc}, {"background", frames.background.desc}, {"dark", frames.dark.desc}},
            parsed,
            {"amplitude"}};
        std::size_t ran = 0;
        for (const Variant& variant : algorithm.variants) {
            if (std::find(variant.backends.begin(), variant.backends.end(), session.engine().device().backend) ==
                variant.backends.end())
                continue;
            if (!variant.supports(problem, session.engine().context())) continue;
            CAPTURE(variant.name);
            Call call;
            call.algorithm = &algorithm;
            call.parameters = parsed;
            call.variant = variant.name;
            call.outputs = {"amplitude"};
            call.inputs.emplace("hologram", session.upload(frames.hologram));
            call.inputs.emplace("background", session.upload(frames.background));
            call.inputs.emplace("dark", session.upload(frames.dark));
            check(parsed, session.download(session.run(call).outputs.at("amplitude")));
            ++ran;
        }
        CHECK(ran > 0);
    }
}

const char* const ways[] = {R"({"method": "angular_spectrum", "distance_um": [300, -150], "padding": "reflect"})",
                            R"({"method": "angular_spectrum", "distance_um": 300, "padding": "none"})",
                            R"({"method": "convolution", "distance_um": 4000, "padding": "mean"})"};

/// Two of the six, or as many as are drawn.
std::vector<Frames> drawn_frames() {
    std::vector<Frames> all;
    for (const auto& [width, height] :
         {std::pair<std::int64_t, std::int64_t>{64, 48}, {256, 34}}) {   // the latter for wide vectors
        all.push_back(with_dead_pixels<std::uint8_t>(ElementType::u8, width, height));
        all.push_back(with_dead_pixels<std::uint16_t>(ElementType::u16, width, height));
        all.push_back(with_dead_pixels<float>(ElementType::f32, width, height));
    }
    const auto seed = parallax::tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    std::shuffle(all.begin(), all.end(), random);
    all.resize(std::min<std::size_t>(all.size(), static_cast<std::size_t>(parallax::tests::drawn_count(2))));
    return all;
}

std::vector<double> doubles(const HostArray& array) {
    std::vector<double> values(static_cast<std::size_t>(array.desc.count()));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = array.desc.type == ElementType::u8    ? array.as<std::uint8_t>()[i]
                    : array.desc.type == ElementType::u16 ? array.as<std::uint16_t>()[i]
                                                          : double(array.as<float>()[i]);
    return values;
}

}   // namespace

TEST_CASE("where the background is not above the dark frame h is 1, by every variant and the reference") {
    for (const Frames& frames : drawn_frames()) {
        CAPTURE(frames.hologram.desc.describe());
        const std::vector<double> hologram = doubles(frames.hologram), background = doubles(frames.background),
                                  dark = doubles(frames.dark);
        const auto view = [&](const std::vector<double>& values) {
            return ImageView{values.data(), frames.width, frames.height};
        };
        CHECK(normalise(view(hologram), view(background), view(dark)) == frames.h);
        for (const char* way : ways) {
            CAPTURE(std::string(way));
            on_each_variant(frames, way, [&](const Parameters& parameters, const HostArray& amplitude) {
                const auto& p = parameters.as<HologramParameters>();
                std::vector<std::vector<std::complex<double>>> planes;
                reference_reconstruct(
                    p, resolve(p, frames.width, frames.height), frames.h, 0,
                    [&](std::size_t, const std::vector<std::complex<double>>& field) { planes.push_back(field); });
                CHECK(relative_error(amplitude, planes) < 2e-6);
            });
        }
    }
}

TEST_CASE("one frame for all three is light that nothing changes, and NaN in any of them is NaN in all of the field") {
    for (Frames frames : drawn_frames()) {
        CAPTURE(frames.hologram.desc.describe());
        const Frames all{frames.width, frames.height, frames.hologram, frames.hologram, frames.hologram, {}};
        for (const char* way : {ways[0], ways[1]})
            on_each_variant(all, way, [&](const Parameters&, const HostArray& amplitude) {
                const float* const a = amplitude.as<float>();
                CHECK(std::all_of(a, a + amplitude.desc.count(), [](float value) { return std::abs(value - 1) < 2e-5f; }));
            });
        if (frames.hologram.desc.type != ElementType::f32) continue;
        for (HostArray* const frame : {&frames.hologram, &frames.background, &frames.dark}) {
            float& pixel = frame->as<float>()[3 * frames.width + 5];
            const float before = std::exchange(pixel, std::numeric_limits<float>::quiet_NaN());
            on_each_variant(frames, ways[0], [&](const Parameters&, const HostArray& amplitude) {
                const float* const a = amplitude.as<float>();
                CHECK(std::all_of(a, a + amplitude.desc.count(), [](float value) { return std::isnan(value); }));
            });
            pixel = before;
        }
    }
}
