#include "compare/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "compare/replay.hpp"
#include "parallax/host/error.hpp"
#include "report/busy.hpp"
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

/// Who gives reports by a pattern of the shell has them in the order of their names.
Json out_of_order(const Json& reports) {
    Json warnings = Json::array();
    for (std::size_t i = 1; i < reports.size(); ++i) {
        const Json &before = reports[i - 1]["started"], &here = reports[i]["started"];
        if (before.is_string() && here.is_string() && here < before)
            warnings.push_back(
                fmt::format("{} of {} comes behind {} of {}: reports are taken in the order in which they are given",
                            reports[i]["name"].get<std::string>(), here.get<std::string>(),
                            reports[i - 1]["name"].get<std::string>(), before.get<std::string>()));
    }
    return warnings;
}

/// How many of a report's rows another has, on whatever device.
std::size_t rows_alike(const Json& of, const Json& in) {
    const auto name = [](const Json& row) { return Json::array({row["case"], row["grid"], row["way"]}).dump(); };
    std::set<std::string> names;
    for (const Json& row : in["rows"]) names.insert(name(row));
    return static_cast<std::size_t>(
        std::count_if(of["rows"].begin(), of["rows"].end(), [&](const Json& row) { return names.count(name(row)) > 0; }));
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
    check_has_rows(reports.front(), names.front());
    std::vector<std::vector<Change>> changes;
    for (std::size_t i = 1; i < reports.size(); ++i) changes.push_back(changes_between(reports.front(), reports[i], by));
    Json history{{"parallax_history", 1}, {"reports", Json::array()}, {"rows", Json::array()}};
    for (std::size_t i = 0; i < reports.size(); ++i) history["reports"].push_back(conditions_of(reports[i], names[i]));
    history["warnings"] = out_of_order(history["reports"]);
    const Json& first = reports.front();
    for (std::size_t i = 0; i < reports.size(); ++i)
        for (const Json& session : reports[i]["sessions"])
            if (const std::string load = load_in_words(session); !load.empty())
                history["warnings"].push_back(
                    fmt::format("other work ran beside {} ({}): its times may be longer than the machine's own", names[i], load));
    if (const std::size_t here = rows_alike(reports.back(), first); here < reports.back()["rows"].size())
        history["warnings"].push_back(fmt::format("{} of the {} rows of {} are not in {}: nothing is said of them",
                                                  reports.back()["rows"].size() - here, reports.back()["rows"].size(),
                                                  names.back(), names.front()));
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
