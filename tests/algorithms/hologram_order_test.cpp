// Carriers of off-axis holograms, found on every device.
#include "hologram_bench.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;
using namespace parallax::tests::holograms;

namespace {

/// h = 120 + 80 cos(2 pi c.x / size + phase(x, y)).
Image fringes(std::int64_t width, std::int64_t height, double cx, double cy, double bend = 0) {
    Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height))};
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            const double u = static_cast<double>(x) / static_cast<double>(width),
                         v = static_cast<double>(y) / static_cast<double>(height);
            const double bump = bend * std::exp(-40 * ((u - .6) * (u - .6) + (v - .4) * (v - .4)));
            image.pixels[static_cast<std::size_t>(y * width + x)] =
                static_cast<std::uint8_t>(std::lround(120 + 80 * std::cos(2 * M_PI * (cx * u + cy * v) + bump)));
        }
    }
    return image;
}

}  // namespace

TEST_CASE("every frame's carrier is its own, between pixels, on the side that was asked for") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        struct Row { const char* off_axis; double sign; bool warned; };
        for (const Row& row :
             {Row{R"("auto")", -1, true}, {R"({"side": "upper"})", -1, false}, {R"({"side": "lower", "radius": 6})", 1, false}}) {
            CAPTURE(row.off_axis);
            const Parameters parameters = parse(
                algorithm, fmt::format(R"({{"method": "angular_spectrum", "distance_um": 200, "off_axis": {}}})", row.off_axis));
            for (const auto& [cx, cy] : {std::pair(20.37, 13.0), std::pair(10.0, 30.21), std::pair(-24.5, 8.12)}) {
                for (const auto& [w, h] : {std::pair(96, 80), std::pair(101, 67)}) {
                    CAPTURE(cx);
                    CAPTURE(w);
                    const Image image = fringes(w, h, cx, cy, 1.0);
                    const CallResult result = run(session, parameters, image, "staged", {"amplitude", "carrier"});
                    const Carrier expected = find_carrier(to_double(image), w, h, *parameters.as<HologramParameters>().off_axis);
                    const Json& carrier = result.records.at("carrier");
                    CHECK(carrier.at("x").get<double>() == doctest::Approx(expected.x).epsilon(1e-5));
                    CHECK(std::abs(carrier.at("x").get<double>() - expected.x) < 1e-4);
                    CHECK(std::abs(carrier.at("y").get<double>() - expected.y) < 1e-4);
                    CHECK(std::abs(expected.x - row.sign * cx) < .2);
                    CHECK(std::abs(expected.y - row.sign * cy) < .2);
                    CHECK(carrier.at("radius").get<double>() == doctest::Approx(expected.radius).epsilon(1e-4));
                    CHECK(carrier.at("confidence").get<double>() == doctest::Approx(expected.confidence).epsilon(.01));
                    CHECK(relative_error(session.download(result.outputs.at("amplitude")), reference(parameters, image).planes) <
                          2e-5);
                    const bool warned = std::any_of(result.warnings.begin(), result.warnings.end(), [](const std::string& text) {
                        return text.find("conjugate") != std::string::npos;
                    });
                    CHECK(warned == row.warned);
                }
            }
        }
        // Nothing of the sort in an in-line hologram.
        const Parameters parameters =
            parse(algorithm, R"({"method": "angular_spectrum", "distance_um": 200, "off_axis": "auto"})");
        CHECK_THROWS_AS(run(session, parameters, rings(96, 80), "staged", {"amplitude"}), ConfigError);
        CHECK_THROWS_AS(run(session, parameters, Image{40, 30, std::vector<std::uint8_t>(1200, 7)}, "staged", {"amplitude"}),
                        ConfigError);
        CHECK_THROWS_AS(run(session, parameters, Image{1, 1, {7}}, "staged", {"amplitude"}), ConfigError);
    });
}
