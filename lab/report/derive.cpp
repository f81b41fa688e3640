// Samples -> times, metrics, pairs and the summary. All of it is deterministic.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "report/answer.hpp"
#include "report/busy.hpp"
#include "report/claims.hpp"
#include "report/report.hpp"
#include "report/samples.hpp"
#include "report/selection.hpp"
#include "timing/statistics.hpp"

namespace parallax::engine::compare {

namespace {

Json to_json(const Estimate& e) {
    Json json{{"median", e.median}, {"low", e.low}, {"high", e.high}};
    tell_confidence(json, e);
    return json;
}

/// What of a run from end to end was neither transfer nor kernels.
Rounds host_part(const Json& end) {
    const Rounds wall = rounds_of(end, "wall"), up = rounds_of(end, "upload"), down = rounds_of(end, "download");
    Rounds device = device_rounds(end);
    if (!has_samples(device)) device = rounds_of(end, "run");
    Rounds rest;
    for (const Rounds* part : std::initializer_list<const Rounds*>{&up, &down, &device}) {   // samples of one run have one place
        const bool same =
            part->size() == wall.size() && std::equal(wall.begin(), wall.end(), part->begin(),
                                                      [](const auto& a, const auto& b) { return a.size() == b.size(); });
        if (!same) return {};
    }
    for (std::size_t r = 0; r < wall.size(); ++r) {
        rest.emplace_back();
        for (std::size_t i = 0; i < wall[r].size(); ++i)
            rest.back().push_back(std::max(0.0, wall[r][i] - up[r][i] - down[r][i] - device[r][i]));
    }
    return rest;
}

Json times_of(const Json& samples) {
    Json times = Json::object();
    const auto add = [&](const char* name, const Rounds& rounds) {
        if (has_samples(rounds)) times[name] = to_json(estimate(rounds, apart_of(samples)));
    };
    add("device", device_rounds(samples));
    add("wall", rounds_of(samples, "wall"));
    if (!samples.contains("end_to_end")) return times;
    const Json& end = samples["end_to_end"];
    add("end_to_end", rounds_of(end, "wall"));
    add("upload", rounds_of(end, "upload"));
    add("run", rounds_of(end, "run"));
    add("download", rounds_of(end, "download"));
    add("host", host_part(end));
    return times;
}

Json stages_of(const Json& samples) {
    Json stages = Json::object();
    if (!samples.contains("stages")) return stages;
    for (const auto& [name, lists] : samples["stages"].items()) {
        const Rounds rounds = rounds_of(samples["stages"], name);
        if (has_samples(rounds)) stages[name] = to_json(estimate(rounds, apart_of(samples)));
    }
    return stages;
}

/// The time that kernels take, or the host's where the driver does not say.
std::optional<double> compute_seconds(const Json& times) {
    for (const char* name : {"device", "wall"}) {
        if (times.contains(name)) return times[name]["median"].get<double>();
    }
    return std::nullopt;
}

/// How long runs from end to end take: of those without pause, which are many, else of the samples. A percentile that stands for
/// less than one of them is not told.
void add_latencies(const Json& row, Json& metrics) {
    constexpr std::pair<const char*, double> percentiles[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}};
    if (row.contains("sustained")) {
        const Json& of = row["sustained"];
        metrics["latency_p50_ms"] = of.value("median_s", 0.0) * 1e3;
        for (const char* name : {"p95", "p99", "p999"}) {
            if (of.contains(std::string(name) + "_s"))
                metrics[fmt::format("latency_{}_ms", name)] = of[std::string(name) + "_s"].get<double>() * 1e3;
        }
        return;
    }
    const std::vector<double> all = flat(rounds_of(row, Span::end_to_end));
    for (const auto& [name, p] : percentiles) {
        if (static_cast<double>(all.size()) * (1 - p) > 0.999)
            metrics[fmt::format("latency_{}_ms", name)] = percentile(all, p) * 1e3;
    }
}

Json metrics_of(const Json& row, const Json& times, const Json& rates, const Json& device) {
    Json metrics = Json::object();
    for (const auto& [name, estimate] : times.items()) metrics[name + "_ms"] = estimate["median"].get<double>() * 1e3;
    const auto seconds = compute_seconds(times);
    const Json& work = row["work"];
    if (seconds && *seconds > 0) {
        metrics["compute_ms"] = *seconds * 1e3;
        if (const double operations = work.value("operations", 0.0); operations > 0) {
            metrics["gflops"] = operations / *seconds * 1e-9;
            if (work["bytes"] > 0) metrics["intensity"] = operations / work["bytes"].get<double>();
        }
        if (work["items"] > 0) metrics["rate"] = work["items"].get<double>() / *seconds / work["scale"].get<double>();
        if (work["bytes"] > 0) {
            metrics["bandwidth_gbs"] = work["bytes"].get<double>() / *seconds * 1e-9;
            const Json copy = rates.is_object() ? rates.value("copy_gbs", Json()) : Json();
            if (copy.is_number() && copy > 0)
                metrics["copy_share"] = metrics["bandwidth_gbs"].get<double>() / copy.get<double>();
        }
    }
    if (times.contains("end_to_end")) {
        const double end = times["end_to_end"]["median"].get<double>();
        if (end > 0) metrics["runs_a_second"] = 1 / end;
        if (work["items"] > 0 && end > 0) metrics["rate_end_to_end"] = work["items"].get<double>() / end / work["scale"].get<double>();
        add_latencies(row, metrics);
    }
    if (row.contains("compile")) {
        metrics["first_compile_ms"] = row["compile"]["first_s"].get<double>() * 1e3;
        if (row["compile"].value("cold", false)) metrics["compile_cold_ms"] = row["compile"]["first_s"].get<double>() * 1e3;
        if (row["compile"].contains("cached_s")) metrics["compile_cached_ms"] = row["compile"]["cached_s"].get<double>() * 1e3;
    }
    if (row.contains("memory") && device["info"].value("global_memory", std::uint64_t{0}) > 0) {
        metrics["memory_mb"] = row["memory"]["allocated"].get<double>() * 1e-6;
        metrics["memory_left_mb"] =
            (device["info"]["global_memory"].get<double>() - row["memory"]["allocated"].get<double>()) * 1e-6;
    }
    if (row.contains("energy")) {
        const auto add = [&](const char* to, const char* from) {
            if (row["energy"].contains(from) && row["energy"][from].is_number()) metrics[to] = row["energy"][from];
        };
        add("joules_integrated", "integrated_joules");
        add("joules_counted", "counter_joules");
        add("watts", "watts");
    }
    if (row.contains("sustained")) {
        metrics["sustained_runs_a_second"] = row["sustained"]["runs_a_second"];
        metrics["sustained_p99_ms"] = row["sustained"]["p99_s"].get<double>() * 1e3;
    }
    Json told = Json::object();   // what is infinite would be written as null, and the report could not be read again
    for (const auto& [name, value] : metrics.items())
        if (std::isfinite(value.get<double>())) told[name] = value;
    return told;
}

/// What two rows of a pair have in common, save what the selections tell apart.
std::string pair_key(const Json& row, const Json& device, bool variants_differ, bool devices_differ) {
    std::string key = row["case"].get<std::string>() + row["grid"].dump();
    if (!variants_differ) key += "|" + row["way"].get<std::string>();
    if (!devices_differ) key += "|" + device["label"].get<std::string>();
    return key;
}

Json compare_rounds(const Rounds& of, const Rounds& to, Apart apart) {
    const Estimate ratio = estimate_ratio(of, to, apart);
    const Verdict verdict = judge(ratio, 0.02, median(flat(of)) - median(flat(to)));
    Json pair{{"ratio", ratio.median},
              {"low", ratio.low},
              {"high", ratio.high},
              {"of_ms", median(flat(of)) * 1e3},
              {"to_ms", median(flat(to)) * 1e3},
              {"verdict", to_string(verdict)}};
    tell_confidence(pair, ratio);
    return pair;
}

Json pairs_of(const Json& item, const Json& report) {
    const auto tells = [&](const char* key) { return item["of"].contains(key) || item["to"].contains(key); };
    const bool variants_differ = tells("variant"), devices_differ = tells("device") || tells("backend") || tells("type");
    std::map<std::string, std::vector<const Json*>> others;
    const auto in_item = [&](const Json& row) {
        return row["outcome"] == "ok" && row.contains("samples") &&
               (!item.contains("cases") || is_one_of(item["cases"], row["case"].get<std::string>()));
    };
    const Json& devices = report["devices"];
    for (const Json& row : report["rows"]) {
        const Json& device = devices[row["device"].get<std::size_t>()];
        if (in_item(row) && selected(item["to"], row, device))
            others[pair_key(row, device, variants_differ, devices_differ)].push_back(&row);
    }
    Json pairs = Json::array();
    for (const Json& row : report["rows"]) {
        const Json& device = devices[row["device"].get<std::size_t>()];
        if (!in_item(row) || !selected(item["of"], row, device)) continue;
        for (const Json* other : others[pair_key(row, device, variants_differ, devices_differ)]) {
            if (other == &row || !is_timed(rounds_of(row, Span::device)) || !is_timed(rounds_of(*other, Span::device))) continue;
            const Json base{{"of", row["id"]},   {"to", (*other)["id"]},      {"case", row["case"]}, {"grid", row["grid"]},
                            {"way", row["way"]}, {"to_way", (*other)["way"]}, {"stage", nullptr}};
            Json whole = base;
            whole.update(compare_rounds(rounds_of(row, Span::device), rounds_of(*other, Span::device), apart_of(row, *other)));
            pairs.push_back(std::move(whole));
            const Json mine = row["samples"].value("stages", Json::object()),
                       theirs = (*other)["samples"].value("stages", Json::object());
            if (mine.size() < 2) continue;
            for (const auto& [stage, lists] : mine.items()) {
                const Rounds a = rounds_of(mine, stage), b = rounds_of(theirs, stage);
                if (!is_timed(a) || !is_timed(b)) continue;
                Json part = base;
                part["stage"] = stage;
                part.update(compare_rounds(a, b, apart_of(row, *other)));
                pairs.push_back(std::move(part));
            }
        }
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Json& a, const Json& b) { return a["ratio"].get<double>() > b["ratio"].get<double>(); });
    return pairs;
}

std::string duration(double ms) {
    return ms >= 1000 ? fmt::format("{:.3g} s", ms / 1000)
           : ms >= 1  ? fmt::format("{:.3g} ms", ms)
                      : fmt::format("{:.3g} us", ms * 1000);
}

/// What ran: its variant, or step by step where it is a chain of several.
std::string chain_of(const Json& row) {
    if (!row.contains("steps") || row["steps"].size() < 2) return row.value("variant", std::string("chosen"));
    std::vector<std::string> steps;
    for (const Json& step : row["steps"])
        steps.push_back(step["run"].get<std::string>() + " " + step["variant"].get<std::string>());
    return fmt::format("{}", fmt::join(steps, ", "));
}

/// What each device does best at a case's last point, the fastest first.
std::optional<std::string> winners_of(const Json& report, const std::string& id, const std::vector<const Json*>& rows) {
    if (rows.empty()) return std::nullopt;
    const Json* const last = rows.back();
    const std::string key = ranked_by(report["study"]) == "end_to_end" ? "end_to_end_ms" : "compute_ms";
    const auto ms = [&](const Json& row) { return row["metrics"][key].get<double>(); };
    std::map<std::size_t, const Json*> of_device;
    for (const Json* const row : rows) {
        if ((*row)["grid"] != (*last)["grid"] || !(*row)["metrics"].contains(key)) continue;
        const Json*& best = of_device[(*row)["device"].get<std::size_t>()];
        if (best == nullptr || ms(*row) < ms(*best)) best = row;
    }
    if (of_device.empty()) return std::nullopt;
    std::vector<std::pair<std::size_t, const Json*>> ranked(of_device.begin(), of_device.end());
    std::stable_sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) { return ms(*a.second) < ms(*b.second); });
    std::string text = id;
    if (const std::string where = grid_text((*last)["grid"]); !where.empty()) text += " at " + where;
    const double fastest = ms(*ranked.front().second);
    for (const auto& [device, row] : ranked) {
        const bool own_choice = (*row)["way"] == "chosen" || (*row)["way"] == "program";
        const std::string way = own_choice ? chain_of(*row) : (*row)["way"].get<std::string>();
        text += fmt::format("{} {} {} ({}", device == ranked.front().first ? ":" : ";",
                            report["devices"][device]["label"].get<std::string>(), duration(ms(*row)), way);
        const double ratio = ms(*row) / fastest;
        text += device == ranked.front().first ? ")"
                : ratio < 1.02                 ? ", the same within 2%)"
                                               : fmt::format(", {} times as long)", short_number(ratio));
    }
    return text;
}

Json summary_of(const Json& report) {
    std::map<std::string, int> outcomes;
    for (const Json& row : report["rows"]) ++outcomes[row["outcome"].get<std::string>()];
    std::string counts = fmt::format("{} row{} on {} device{}", report["rows"].size(), report["rows"].size() == 1 ? "" : "s",
                                     report["devices"].size(), report["devices"].size() == 1 ? "" : "s");
    const std::pair<const char*, const char*> words[] = {{"ok", "timed"},
                                                         {"refused", "refused with a reason"},
                                                         {"disagrees", "disagree with the reference and have no time"},
                                                         {"failed", "failed"},
                                                         {"crashed", "crashed"},
                                                         {"hung", "hung"},
                                                         {"no reference", "without a reference"},
                                                         {"too long", "left out as too long"},
                                                         {"left out", "left out for lack of time"},
                                                         {"not run", "not run"}};
    for (const auto& [outcome, what] : words) {
        if (outcomes[outcome] > 0) counts += fmt::format(", {} {}", outcomes[outcome], what);
    }
    Json summary = Json::array();
    for (std::string& line : claims_in_words(report)) summary.push_back(std::move(line));
    for (std::string& line : answer_in_words(report)) summary.push_back(std::move(line));
    std::map<std::string, std::vector<const Json*>> of_case;
    for (const Json& row : report["rows"]) of_case[row["case"].get<std::string>()].push_back(&row);
    for (const Json& one : report["study"]["cases"]) {
        const std::string id = one["id"].get<std::string>();
        if (const auto winners = winners_of(report, id, of_case[id])) summary.push_back(*winners);
    }
    for (const Json& item : report["pairs"]) {
        std::map<std::string, int> verdicts;
        std::vector<double> ratios;
        for (const Json& row : item["rows"]) {
            if (!row["stage"].is_null()) continue;
            ++verdicts[row["verdict"].get<std::string>()];
            ratios.push_back(row["ratio"].get<double>());
        }
        if (!ratios.empty())
            summary.push_back(
                fmt::format("{}: of {} pairs {} are the same within 2%, {} faster, {} slower; the median ratio is {:.3f}",
                            item["title"].get<std::string>(), ratios.size(), verdicts["same"], verdicts["faster"],
                            verdicts["slower"], median(ratios)));
    }
    summary.push_back(counts);
    for (const Json& session : report["sessions"])
        if (const std::string load = load_in_words(session); !load.empty()) {
            std::vector<std::string> labels;
            for (const auto& [label, rates] : session["rates"].items()) labels.push_back(label);
            summary.push_back(fmt::format(
                "Other work ran on the machine when {} began ({}): times may be longer than its own",
                report["sessions"].size() > 1 && !labels.empty() ? fmt::format("{}", fmt::join(labels, ", ")) : "this", load));
        }
    for (const Json& session : report["sessions"]) {
        if (!session.contains("budget")) continue;
        const Json& budget = session["budget"];
        std::vector<std::string> left_out;
        for (const Json& one : budget.value("left_out", Json::array())) left_out.push_back(one.get<std::string>());
        const double minutes = budget.value("minutes", 0.0), took = budget.value("took_s", 0.0);
        const std::string of = took > 0 ? fmt::format("{:.3g} s of ", took) : std::string();
        summary.push_back(fmt::format("Made in {}{:g} minute{}; left out: {}", of, minutes, minutes == 1 ? "" : "s",
                                      left_out.empty() ? "nothing" : fmt::format("{}", fmt::join(left_out, "; "))));
    }
    return summary;
}

}  // namespace

Json assemble(const Study& study, Json devices, const std::vector<Json>& sessions, const std::vector<Json>& rows) {
    Json report{{"parallax_comparison", 1},      {"study", study.written}, {"quick", study.quick},
                {"devices", std::move(devices)}, {"sessions", sessions},   {"rows", rows}};
    return derive(std::move(report));
}

Json derive(Json report) {
    for (Json& row : report["rows"]) {
        for (const char* key : {"times", "stages", "metrics"}) row.erase(key);
        const std::size_t device = row["device"].get<std::size_t>();
        const Json& rates = report["sessions"][row["session"].get<std::size_t>()]["rates"];
        const bool timed = row["outcome"] == "ok" && row.contains("samples");
        row["times"] = timed ? times_of(row["samples"]) : Json::object();
        row["stages"] = timed ? stages_of(row["samples"]) : Json::object();
        row["metrics"] =
            timed ? metrics_of(row, row["times"], rates.value(report["devices"][device]["label"].get<std::string>(), Json()),
                               report["devices"][device])
                  : Json::object();
    }
    report["pairs"] = Json::array();
    for (const Json& item : report["study"].value("report", Json::array())) {
        if (item["kind"] == "pairs") report["pairs"].push_back({{"title", item["title"]}, {"rows", pairs_of(item, report)}});
    }
    report["answer"] = answer_of(report);
    report["summary"] = summary_of(report);
    return report;
}

}  // namespace parallax::engine::compare
