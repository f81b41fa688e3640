#include "compare/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "job/report.hpp"
#include "parallax/host/error.hpp"
#include "report/answer.hpp"
#include "timing/statistics.hpp"

namespace parallax::engine::compare {

namespace {

bool has_label(const Json& devices, const Json& label) {
    return std::any_of(devices.begin(), devices.end(), [&](const Json& device) { return device["label"] == label; });
}

/// The one of `devices` that takes the place of a device of `earlier`: that of its label, else one of its name whose label is
/// new.
std::optional<std::size_t> counterpart(const Json& device, const Json& earlier, const Json& devices) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (devices[i]["label"] == device["label"]) return i;
    }
    for (const std::vector<const char*>& keys : {std::vector{"name", "backend", "platform"}, std::vector{"name", "backend"}}) {
        for (std::size_t i = 0; i < devices.size(); ++i) {
            if (!has_label(earlier, devices[i]["label"]) &&
                std::all_of(keys.begin(), keys.end(),
                            [&](const char* key) { return devices[i]["info"][key] == device["info"][key]; }))
                return i;
        }
    }
    return std::nullopt;
}

/// Whether both were computed by the same program, as far as they tell.
bool same_engine(const Json& earlier, const Json& later) {
    const auto engine_of = [](const Json& report) {
        if (report["sessions"].empty()) return Json();
        const Json environment = report["sessions"].back().value("environment", Json::object());
        return Json(
            {environment.value("engine", Json()), environment.value("revision", Json()), environment.value("compiler", Json())});
    };
    return engine_of(earlier) == engine_of(later);
}

/// By the same clock: a driver may tell its times in one of two reports alone.
std::pair<Rounds, Rounds> rounds_of_both(const Json& before, const Json& after, Span span) {
    const auto by_driver = [](const Json& row) { return row.contains("samples") && has_samples(device_rounds(row["samples"])); };
    const auto by_host = [](const Json& row) { return row.contains("samples") ? rounds_of(row["samples"], "wall") : Rounds(); };
    if (span == Span::device && by_driver(before) != by_driver(after) && is_timed(by_host(before)) && is_timed(by_host(after)))
        return {by_host(before), by_host(after)};
    return {rounds_of(before, span), rounds_of(after, span)};
}

}  // namespace

Change change_of(const Json& before, const Json& after, bool same_program, Span span) {
    Change change{before["id"].get<std::string>(), {}, "same", 0, 0, 0, 0, {}};
    const bool was_out = before["outcome"] == "left out", is_out = after["outcome"] == "left out";
    if (was_out || is_out) {   // of which nothing is known
        change.verdict = "ambiguous";
        change.why = fmt::format("left out for lack of time, {}", was_out && is_out ? "both times" : was_out ? "before" : "now");
        return change;
    }
    if (before["outcome"] != after["outcome"]) {
        change.verdict = "different result";
        change.why = fmt::format("{} before, {} now{}", before["outcome"].get<std::string>(), after["outcome"].get<std::string>(),
                                 after.contains("reason") ? ": " + after["reason"].get<std::string>() : "");
        return change;
    }
    const auto is_exact = [](const Json& row) { return row.contains("agreement") && row["agreement"].value("exact", false); };
    const bool bits_count = same_program || (is_exact(before) && is_exact(after));
    if (bits_count && before.value("variant", Json()) == after.value("variant", Json())) {
        if (before.value("hashes", Json()) != after.value("hashes", Json()) ||
            before.value("records", Json()) != after.value("records", Json())) {
            change.verdict = "different result";
            change.why = "other bits than before";
            return change;
        }
    }
    if (before["outcome"] != "ok")   // the same, which is not to say that it is well
        change.why = fmt::format("{} both times{}", before["outcome"].get<std::string>(),
                                 after.contains("reason") ? ": " + after["reason"].get<std::string>() : "");
    const auto [was, is] = rounds_of_both(before, after, span);
    if (is_timed(was) != is_timed(is)) {   // the same result, and nothing to say of its time
        change.verdict = "ambiguous";
        change.why = fmt::format("not timed so {}", is_timed(was) ? "now" : "before");
    }
    if (!is_timed(was) || !is_timed(is)) return change;
    const Apart apart = apart_of(before, after);
    change.of_processes = apart == Apart::processes && std::min(was.size(), is.size()) >= least_processes;
    const Estimate ratio = estimate_ratio(is, was, apart);
    change.ratio = ratio.median;
    change.low = ratio.low;
    change.high = ratio.high;
    change.confidence = ratio.confidence;
    change.difference_s = median(flat(is)) - median(flat(was));
    change.verdict = to_string(verdict_of(change, repeat_margin));
    if (change.verdict == "ambiguous" && change.confidence < usual_confidence)
        change.why = fmt::format("measured in {} and {} processes, too few to judge", was.size(), is.size());
    return change;
}

Verdict verdict_of(const Change& change, double margin) {
    const Estimate ratio{change.ratio, change.low, change.high, change.confidence};
    return change.of_processes ? judge_processes(ratio, repeat_margin, margin, change.difference_s)
                               : judge_repeat(ratio, repeat_margin, margin, change.difference_s);
}

std::vector<StudyDevice> devices_again(const Json& earlier, const std::vector<StudyDevice>& here) {
    Json devices = Json::array();
    for (const StudyDevice& device : here) devices.push_back({{"label", device.label}, {"info", engine::to_json(device.info)}});
    std::vector<bool> wanted(here.size());
    for (const Json& device : earlier["devices"])
        if (const auto there = counterpart(device, earlier["devices"], devices)) wanted[*there] = true;
    std::vector<StudyDevice> again;
    for (std::size_t d = 0; d < here.size(); ++d)
        if (wanted[d]) again.push_back(here[d]);
    return again.empty() ? here : again;
}

void check_has_rows(const Json& earlier, const std::string& name) {
    if (earlier["rows"].empty())
        throw ConfigError("", fmt::format("no rows in {}", name), "a report with rows, against which others are held");
}

std::vector<Change> changes_between(const Json& earlier, const Json& later, std::optional<Span> by) {
    const Span span = by.value_or(ranked_by(earlier["study"]) == "end_to_end" ? Span::end_to_end : Span::device);
    using Key = std::tuple<std::size_t, std::string, std::string, Json>;   // device, case, way, grid
    const auto key_of = [](const Json& row, std::size_t device) {
        return Key(device, row["case"].get<std::string>(), row["way"].get<std::string>(), row["grid"]);
    };
    std::map<Key, const Json*> others;   // of the same place the last counts
    for (const Json& row : later["rows"]) others[key_of(row, row["device"].get<std::size_t>())] = &row;
    const bool engine_stayed = same_engine(earlier, later);
    std::vector<std::optional<std::size_t>> there;
    std::vector<bool> bits_count;
    for (const Json& device : earlier["devices"]) {
        there.push_back(counterpart(device, earlier["devices"], later["devices"]));
        const Json now = there.back() ? later["devices"][*there.back()]["info"] : Json::object();
        const auto stayed = [&](const char* key) { return now.value(key, Json()) == device["info"][key]; };
        bits_count.push_back(engine_stayed && stayed("name") && stayed("driver") && stayed("platform"));
    }
    std::vector<Change> changes;
    for (const Json& row : earlier["rows"]) {
        const std::size_t device = row["device"].get<std::size_t>();
        Change change{row["id"].get<std::string>(), {}, "not there", 0, 0, 0, 0, "no such device here"};
        if (there[device]) {
            const auto other = others.find(key_of(row, *there[device]));
            change.why = "no such row here";
            if (other != others.end()) change = change_of(row, *other->second, bits_count[device], span);
            change.device = later["devices"][*there[device]]["label"].get<std::string>();
        }
        changes.push_back(std::move(change));
    }
    return changes;
}

Json to_json(const std::vector<Change>& changes) {
    Json list = Json::array();
    for (const Change& c : changes) {
        list.push_back({{"row", c.row},
                        {"device", c.device},
                        {"verdict", c.verdict},
                        {"ratio", c.ratio > 0 ? Json(c.ratio) : Json()},
                        {"low", c.low},
                        {"high", c.high},
                        {"why", c.why}});
        tell_confidence(list.back(), {c.ratio, c.low, c.high, c.confidence});
    }
    return list;
}

bool is_worse(const Change& change) {
    return change.verdict == "slower" || change.verdict == "different result" || change.verdict == "not there";
}

}  // namespace parallax::engine::compare
