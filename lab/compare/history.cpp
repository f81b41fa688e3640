#include "compare/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compare/replay.hpp"
#include "parallax/host/error.hpp"
#include "report/report.hpp"
#include "timing/statistics.hpp"

namespace parallax::engine::compare {

namespace {

/// What may have changed between reports.
Json conditions_of(const Json& report, const std::string& name) {
    Json drivers = Json::object(), session = Json::object();
    for (const Json& device : report["devices"]) drivers[device["label"].get<std::string>()] = device["info"]["driver"];
    if (!report["sessions"].empty()) session = report["sessions"].back();
    const Json environment = session.value("environment", Json::object());
    return {{"name", name},
            {"started", session.value("started", Json())},
            {"engine", environment.value("engine", Json())},
            {"revision", environment.value("revision", Json())},
            {"drivers", std::move(drivers)}};
}

/// Three standard deviations of a row from one report to the next, from the middle of all steps: one step that is a change does
/// not count.
double margin_of(const std::vector<double>& ratios) {
    constexpr double normal = 1.4826;   // standard deviation by median deviation
    if (ratios.size() < 4) return repeat_margin;
    std::vector<double> steps;
    for (std::size_t i = 1; i < ratios.size(); ++i) steps.push_back(std::abs(std::log(ratios[i] / ratios[i - 1])));
    return std::max(repeat_margin, std::expm1(3 * normal * median(std::move(steps)) / std::numbers::sqrt2));
}

/// A row of the first report in all of them.
Json line_of(const std::vector<const Change*>& changes, const std::string& device) {
    std::vector<double> ratios{1};
    for (const Change* change : changes) {
        if (change->ratio > 0) ratios.push_back(change->ratio);
    }
    const double margin = margin_of(ratios);
    Json points = Json::array({{{"ratio", 1}, {"low", 1}, {"high", 1}, {"verdict", "same"}}});
    std::vector<std::string> verdicts;
    for (const Change* change : changes) {
        std::string verdict = change->verdict;
        if (change->ratio > 0) verdict = to_string(verdict_of(*change, margin));
        verdicts.push_back(verdict);
        points.push_back({{"ratio", change->ratio > 0 ? Json(change->ratio) : Json()},
                          {"low", change->low},
                          {"high", change->high},
                          {"verdict", verdict}});
        tell_confidence(points.back(), {change->ratio, change->low, change->high, change->confidence});
    }
    std::size_t since = verdicts.size();   // of reports after the first
    while (since > 1 && verdicts[since - 2] == verdicts.back()) --since;
    return {{"row", changes.back()->row}, {"device", device},
            {"verdict", verdicts.back()}, {"since", verdicts.back() == "same" ? Json() : Json(since)},
            {"margin", margin},           {"points", std::move(points)},
            {"why", verdicts.back() == changes.back()->verdict ? changes.back()->why : std::string()}};
}

}  // namespace

Json history_of(const std::vector<Json>& reports, const std::vector<std::string>& names, std::optional<Span> by) {
    if (reports.size() < 2)
        throw ConfigError("", fmt::format("{} report{}", reports.size(), reports.size() == 1 ? "" : "s"),
                          "two or more, the oldest first");
    for (std::size_t i = 1; i < reports.size(); ++i) check_same_study(reports.front(), reports[i], names.front(), names[i]);
    std::vector<std::vector<Change>> changes;
    for (std::size_t i = 1; i < reports.size(); ++i) changes.push_back(changes_between(reports.front(), reports[i], by));
    Json history{{"parallax_history", 1}, {"reports", Json::array()}, {"rows", Json::array()}};
    for (std::size_t i = 0; i < reports.size(); ++i) history["reports"].push_back(conditions_of(reports[i], names[i]));
    const Json& first = reports.front();
    for (std::size_t r = 0; r < first["rows"].size(); ++r) {
        std::vector<const Change*> of_row;
        for (const auto& one : changes) of_row.push_back(&one[r]);
        const std::size_t device = first["rows"][r]["device"].get<std::size_t>();
        history["rows"].push_back(line_of(of_row, first["devices"][device]["label"].get<std::string>()));
    }
    return history;
}

bool has_worsened(const Json& history) {
    return std::any_of(history["rows"].begin(), history["rows"].end(), [](const Json& row) {
        Change change;
        change.verdict = row["verdict"].get<std::string>();
        return is_worse(change);
    });
}

}  // namespace parallax::engine::compare
