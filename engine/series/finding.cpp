#include "series/finding.hpp"

#include <map>

#include "algorithms/hologram/parameters.hpp"

namespace parallax::engine::series {

namespace {

/// The carrier of off-axis holograms.
Finding carrier() {
    return {.record = "carrier",
            .needed =
                [](const Parameters& parameters) {
                    const auto& p = parameters.as<hologram::HologramParameters>();
                    return p.off_axis && p.off_axis->is_searched();
                },
            .fix =
                [](const Json& parameters, const Json& record) {
                    Json fixed = parameters;
                    fixed["off_axis"] = Json{{"x", record.at("x")}, {"y", record.at("y")}, {"radius", record.at("radius")}};
                    return fixed;
                }};
}

}  // namespace

const Finding* finding_of(const std::string& algorithm) {
    static const std::map<std::string, Finding> findings{{"hologram", carrier()}};
    const auto found = findings.find(algorithm);
    return found == findings.end() ? nullptr : &found->second;
}

}  // namespace parallax::engine::series
