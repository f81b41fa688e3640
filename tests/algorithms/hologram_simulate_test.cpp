// Simulated holograms: their numbers, the same on every device, and what is reconstructed from them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "algorithms/hologram_simulate/random.hpp"
#include "algorithms/hologram_simulate/variants.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram_simulate;

namespace parallax::engine {
Algorithm make_hologram_simulate();
}

namespace {

constexpr double um = 1e-6;

SimulateParameters parse(const char* text) { return simulate_table().parse(Json::parse(text), "").as<SimulateParameters>(); }

std::vector<double> values_of(const HostArray& array) {
    const auto read = [&](const auto* first) { return std::vector<double>(first, first + array.desc.count()); };
    if (array.desc.type == ElementType::u8) return read(array.as<std::uint8_t>());
    if (array.desc.type == ElementType::u16) return read(array.as<std::uint16_t>());
    REQUIRE(array.desc.type == ElementType::f32);
    return read(array.as<float>());
}

double relative_error(const std::vector<double>& is, const std::vector<double>& should) {
    REQUIRE(is.size() == should.size());
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < is.size(); ++i) {
        error += (is[i] - should[i]) * (is[i] - should[i]);
        norm += should[i] * should[i];
    }
    return std::sqrt(error / norm);
}

CallResult run(Session& session, const Json& parameters, std::vector<std::string> outputs = {"hologram"}) {
    Call call;
    call.algorithm = &session.engine().registry().get("hologram_simulate");
    call.parameters = call.algorithm->parameters.parse(parameters, "");
    call.outputs = std::move(outputs);
    return session.run(call);
}

}  // namespace

TEST_CASE("random numbers are those of docs/theory/numbers.md") {
    CHECK(normal(0, 1) == doctest::Approx(.51257261).epsilon(1e-7));
    CHECK(normal(1, 1) == doctest::Approx(-.56589062).epsilon(1e-7));
    CHECK(normal(2, 1) == doctest::Approx(-.56480636).epsilon(1e-7));
    CHECK(normal(3, 1) == doctest::Approx(1.24301123).epsilon(1e-7));
}

TEST_CASE("numbers that a wrong unit explains better are warned of") {
    struct Row {
        const char* parameters;
        const char* expected;  // in the first warning; nullptr: none
    };
    const Row rows[] = {
        {"{}", nullptr},
        {R"({"radius_nm": 200})", nullptr},
        {R"({"wavelength_um": 532})", "wavelength 532 um is very large"},
        {R"({"pixel_mm": 1.4, "radius_mm": 10, "distance_mm": 1})", "pixel 1.4 mm is very large"},
        {R"({"radius_mm": 10})",
         "radius 10 mm is very large: a bead is a twentieth of a wavelength to half a frame; 10 um is likelier"},
        {R"({"radius_nm": 10})", "radius 10 nm is very small"},
        {R"({"distance_nm": 300})", "distance 300 nm is very small"},
        {R"({"refractive_index": 13.3})", "refractive_index 13.3"},
    };
    for (const Row& row : rows) {
        INFO(row.parameters);
        const Algorithm algorithm = make_hologram_simulate();
        const auto warnings = algorithm.warnings({{}, algorithm.parameters.parse(Json::parse(row.parameters), ""), {"hologram"}});
        CHECK(warnings.empty() == (row.expected == nullptr));
        if (row.expected != nullptr && !warnings.empty()) {
            INFO(warnings[0]);
            CHECK(warnings[0].find(row.expected) != std::string::npos);
        }
    }
}

TEST_CASE("one bead stands on the middle pixel; several keep apart, and a seed is a place") {
    const auto one = place_beads(parse(R"({"width": 101, "height": 64})"));
    REQUIRE(one.size() == 1);
    CHECK(one[0].x == 50);
    CHECK(one[0].y == 32);
    CHECK(place_beads(parse(R"({"count": 0})")).empty());

    const SimulateParameters p =
        parse(R"({"width": 300, "height": 200, "pixel_um": [1.4, 2.8], "radius_um": 10, "count": 60, "seed": 7})");
    const auto beads = place_beads(p);
    REQUIRE(beads.size() == 60);
    for (std::size_t i = 0; i < beads.size(); ++i) {
        CHECK(beads[i].x * 1.4 >= 10);
        CHECK((299 - beads[i].x) * 1.4 >= 10);
        CHECK(beads[i].y * 2.8 >= 10);
        CHECK((199 - beads[i].y) * 2.8 >= 10);
        for (std::size_t j = 0; j < i; ++j)
            CHECK(std::hypot((beads[i].x - beads[j].x) * 1.4, (beads[i].y - beads[j].y) * 2.8) >
                  20 + std::hypot(1.4, 2.8) - 1e-9);
    }
    const auto again = place_beads(p);
    CHECK(std::equal(beads.begin(), beads.end(), again.begin(), [](Bead a, Bead b) { return a.x == b.x && a.y == b.y; }));
    SimulateParameters other = p;
    other.seed = 8;
    CHECK(place_beads(other)[0].x != beads[0].x);
}

TEST_CASE("beads that do not fit are refused with the numbers") {
    const auto message = [](const char* text) -> std::string {
        try {
            place_beads(parse(text));
        } catch (const ConfigError& error) {
            return error.pointer + ": " + error.what();
        }
        return "no error";
    };
    CHECK(message(R"({"width": 64, "height": 64, "count": 2, "radius_um": 60})").find("/radius_um") == 0);
    CHECK(message(R"({"width": 100, "height": 100, "count": 500})").find("/count") == 0);
    CHECK(message(R"({"width": 100, "height": 100, "count": 500})")
              .find("500 beads of radius 10 um in a frame of 140 um x 140 um") != std::string::npos);
}

TEST_CASE("transmission: covered area, and the delay through a sphere") {
    SimulateParameters p = parse(R"({"width": 32, "height": 40, "radius_um": 10})");
    double area = 0;
    for (const auto& t : transmission(p, place_beads(p))) {
        CHECK(t.imag() == 0);
        CHECK(t.real() >= 0);
        area += 1 - t.real();
    }
    CHECK(area * 1.4 * 1.4 == doctest::Approx(std::numbers::pi * 100).epsilon(2e-3));

    p.kind = BeadKind::phase;
    p.delta_n = .01;
    const auto t = transmission(p, place_beads(p));
    const auto at = [&](int x, int y) { return t[static_cast<std::size_t>(y * 32 + x)]; };
    CHECK(std::arg(at(16, 20)) == doctest::Approx(2 * std::numbers::pi * .01 * 20 / .532));
    CHECK(std::arg(at(16 + 5, 20)) == doctest::Approx(2 * std::numbers::pi * .01 * 2 * std::sqrt(100 - 49.0) / .532));
    CHECK(at(16 + 8, 20) == 1.0);
    for (const auto& v : t) CHECK(std::abs(v) == doctest::Approx(1));
}

TEST_CASE("the bead of docs/theory/holography.md") {
    const SimulateParameters p;  // the defaults are that bead
    const auto intensity = reference_intensity(p, place_beads(p));
    double sum = 0, squares = 0;
    for (const double v : intensity) {
        sum += v;
        squares += (v - 1) * (v - 1);
    }
    const double n = 1024.0 * 1024.0, mean = sum / n;
    CHECK(mean == doctest::Approx(.999839).epsilon(1e-6));
    CHECK(std::sqrt(squares / n - (mean - 1) * (mean - 1)) == doctest::Approx(.01417).epsilon(5e-4));
    CHECK(*std::min_element(intensity.begin(), intensity.end()) == doctest::Approx(.3653).epsilon(2e-4));
    CHECK(*std::max_element(intensity.begin(), intensity.end()) == doctest::Approx(1.1985).epsilon(1e-4));
    CHECK(intensity[512 * 1024 + 512 + 7] == doctest::Approx(.5072).epsilon(1e-4));
    CHECK(intensity[(512 + 28) * 1024 + 512] == doctest::Approx(.9518).epsilon(1e-4));
}

TEST_CASE("no distance and no bead") {
    SimulateParameters p = parse(R"({"width": 24, "height": 20, "count": 0, "distance_um": 300})");
    for (const double v : reference_intensity(p, {})) CHECK(v == doctest::Approx(1).epsilon(1e-12));
    p = parse(R"({"width": 24, "height": 20, "radius_um": 5, "distance_um": 0})");
    const auto t = transmission(p, place_beads(p));
    const auto i = reference_intensity(p, place_beads(p));
    for (std::size_t k = 0; k < t.size(); ++k) CHECK(std::abs(i[k] - std::norm(t[k])) < 1e-12);
}

TEST_CASE("every device makes the reference's hologram") {
    const char* const cases[] = {
        R"({"width": 96, "height": 80, "distance_um": 200})",
        R"({"width": 97, "height": 53, "distance_um": 100, "radius_um": 6})",
        R"({"width": 128, "height": 128, "distance_um": 300, "count": 5, "seed": 3, "noise": 0.02})",
        R"({"width": 120, "height": 96, "pixel_um": [1.4, 0.7], "distance_um": 80, "kind": "phase", "count": 3, "radius_um": 8,
            "delta_n": -0.03})",
        R"({"width": 64, "height": 64, "pixel_nm": 100, "distance_um": 12, "radius_nm": 900, "refractive_index": 1.33,
            "kind": "phase", "delta_n": 0.2})",
        R"({"width": 40, "height": 30, "count": 0, "noise": 0.1})",
        R"({"width": 1, "height": 1, "count": 0})",
        R"({"width": 50, "height": 40, "radius_um": 31, "distance_um": 50})",
    };
    for (const auto& device : tests::devices_under_test()) {
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        Session session(engine);
        CAPTURE(tests::device_label(*device));
        for (const std::string text : cases) {
            CAPTURE(text);
            const SimulateParameters p = parse(text.c_str());
            const auto expected = reference_intensity(p, place_beads(p));
            const auto float_result = run(session, Json::parse(text)).outputs.at("hologram");
            CHECK(float_result.desc.axes.back().spacing == doctest::Approx(p.pixel[0] / um));
            CHECK(relative_error(values_of(session.download(float_result)), expected) < 2e-6);

            for (const auto& [type, top] : {std::pair("u8", 255.0), std::pair("u16", 65535.0)}) {
                Json with_type = Json::parse(text);
                with_type["type"] = type;
                with_type["full_scale"] = 1.25;
                const auto levels = values_of(session.download(run(session, with_type).outputs.at("hologram")));
                double worst = 0;
                for (std::size_t i = 0; i < levels.size(); ++i)
                    worst = std::max(worst, std::abs(levels[i] - std::clamp(expected[i] / 1.25 * top, 0.0, top)));
                CHECK(worst < .5 + 1e-5 * top);  // the nearest level, up to what single precision leaves open
            }
        }
    }
}

TEST_CASE("what is simulated is found again: place, distance and the record of the truth") {
    for (const auto& device : tests::devices_under_test()) {
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        Session session(engine);
        CAPTURE(tests::device_label(*device));
        const CallResult simulated =
            run(session, Json::parse(R"({"width": 192, "height": 192, "distance_um": 600, "count": 2, "noise": 0.01})"),
                {"hologram", "beads"});
        const Json& truth = simulated.records.at("beads");
        CHECK(truth.at("distance_um").get<double>() == doctest::Approx(600));
        CHECK(truth.at("radius_um").get<double>() == doctest::Approx(10));
        REQUIRE(truth.at("position_um").size() == 2);

        Call call;
        call.algorithm = &engine.registry().get("hologram");
        call.parameters = call.algorithm->parameters.parse(
            Json::parse(
                R"({"wavelength_nm": 532, "pixel_um": 1.4, "distance_um": {"from": 500, "to": 700, "step": 20},
                    "autofocus": {"object": "amplitude"}, "planes": "best"})"),
            "");
        call.inputs = {{"hologram", simulated.outputs.at("hologram")}};
        call.outputs = {"amplitude", "focus"};
        const CallResult found = session.run(call);
        CHECK(std::abs(found.records.at("focus").at("best_distance_um").get<double>() - 600) <= 20);
        const auto amplitude = values_of(session.download(found.outputs.at("amplitude")));
        for (const Json& position : truth.at("position_um")) {
            const auto x = static_cast<std::size_t>(std::lround(position[0].get<double>() / 1.4));
            const auto y = static_cast<std::size_t>(std::lround(position[1].get<double>() / 1.4));
            CHECK(amplitude[y * 192 + x] < .5);  // dark where the bead is: light that the twin image leaves
        }
    }
}
