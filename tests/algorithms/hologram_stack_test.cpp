// Stacks of planes on every device: planes made together, the plane in focus, and what stays from one frame or distance to the
// next.
#include "hologram_bench.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::hologram;
using namespace parallax::tests::holograms;

TEST_CASE("planes of a stack that are made together are those of each alone") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        struct Row {
            std::int64_t width, height;
            const char *padding, *variant;
        };
        for (const Row& row : {Row{130, 98, "none", "fused"}, {50, 37, "mean", "fused"}, {61, 34, "zero", "fused"},
                               {94, 82, "reflect", "fused_mirrored"}, {75, 60, "reflect", "fused_mirrored"}}) {
            const Image image = rings(row.width, row.height);
            Json job{
                {"distance_um", {700, -250, 300, 450, 500, 90, 1}}, {"method", "angular_spectrum"}, {"padding", row.padding}};
            const Parameters parameters = parse(algorithm, job.dump());
            const std::vector<std::string> variants = device_variants(session, parameters, image, {"amplitude"});
            if (std::find(variants.begin(), variants.end(), row.variant) == variants.end()) continue;
            const Reference expected = reference(parameters, image);
            bool runs = true;
            for (const int at_once : {0, 1, 2, 4, 8})
                for (const int together : {0, 1, 2, 4}) {
                    if (at_once == 1 && together > 0) continue;
                    const Json policy{{"planes_at_once", at_once}, {"planes_together", together}};
                    CAPTURE(row.variant);
                    CAPTURE(policy.dump());
                    session.profiler().clear();
                    const CallResult result = run_or_another(session, parameters, image, row.variant, {"amplitude"}, policy);
                    CHECK(relative_error(session.download(result.outputs.at("amplitude")), expected.planes) < 2e-6);
                    runs = runs && result.variant == row.variant;
                    if (!runs || at_once == 0) continue;
                    const std::size_t launches = static_cast<std::size_t>((7 + at_once - 1) / at_once);
                    CHECK(launches_of(session.profiler(), "columns") == launches);
                }
            if (!runs) continue;
            // Who may take little memory makes one after the other.
            Call call;
            call.algorithm = &algorithm;
            call.parameters = parameters;
            call.variant = row.variant;
            call.outputs = {"amplitude"};
            call.memory = static_cast<std::uint64_t>(16 * 8 * row.width * row.height);
            call.inputs.emplace("hologram", session.upload(host_array(image)));
            session.profiler().clear();
            const CallResult alone = session.run(call);
            CHECK(launches_of(session.profiler(), "columns") == 7);
            CHECK(relative_error(session.download(alone.outputs.at("amplitude")), expected.planes) < 2e-6);
        }
    });
}

TEST_CASE("focus is found on the device, and the best plane is the stack's") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const Image image = rings(80, 70);
        for (const char* metric : {"tenengrad", "variance", "brenner", "laplacian", "dubois"}) {
            for (const char* object : {"amplitude", "phase"}) {
                CAPTURE(metric);
                CAPTURE(object);
                const std::string text = fmt::format(
                    R"({{"method": "angular_spectrum", "distance_um": {{"from": 100, "to": 300, "step": 50}},
                        "autofocus": {{"metric": "{}", "object": "{}", "region": [5, 6, 60, 50]}}, "planes": "PLANES"}})",
                    metric, object);
                const auto with_planes = [&](const char* planes) {
                    std::string t = text;
                    t.replace(t.find("PLANES"), 6, planes);
                    return parse(algorithm, t);
                };
                const Parameters all = with_planes("all"), best = with_planes("best");
                const auto& p = all.as<HologramParameters>();
                const Reference expected = reference(all, image);
                std::vector<double> values;
                for (const auto& plane : expected.planes) {
                    std::vector<double> amplitude;
                    for (const auto& u : plane) amplitude.push_back(std::abs(u));
                    values.push_back(focus_metric(p.autofocus->metric, amplitude, 80, 70, {5, 6, 60, 50}));
                }
                const Focus focus = best_focus(p.distance.values, values, p.autofocus->metric, p.autofocus->object);

                const CallResult stack = run(session, all, image, "", {"amplitude", "focus"});
                const Json& record = stack.records.at("focus");
                for (std::size_t i = 0; i < values.size(); ++i) {
                    CHECK(record.at("value").at(i).get<double>() == doctest::Approx(values[i]).epsilon(2e-4));
                }
                CHECK(record.at("best_index").get<std::size_t>() == focus.index);
                CHECK(record.at("best_distance_um").get<double>() == doctest::Approx(focus.distance * 1e6).epsilon(1e-3));

                const std::vector<std::string> variants = device_variants(session, all, image, {"amplitude"});
                if (std::find(variants.begin(), variants.end(), "fused_mirrored") != variants.end())
                    for (const std::size_t at_once : {1, 2, 4}) {
                        CAPTURE(at_once);
                        const Json policy{{"planes_at_once", at_once}};
                        for (const std::size_t once_more : {0, 1}) {   // the best plane
                            session.profiler().clear();
                            const CallResult batches = run_or_another(session, once_more ? best : all, image, "fused_mirrored",
                                                                      {"amplitude", "focus"}, policy);
                            if (batches.variant != "fused_mirrored") continue;
                            for (std::size_t i = 0; i < values.size(); ++i)
                                CHECK(batches.records.at("focus").at("value").at(i).get<double>() ==
                                      doctest::Approx(values[i]).epsilon(2e-4));
                            CHECK(launches_of(session.profiler(), "columns") == (5 + at_once - 1) / at_once + once_more);
                        }
                    }

                const CallResult one = run(session, best, image, "", {"amplitude", "focus"});
                const HostArray plane = session.download(one.outputs.at("amplitude"));
                CHECK(plane.desc.axes.size() == 2);
                CHECK(relative_error(plane, {expected.planes[focus.index]}) < 2e-6);
            }
        }
    });
}

TEST_CASE("a focus whose terms together pass what a float holds is found all the same") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const Image image = rings(160, 140);
        constexpr float large = 1e16f;
        HostArray scaled = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', image.height}, {'x', image.width}}));
        std::transform(image.pixels.begin(), image.pixels.end(), scaled.as<float>(), [](std::uint8_t v) { return v * large; });
        for (const char* metric : {"tenengrad", "variance", "brenner", "laplacian"}) {
            CAPTURE(metric);
            Call call;
            call.algorithm = &algorithm;
            call.parameters =
                parse(algorithm, fmt::format(R"({{"distance_um": [100, 150, 200], "autofocus": {{"metric": "{}"}}}})", metric));
            call.outputs = {"focus"};
            const auto values_of = [&](const HostArray& array) {
                call.inputs.clear();
                call.inputs.emplace("hologram", session.upload(array));
                return session.run(call).records.at("focus").at("value").get<std::vector<double>>();
            };
            CAPTURE(session.engine().device().name);
            const std::vector<double> expected = values_of(host_array(image)), values = values_of(scaled);
            for (std::size_t i = 0; i < values.size(); ++i)
                CHECK(values[i] / large / large == doctest::Approx(expected[i]).epsilon(1e-4));
        }
    });
}

TEST_CASE("a new distance neither builds nor allocates, and frames do not leak into each other") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const auto check = [&](const std::string& variant, const Json& policy, const auto& at) {
            CAPTURE(variant);
            CAPTURE(policy.dump());
            const Image first = rings(64, 48, 1), second = rings(64, 48, 2);
            const CallResult warm = run(session, at(4000), first, variant, {}, policy);
            CHECK(warm.plan_seconds > 0);
            std::map<std::string, DeviceArray, std::less<>> into = warm.outputs;
            Call call;
            call.algorithm = &algorithm;
            call.variant = variant;
            call.policy = policy;
            call.inputs.emplace("hologram", session.upload(host_array(second)));
            const std::uint64_t allocated = session.engine().context().allocated();
            for (const double d : {5000.0, 4000.0}) {
                call.parameters = at(d);
                const CallResult result = session.run(call, into);
                CHECK(result.plan_seconds == 0);
                CHECK(session.engine().context().allocated() == allocated);
                CHECK(relative_error(session.download(result.outputs.at("amplitude")),
                                     reference(call.parameters, second).planes) < 2e-6);
            }
        };
        for (const char* method : {"angular_spectrum", "convolution"}) {
            for (const char* padding : {"none", "reflect"}) {
                CAPTURE(method);
                CAPTURE(padding);
                const auto at = [&](double d) {
                    return parse(algorithm, fmt::format(R"({{"method": "{}", "distance_um": {}, "padding": "{}"}})", method, d,
                                                        padding));
                };
                for (const std::string& variant : device_variants(session, at(4000), rings(64, 48), {"amplitude"}))
                    for (const Json& policy : ways_of(algorithm, variant)) check(variant, policy, at);
            }
        }
    });
}

TEST_CASE("a new distance on the other side of the limit is another plan, and more planes are, too") {
    on_each_device([](Session& session) {
        const Algorithm& algorithm = session.engine().registry().get("hologram");
        const Image image = rings(64, 48);
        for (const char* distances : {"100", "2000", "[100, 2000]", "[2000, 100]", "[50, 150]", "[100, 200, 2000]"}) {
            const std::string text = fmt::format(R"({{"distance_um": {}, "autofocus": {{}}, "planes": "best"}})", distances);
            CAPTURE(text);
            const Parameters parameters = parse(algorithm, text);
            const Reference expected = reference(parameters, image);
            for (const std::string& variant : device_variants(session, parameters, image, {"amplitude", "focus"})) {
                CAPTURE(variant);
                const CallResult result = run_or_another(session, parameters, image, variant, {"amplitude", "focus", "planes"});
                const Json& focus = result.records.at("focus");
                REQUIRE(focus.at("value").size() == expected.planes.size());
                // The device chose the plane, and so the method that made it once more.
                CHECK(relative_error(session.download(result.outputs.at("amplitude")),
                                     {expected.planes[focus.at("best_index").get<std::size_t>()]}) < 2e-6);
                for (std::size_t i = 0; i < expected.planes.size(); ++i) {
                    CHECK(focus.at("method")[i] == name_of(expected.geometry.methods[i]));
                    CHECK(result.records.at("planes").at("method")[i] == name_of(expected.geometry.methods[i]));
                }
            }
        }
    });
}
