// Small studies of sums on the host, which need no driver, and the folders that they are run in.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "compare/compare.hpp"
#include "jobs/support.hpp"
#include "peers/peers.hpp"

namespace parallax::tests {

using namespace engine;
using namespace engine::compare;

inline const Registry& registry() {
    static const Registry all = registry_with_peers();
    return all;
}

inline std::string program() {
    const char* const bin = std::getenv("PARALLAX_BIN");
    REQUIRE_MESSAGE(bin != nullptr, "PARALLAX_BIN must hold the path of the program");
    return fs::absolute(bin).string();
}

inline Json study_text(const std::string& variants, int samples = 6) {
    Json json = Json::parse(R"({"parallax_study": 1, "title": "sums", "devices": [{"backend": "native"}],
        "sampling": {"samples": 6, "rounds": 3, "warmups": 1, "budget_s": 0.2},
        "cases": [{"id": "sum", "grid": {"n": [100, 1000]},
            "inputs": {"array": {"make": "random", "type": "u32", "axes": "n", "shape": ["$n"]}},
            "steps": [{"run": "reduce"}], "work": {"items": ["$n"], "bytes": ["$n", 4]}}],
        "report": [{"kind": "line", "title": "Time", "x": "n", "y": "wall_ms"}]})");
    json["cases"][0]["variants"] = Json::parse(variants);
    json["sampling"]["samples"] = samples;
    return json;
}

struct Ready {
    Study study;
    std::vector<Point> points;
    std::vector<StudyDevice> devices;
    explicit Ready(const Json& json)
        : study(parse_study(json, registry().algorithms(), false)),
          points(expand(study, registry().algorithms())),
          devices(devices_of(study, host::enumerate(), std::nullopt)) {}
    Json run(const CompareOptions& options) const {
        return engine::compare::run(study, points, devices, registry().algorithms(), options);
    }
};

inline CompareOptions options_in(const TempFolder& folder) {
    CompareOptions options;
    options.out = folder / "out";
    fs::create_directories(options.out);
    options.worker = {program(), "worker"};
    return options;
}

/// The folder of what a study keeps while it runs; empty where there is none.
inline fs::path work_in(const fs::path& out) {
    for (const auto& entry : fs::directory_iterator(out)) {
        const std::string name = entry.path().filename().string();
        if (entry.is_directory() && name.starts_with(".parallax-") && name.ends_with("-study")) return entry.path();
    }
    return {};
}

}   // namespace parallax::tests
