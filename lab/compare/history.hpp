// Many reports of one study, night after night or driver after driver: since when is a row slower?
//
//   { "parallax_history": 1,
//     "reports": [{ "name", "started", "engine", "revision", "drivers": { device: driver } }],
//     "rows": [{ "row", "device", "verdict", "since": a report or null, "margin",
//                "points": [{ "ratio", "low", "high", "verdict", "confidence" where that is not
//                .95 }, one a report], "why" }] }
//
// Every report is held against the first, the one that was accepted. What a machine does from night to night is learned from the
// reports: from four on, a row's margin is three standard deviations of one night to the next, where that is more than 2.5%.
#pragma once

#include "parallax/host/json.hpp"
#include "report/samples.hpp"

#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::compare {

/// The reports in their order, the first is what the others are held against. `by`: another time than the study ranks by. Throws
/// ConfigError where there are less than two.
Json history_of(const std::vector<Json>& reports, const std::vector<std::string>& names, std::optional<Span> by = {});
/// Whether a row of the last report is slower than it was, gone, or has another result.
bool has_worsened(const Json& history);

}  // namespace parallax::engine::compare
