// One row: made ready, held against the reference, and sampled turn by turn.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "agreement/agreement.hpp"
#include "compare/running.hpp"
#include "job/runner.hpp"

namespace parallax::engine::compare {

namespace {

/// What a process that has only just begun runs before it is measured: clocks rise, memory is touched.
constexpr double warm_s = 0.1;

}  // namespace

Json Run::blank_row(const Point& point, const Way& way, std::size_t device) const {
    return {{"id", row_id(point, way, device)},
            {"case", study_.cases[point.case_index].id},
            {"grid", point.grid},
            {"variables", point.variables},
            {"way", way_of(way, device)},
            {"device", device},
            {"session", sessions_.size() - 1},
            {"outcome", "ok"},
            {"work",
             {{"unit", point.work.unit},
              {"scale", point.work.scale},
              {"items", point.work.items},
              {"bytes", point.work.bytes},
              {"operations", point.work.operations}}}};
}

Json Run::job_request(const char* what, const Json& job, const fs::path& folder) const {
    Json inputs = Json::array();
    for (const auto& [name, spec] : points_[current_].inputs.items()) inputs.push_back(name);
    return {{"do", what}, {"job", job}, {"inputs", std::move(inputs)}, {"input_folder", to_utf8(folder / "inputs")}};
}

Json Run::program_request(const Active& active, const Point& point, const Way& way, const fs::path& folder) const {
    const Json job = job_of(point, Way{.label = way.label, .set = way.set}, algorithms_);
    Json steps = Json::array();
    const Pipeline pipeline = pipeline_of(job, algorithms_);
    for (std::size_t i = 0; i < pipeline.steps.size(); ++i) {
        const Step& step = pipeline.steps[i];
        steps.push_back({{"run", step.algorithm->name},
                         {"parameters", step.parameters.to_json()},
                         {"in", job["steps"][i].value("in", Json::object())},
                         {"out", job["steps"][i].value("out", Json::object())}});
    }
    const fs::path results = folder / fmt::format("program-{}", active.device);
    fs::create_directories(results);
    Json request = job_request("prepare", job, folder);
    request["steps"] = std::move(steps);
    request["folder"] = to_utf8(results);
    return request;
}

void Run::prepare_program(Active& active, const Point& point, const Way& way, const fs::path& folder) {
    const Case& c = study_.cases[point.case_index];
    const Json request = program_request(active, point, way, folder);
    const fs::path results = path_from(request["folder"].get<std::string>());
    const Json answer = ask(active, request, budget_.limit_s(study_.sampling.limit_s));
    if (active.over) return;
    for (const char* key : {"variant", "run_s", "records", "note"}) {
        if (answer.contains(key)) active.row[key] = answer[key];
    }
    if (!c.reference) return;
    active.row["reference"] = reference_;
    const Json judged = ask_oracle({{"do", "agree"},
                                    {"folder", to_utf8(results)},
                                    {"records", answer.value("records", Json::object())},
                                    {"reference", to_utf8(folder / "reference")},
                                    {"tolerance", way.tolerance.is_null() ? c.tolerance : way.tolerance}});
    if (judged.contains("error")) return miss(active, "failed", judged["error"].value("message", std::string()));
    active.row["agreement"] = judged["agreement"];
    if (!judged["agreement"]["agrees"].get<bool>())
        miss(active, "disagrees", judged["agreement"].value("why_not", std::string()));
}

void Run::prepare(Active& active, const Point& point, const Way& way, const fs::path& folder) {
    const Case& c = study_.cases[point.case_index];
    Json request = job_request("prepare", job_of(point, way, algorithms_), folder);
    request["reference"] = c.reference ? Json(to_utf8(folder / "reference")) : Json();
    request["tolerance"] = way.tolerance.is_null() ? c.tolerance : way.tolerance;
    request["cold"] = sampling_.cold;
    request["keep"] = c.keep;
    Json evaluations = Json::array();
    for (const Evaluation& e : c.evaluations)
        evaluations.push_back({{"name", e.name}, {"run", e.algorithm}, {"parameters", e.parameters}, {"in", e.in}});
    request["evaluate"] = std::move(evaluations);
    const Json answer = ask(active, request, budget_.limit_s(study_.sampling.limit_s));
    if (active.over) return;
    active.row.update(answer);
    if (c.reference) active.row["reference"] = reference_;
    if (answer.contains("agreement") && !answer["agreement"]["agrees"].get<bool>())
        miss(active, "disagrees", answer["agreement"].value("why_not", std::string()));
}

void Run::begin_again(Active& active, const Point& point, const Way& way, const fs::path& folder) {
    Json request = is_program(active.device) ? program_request(active, point, way, folder)
                                             : job_request("prepare", job_of(point, way, algorithms_), folder);
    request["again"] = true;
    ask(active, request, budget_.limit_s(study_.sampling.limit_s));
}

void Run::take_turn(Active& active, int round) {
    const Sampling& s = sampling_;
    const auto part = [&](int count) { return count * (round + 1) / s.rounds - count * round / s.rounds; };
    const double share = s.budget_s / s.rounds;
    Json& samples = active.row["samples"];
    if (s.fresh_processes) samples["fresh_processes"] = true;
    if (active.row.value("run_s", 0.0) >
        (s.fresh_processes ? share : s.budget_s)) {   // one run says it all that this process has to say
        if (round > 0 && !s.fresh_processes) return;
        const Json answer = ask(active, {{"do", "end_to_end"}, {"warm", false}, {"samples", 1}, {"budget_s", 0}}, s.limit_s);
        if (active.over) return;
        samples["wall"].push_back(answer["run"]);
        samples["device"].push_back(answer["device"]);
        for (const auto& [name, list] : answer.items()) samples["end_to_end"][name].push_back(list);
        return;
    }
    if (part(s.samples) > 0 && (round == 0 || active.used_s < s.budget_s)) {
        const auto before = std::chrono::steady_clock::now();
        const Json answer = ask(active,
                                {{"do", "sample"},
                                 {"move", round > 0 && !s.fresh_processes},
                                 {"warmups", round == 0 || s.fresh_processes ? s.warmups : 1},
                                 {"warm_s", s.fresh_processes ? warm_s : 0},
                                 {"samples", part(s.samples)},
                                 {"least_s", s.least_s / s.rounds},
                                 {"budget_s", share},
                                 {"values", room_.device},
                                 {"cold_cache", s.cold_cache}},
                                s.limit_s + s.budget_s);
        if (active.over) return;
        active.used_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
        samples["wall"].push_back(answer["wall"]);
        samples["device"].push_back(answer["device"]);
        for (const auto& [name, list] : answer["stages"].items()) samples["stages"][name].push_back(list);
    }
    if (part(s.end_to_end) > 0 && (!samples.contains("end_to_end") || active.end_used_s < s.budget_s)) {
        const auto before = std::chrono::steady_clock::now();
        const Json answer =
            ask(active,
                {{"do", "end_to_end"},
                 {"warm", true},
                 {"samples", std::clamp(static_cast<int>(room_.end_to_end / 5), 1, part(s.end_to_end))},
                 {"budget_s", share}},
                s.limit_s + s.budget_s);
        if (active.over) return;
        active.end_used_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
        for (const auto& [name, list] : answer.items()) samples["end_to_end"][name].push_back(list);
    }
}

double Run::expected_seconds(const Json& row) const {
    const double items = row["work"]["items"].get<double>();
    for (auto before = rows_.rbegin(); before != rows_.rend() && items > 0; ++before) {
        if ((*before)["case"] != row["case"] || (*before)["way"] != row["way"] || (*before)["device"] != row["device"]) continue;
        const double work = (*before)["work"]["items"].get<double>(), seconds = run_seconds(*before);
        if (seconds > 0 && work > 0) return seconds / work * items;
    }
    return 0;
}

double Run::run_seconds(const Json& row) {
    if (row.contains("expected_s")) return row["expected_s"].get<double>();
    double least = 0;
    for (const Json& round : row.value("samples", Json::object()).value("wall", Json::array()))
        for (const Json& value : round) least = least == 0 ? value.get<double>() : std::min(least, value.get<double>());
    return least;
}

void Run::sustain(Active& active) {
    const double seconds = sampling_.sustained_s;
    if (study_.sampling.sustained_s > 0 && seconds <= 0) budget_.leave_out("runs without pause");
    if (seconds <= 0) return;
    say(fmt::format("{}, {:g} s without pause", active.row["id"].get<std::string>(), seconds));
    const Json answer = ask(active, {{"do", "sustained"}, {"seconds", seconds}}, study_.sampling.limit_s + seconds);
    if (!active.over) active.row["sustained"] = answer;
}

void Run::measure_energy(Active& active) {
    constexpr double idle_s = 2;
    const double seconds = sampling_.energy_s;
    if (study_.sampling.energy_s > 0 && seconds <= 0) budget_.leave_out("energy");
    if (seconds <= 0) return;
    say(fmt::format("{}, energy", active.row["id"].get<std::string>()));
    Json answer = ask(active, {{"do", "energy"}, {"seconds", seconds}, {"idle_s", std::min(idle_s, seconds)}},
                      study_.sampling.limit_s + seconds + 3 * idle_s);
    if (!active.over && !answer.empty()) active.row["energy"] = std::move(answer);
}

bool Run::take_from_oracle(Active& active, const Way& way, const Case& c) const {
    const bool same = !is_program(active.device) && c.reference && way.variant == reference_ && way.set.empty() &&
                      devices_[active.device].info.backend == host::Backend::native;
    if (!same || reference_seconds_ <= study_.sampling.budget_s) return false;
    active.row["variant"] = way.variant;
    active.row["run_s"] = reference_seconds_;
    active.row["note"] = "timed once, when the reference was made";
    active.row["samples"] = {{"wall", {{reference_seconds_}}}, {"device", {{reference_seconds_}}}};
    active.row["agreement"] = Agreement().to_json();
    active.over = true;
    return true;
}

}  // namespace parallax::engine::compare
