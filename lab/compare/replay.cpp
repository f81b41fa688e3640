#include "compare/replay.hpp"

#include "timing/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace parallax::engine::compare {

namespace {

Rounds rounds_of(const Json& row) {
    const Json samples = row.value("samples", Json::object());
    for (const char* name : {"device", "wall"}) {
        if (!samples.contains(name)) continue;
        Rounds rounds;
        bool whole = true;
        for (const Json& list : samples[name]) {
            rounds.emplace_back();
            for (const Json& value : list) {
                whole = whole && value.is_number();
                if (whole) rounds.back().push_back(value.get<double>());
            }
        }
        if (whole && !rounds.empty() && !rounds.front().empty()) return rounds;
    }
    return {};
}

double median_of(const Rounds& rounds) {
    std::vector<double> all;
    for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
    return median(std::move(all));
}

/// The device of `later` that takes the place of one of `earlier`.
std::optional<std::size_t> counterpart(const Json& device, const Json& devices) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (devices[i]["label"] == device["label"]) return i;
    }
    for (const std::vector<const char*>& keys : {std::vector{"name", "backend", "platform"}, std::vector{"name", "backend"}}) {
        for (std::size_t i = 0; i < devices.size(); ++i) {
            if (std::all_of(keys.begin(), keys.end(),
                            [&](const char* key) { return devices[i]["info"][key] == device["info"][key]; }))
                return i;
        }
    }
    return std::nullopt;
}

}  // namespace

Change change_of(const Json& before, const Json& after, bool same_driver) {
    Change change{before["id"].get<std::string>(), {}, "same", 0, 0, 0, {}};
    if (before["outcome"] != after["outcome"]) {
        change.verdict = "different result";
        change.why = fmt::format("{} before, {} now{}", before["outcome"].get<std::string>(), after["outcome"].get<std::string>(),
                                 after.contains("reason") ? ": " + after["reason"].get<std::string>() : "");
        return change;
    }
    const auto is_exact = [](const Json& row) { return row.contains("agreement") && row["agreement"].value("exact", false); };
    const bool bits_count = same_driver || (is_exact(before) && is_exact(after));
    if (bits_count && before.value("variant", Json()) == after.value("variant", Json())) {
        if (before.value("hashes", Json()) != after.value("hashes", Json()) ||
            before.value("records", Json()) != after.value("records", Json())) {
            change.verdict = "different result";
            change.why = "other bits than before";
            return change;
        }
    }
    const Rounds was = rounds_of(before), is = rounds_of(after);
    if (was.empty() || is.empty()) return change;
    const Estimate ratio = estimate_ratio(is, was);
    change.ratio = ratio.median;
    change.low = ratio.low;
    change.high = ratio.high;
    change.verdict = to_string(judge(ratio, practical_margin, median_of(is) - median_of(was)));
    return change;
}

std::vector<Change> changes_between(const Json& earlier, const Json& later) {
    std::vector<Change> changes;
    for (const Json& row : earlier["rows"]) {
        const Json& device = earlier["devices"][row["device"].get<std::size_t>()];
        const auto there = counterpart(device, later["devices"]);
        Change change{row["id"].get<std::string>(), {}, "not there", 0, 0, 0, "no such device here"};
        if (there) {
            change.why = "no such row here";
            for (const Json& other : later["rows"]) {
                if (other["device"] != *there || other["case"] != row["case"] || other["grid"] != row["grid"] ||
                    other["way"] != row["way"])
                    continue;
                const Json& now = later["devices"][*there];
                const bool same_driver = now["info"]["name"] == device["info"]["name"] &&
                                         now["info"]["driver"] == device["info"]["driver"] &&
                                         now["info"]["platform"] == device["info"]["platform"];
                change = change_of(row, other, same_driver);
            }
            change.device = later["devices"][*there]["label"].get<std::string>();
        }
        changes.push_back(std::move(change));
    }
    return changes;
}

Json to_json(const std::vector<Change>& changes) {
    Json list = Json::array();
    for (const Change& c : changes)
        list.push_back({{"row", c.row},
                        {"device", c.device},
                        {"verdict", c.verdict},
                        {"ratio", c.ratio > 0 ? Json(c.ratio) : Json()},
                        {"low", c.low},
                        {"high", c.high},
                        {"why", c.why}});
    return list;
}

}  // namespace parallax::engine::compare
