// The files of configs/: current, parsed, and run where their data is.
#include "core/algorithm.hpp"
#include "core/tuning.hpp"
#include "job/job.hpp"
#include "job/load.hpp"
#include "job/schema.hpp"
#include "support.hpp"
#include "peers/peers.hpp"

#include <cmath>
#include <set>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace {

fs::path configs() {
    const auto folder = repository("configs");
    REQUIRE_MESSAGE(folder.has_value(), "run this in the repository, or set PARALLAX_SOURCE to it");
    return *folder;
}

}  // namespace

TEST_CASE("configs/schema/job.schema.json is what the program prints") {
    const Registry registry = registry_with_peers();
    const bool current = read_text(configs() / "schema/job.schema.json") == job_schema(registry.algorithms()).dump(2) + "\n";
    CHECK_MESSAGE(current, "it is stale: tools/generate");
}

TEST_CASE("each algorithm may stand twice in a job: the second step takes nothing of the first that it was not given") {
    const Registry registry = registry_with_peers();
    for (const Algorithm& algorithm : registry.algorithms()) {
        CAPTURE(algorithm.name);
        const Json start = starting_job(algorithm);
        Json job = {{"parallax", 1}, {"inputs", Json::object()}, {"steps", Json::array()}, {"outputs", Json::object()}};
        const std::string own = algorithm.outputs.front().name;
        for (const std::string which : {"a", "b"}) {
            Json step = start["steps"][0];
            step["id"] = which;
            step["in"] = Json::object();
            for (const Port& port : algorithm.inputs) {
                if (!port.required && !(algorithm.name == "box_count" && port.name == "image")) continue;
                step["in"][port.name] = port.name + "_" + which;
                job["inputs"][port.name + "_" + which] = "x.npy";
            }
            step["out"] = {{own, "made_" + which}};
            job["steps"].push_back(step);
            job["outputs"]["made_" + which] =
                algorithm.outputs.front().kind == PortKind::record ? "out_" + which + ".json" : "out_" + which + ".npy";
        }
        const Job linked = parse_job(job, registry.algorithms());
        for (const auto& [port, source] : linked.steps[1].inputs) CHECK_MESSAGE(!source.step, port);
    }
}

TEST_CASE("names that variants had are understood in jobs and in tuning files") {
    const Registry registry = registry_with_peers();
    int names = 0;
    for (const Algorithm& algorithm : registry.algorithms()) {
        for (const Variant& variant : algorithm.variants) {
            for (const std::string& old : variant.formerly) {
                CAPTURE(algorithm.name);
                CAPTURE(old);
                Json job = starting_job(algorithm);
                job["steps"][0]["variant"] = old;
                CHECK(parse_job(job, registry.algorithms()).steps[0].variant == variant.name);
                const TunedDevice device{"opencl", "A", "", "V", "P", "cpu"};
                Tuning tuning(
                    {TuningFile{algorithm.name, {{device, {"f32", "small"}, old, Json::object(), true, Json::object()}}}},
                    registry.algorithms());
                CHECK(tuning.files()[0].entries[0].variant == variant.name);
                ++names;
            }
        }
    }
    CHECK(names >= 8);
}

TEST_CASE("the schema knows every key that the parser knows") {
    const Registry registry = registry_with_peers();
    const Json schema = job_schema(registry.algorithms());
    for (const Algorithm& algorithm : registry.algorithms()) {
        const Json& step = schema["$defs"]["step_" + algorithm.name];
        for (const ParameterField& field : algorithm.parameters.fields()) {
            for (const std::string& key : field.keys) CHECK(step["properties"].contains(key));
        }
        const Json starting = starting_job(algorithm);
        CHECK_NOTHROW(parse_job(starting, registry.algorithms()));
    }
}

TEST_CASE("every committed job and every device file is understood") {
    const Registry registry = registry_with_peers();
    std::set<std::string> seen;
    for (const auto& entry : fs::directory_iterator(configs() / "jobs")) {
        CAPTURE(entry.path().filename().string());
        seen.insert(entry.path().stem().string());
        CHECK_NOTHROW(parse_job(load_json(entry.path()), registry.algorithms()));
    }
    for (const char* job : {"hologram", "usaf_off_axis", "horse_off_axis", "beads_inline", "holopy_inline"})
        CHECK(seen.count(job) == 1);
    seen.clear();
    for (const auto& entry : fs::directory_iterator(configs() / "devices")) {
        CAPTURE(entry.path().filename().string());
        seen.insert(entry.path().stem().string());
        CHECK_NOTHROW(host::DeviceSelector::parse(without_comments(load_json(entry.path())), ""));
    }
    for (const char* device : {"any", "cpu", "gpu", "nvidia"}) CHECK(seen.count(device) == 1);
}

TEST_CASE("the job of the README finds its beads on the best device there is") {
    const TempFolder folder;
    const Run run = run_program({"run", (configs() / "jobs/hologram.json").string(), "--json"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const Json report = Json::parse(run.out);
    const Json& focus = report["records"]["focus"];
    CHECK(focus["best_distance_um"].get<double>() == doctest::Approx(1000).epsilon(0.02));
    CHECK(folder.listing() == std::vector<std::string>{"amplitude.png", "focus.json", "hologram.png"});
    CHECK(Json::parse(read_text(folder / "focus.json")) == focus);
}

TEST_CASE("the jobs of the real holograms run") {
    const fs::path data = test_data();
    if (data.empty()) {
        MESSAGE("SKIPPED: the real holograms are not there (PARALLAX_TEST_DATA)");
        return;
    }
    struct Row { const char* job; const char* setting; const char* output; double focus_um, tolerance_um; };
    const Row rows[] = {
        {"usaf_off_axis", "recon.distance_mm=[27, 27.75, 28.5]", "usaf_amplitude.png", 27750, 250},
        {"horse_off_axis", "recon.distance_mm=649", "horse_amplitude.png", 0, 0},
        {"beads_inline", "recon.distance_um={\"from\": 6.6, \"to\": 7.8, \"step\": 0.2}", "beads_phase.png", 7.2, 0.3},
        {"holopy_inline", "recon.distance_um=[10, 15]", "holopy_amplitude.tif", 0, 0},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.job));
        const TempFolder folder;
        const Run run = run_program({"run", (configs() / "jobs" / (std::string(row.job) + ".json")).string(), "--root",
                                     "data=" + data.string(), "--set", row.setting, "--json"},
                                    folder.path());
        CAPTURE(run.err);
        CHECK(run.status == 0);
        CHECK(fs::exists(folder / row.output));
        if (run.status != 0 || row.focus_um == 0) continue;
        const double found = Json::parse(run.out)["records"]["focus"]["best_distance_um"].get<double>();
        CHECK(std::abs(found - row.focus_um) <= row.tolerance_um);
    }
}
