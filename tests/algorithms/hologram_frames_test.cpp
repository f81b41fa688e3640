// The camera's frames on every device: (H - D) / (B - D).
#include "hologram_bench.hpp"

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
