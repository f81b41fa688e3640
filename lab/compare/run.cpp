#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>

#include "agreement/agreement.hpp"
#include "cases/inputs.hpp"
#include "compare/budget.hpp"
#include "compare/compare.hpp"
#include "compare/journal.hpp"
#include "job/report.hpp"
#include "job/runner.hpp"
#include "parallax/host/enumerate.hpp"
#include "report/report.hpp"
#include "timing/clocks.hpp"
#include "timing/environment.hpp"
#include "workers/device_worker.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

/// Why a row has no time.
struct Missing {
    std::string outcome, reason;
};

/// One row while its device takes turns with the others.
struct Active {
    std::size_t device = 0;
    Json row;
    double used_s = 0, end_used_s = 0;
    bool over = false;            ///< it has failed, or its time is spent
};

/// What a process that has only just begun runs before it is measured: clocks rise, memory is touched.
constexpr double warm_s = 0.1;

/// A fresh process runs a row at least that often: to make it ready, and as one sample.
constexpr double least_runs = 3;

std::string outcome_of(const Json& error) {
    const std::string kind = error.value("kind", std::string());
    return kind == "unsupported" || kind == "config" ? "refused" : "failed";
}

class Run {
public:
    Run(const Study& study, const std::vector<Point>& points, const std::vector<StudyDevice>& devices,
        const std::vector<Algorithm>& algorithms, const CompareOptions& options)
        : study_(study),
          points_(points),
          devices_(devices),
          algorithms_(algorithms),
          options_(options),
          budget_(options.minutes),
          sampling_(study.sampling),
          work_(options.out / "work"),
          journal_(options.out / "journal.jsonl", header(), options.resume, options.overwrite) {
        for (const Json& entry : journal_.earlier()) {
            if (entry.contains("row")) place(entry["row"]);
            if (entry.contains("session")) sessions_.push_back(entry["session"]);
        }
    }

    Json run() {
        total_ = count_rows();
        if (done_.size() < total_ || rows_lack_rounds()) {
            try {
                start_workers();
                budget_ = Budget(options_.minutes);   // opening devices comes on top
                run_points();
                repeat_points();
            } catch (const CancelledError&) {   // asked between requests, or by a worker that was ended while it was at work
                throw CancelledError("stopped on request; --resume goes on with what is left");
            }
        }
        std::error_code ignored;
        fs::remove_all(work_, ignored);
        Json devices = Json::array();
        for (const StudyDevice& device : devices_)
            devices.push_back({{"label", device.label}, {"info", engine::to_json(device.info)}});
        Json report = assemble(study_, std::move(devices), sessions_, rows_);
        oracle_.reset();
        workers_.clear();
        return report;
    }

    void finished() { journal_.remove(); }

private:
    Json header() const {
        Json labels = Json::array();
        for (const StudyDevice& device : devices_) labels.push_back({device.label, device.info.driver});
        return {{"parallax_journal", 1},
                {"engine", PARALLAX_VERSION},
                {"study", study_.written},
                {"quick", study_.quick},
                {"devices", std::move(labels)}};
    }

    /// Programs that are no Parallax have one way, their own.
    bool is_program(std::size_t device) const { return !devices_[device].command.empty(); }
    std::string way_of(const Way& way, std::size_t device) const { return is_program(device) ? "program" : way.label; }
    std::string row_id(const Point& point, const Way& way, std::size_t device) const {
        return fmt::format("{}/{}@{}", point.id, way_of(way, device), devices_[device].label);
    }
    bool has_row(const Point& point, const Way& way, std::size_t device) const {
        if (is_program(device)) return &way == point.ways.data();
        return runs_on(point, way, devices_[device].info.backend, algorithms_);
    }

    std::size_t count_rows() const {
        std::size_t count = 0;
        for (const Point& point : points_)
            for (const Way& way : point.ways)
                for (std::size_t d = 0; d < devices_.size(); ++d) count += has_row(point, way, d);
        return count;
    }

    void check_cancelled() const {
        if (options_.cancelled && options_.cancelled()) throw CancelledError("stopped on request");
    }

    WorkerOptions worker_options(const std::string& name) const {
        WorkerOptions options{options_.worker,   {}, options_.out / "logs" / path_from(name + ".log"), {}, study_.quick,
                              options_.cancelled};
        options.roofs = std::any_of(points_.begin(), points_.end(), [](const Point& point) { return point.work.operations > 0; });
        if (study_.sampling.cold && !budget_.limited()) {   // caches of our own and of the drivers that nobody has filled
            const fs::path caches = work_ / "caches" / path_from(name);
            options.cache = to_utf8(caches / "parallax");
            options.environment = {{"CUDA_CACHE_PATH", to_utf8(caches / "cuda")},
                                   {"POCL_CACHE_DIR", to_utf8(caches / "pocl")},
                                   {"MESA_SHADER_CACHE_DIR", to_utf8(caches / "mesa")}};
            for (const auto& [variable, folder] : options.environment) fs::create_directories(path_from(folder));
        }
        return options;
    }

    void start_workers() {
        fs::create_directories(options_.out / "logs");
        Json rates = Json::object(), probed = Json::object(), problems = Json::object();
        for (std::size_t d = 0; d < devices_.size(); ++d) {
            check_cancelled();
            say("open " + devices_[d].label);
            WorkerOptions options = worker_options(fmt::format("device-{}", d));
            if (is_program(d)) options.command = devices_[d].command;
            workers_.push_back(std::make_unique<DeviceWorker>(engine::to_json(devices_[d].info), std::move(options)));
            try {
                Json opened = workers_.back()->open(study_.sampling.limit_s, true);
                const std::string& label = devices_[d].label;
                if (opened.contains("error")) problems[label] = opened["error"].value("message", std::string());
                else rates[label] = opened["rates"], probed[label] = opened["device"]["probed"];
            } catch (const WorkerLost& lost) {
                problems[devices_[d].label] = lost.what();
            }
        }
        oracle_ = std::make_unique<DeviceWorker>(engine::to_json(host::native_device()->info()), worker_options("reference"));
        sessions_.push_back({{"started", utc_now()},
                             {"environment", environment()},
                             {"rates", std::move(rates)},
                             {"probed", std::move(probed)},
                             {"problems", std::move(problems)}});
        if (!options_.note.empty()) sessions_.back()["environment"]["note"] = options_.note;
        journal_.append({{"session", sessions_.back()}});
    }

    void say(const std::string& what) const {
        if (!options_.progress) return;
        const auto whole = static_cast<double>(total_ * static_cast<std::size_t>(processes()));
        options_.progress(what, whole == 0 ? 0.0 : static_cast<double>(done_.size() + repeated_) / whole);
    }

    Json blank_row(const Point& point, const Way& way, std::size_t device) const {
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

    /// Where it stands, if it is there already: of a row that is measured again the last word counts.
    void place(Json row) {
        const auto [at, fresh] = done_.emplace(row["id"].get<std::string>(), rows_.size());
        if (fresh)
            rows_.push_back(std::move(row));
        else
            rows_[at->second] = std::move(row);
    }
    void keep(Json row) {
        journal_.append({{"row", row}});
        place(std::move(row));
    }

    void miss(Active& active, const std::string& outcome, const std::string& reason) const {
        active.row["outcome"] = outcome;
        active.row["reason"] = reason;
        active.row.erase("samples");
        active.over = true;
    }

    /// Answers, or says in the row why there is none.
    Json ask(Active& active, const Json& request, double limit_s) {
        try {
            Json answer = workers_[active.device]->ask(request, limit_s);
            if (!answer.contains("error")) return answer;
            miss(active, outcome_of(answer["error"]), answer["error"].value("message", std::string()));
        } catch (const WorkerLost& lost) {
            if (budget_.limited() && lost.outcome == "hung") {
                workers_[active.device]->excuse();
                miss(active, "left out", "it did not end in its share of the time");
                if (last_chance_)
                    budget_.leave_out(active.row["id"].get<std::string>() + ", which did not end in its share of the time");
            } else {
                miss(active, lost.outcome, lost.what());
            }
        }
        return Json();
    }

    Json ask_oracle(const Json& request) {
        try {
            return oracle_->ask(request, budget_.limit_s(study_.sampling.limit_s));
        } catch (const WorkerLost& lost) {
            if (budget_.limited() && lost.outcome == "hung") oracle_->excuse();
            return {{"error", {{"kind", "lost"}, {"message", lost.what()}}}};
        }
    }

    /// Inputs in files that every worker reads: all compute on the same bits.
    std::optional<Missing> make_inputs(const Point& point, const fs::path& folder) {
        const Locations where = with_our_images(options_.where, point.inputs, work_);
        for (const auto& [name, spec] : point.inputs.items()) {
            if (const std::string why = missing_file(name, spec, where); !why.empty()) return Missing{"refused", why};
        }
        fs::create_directories(folder);
        Json roots = Json::object();
        for (const auto& [name, root] : where.roots) roots[name] = to_utf8(fs::absolute(root));
        const Json request{{"do", "make"},
                           {"inputs", point.inputs},
                           {"folder", to_utf8(folder)},
                           {"base", to_utf8(fs::absolute(where.job_folder))},
                           {"roots", std::move(roots)}};
        std::string why;
        for (std::size_t d = 0; d < devices_.size();
             ++d) {   // algorithms are faster on a device; where that fails, the host makes them
            if (devices_[d].info.backend == host::Backend::native || workers_[d]->given_up()) continue;
            try {
                const Json made = workers_[d]->ask(request, study_.sampling.limit_s);
                if (!made.contains("error")) return std::nullopt;
            } catch (const WorkerLost&) {
            }
        }
        const Json made = ask_oracle(request);
        if (!made.contains("error")) return std::nullopt;
        return Missing{"failed", "its inputs could not be made: " + made["error"].value("message", std::string())};
    }

    std::optional<Missing> make_reference(const Point& point, const fs::path& folder) {
        const Case& c = study_.cases[point.case_index];
        reference_seconds_ = 0;
        reference_ = c.reference.value_or("");
        if (!c.reference) return std::nullopt;
        const fs::path to = folder / "reference";
        fs::create_directories(to);
        Json made{{"error", Json::object()}};
        for (const std::string& variant : references_for(c, point, folder)) {
            reference_ = variant;
            Way way = reference_way(c);
            way.variant = variant;
            Json request = job_request("reference", job_of(point, way, algorithms_), folder);
            request["folder"] = to_utf8(to);
            made = ask_oracle(request);
            if (!made.contains("error") || made["error"].value("kind", std::string()) == "lost") break;
        }
        if (made.contains("error")) {
            const bool late = budget_.limited() && made["error"].value("kind", std::string()) == "lost";
            if (late && last_chance_) budget_.leave_out(point.id + ", whose reference did not end in its share of the time");
            return Missing{late ? "left out" : "no reference", made["error"].value("message", std::string())};
        }
        reference_seconds_ = made.value("seconds", 0.0);
        return std::nullopt;
    }

    /// The oracles to be tried: of large inputs the threaded one first, so that the reference does not take longer than what it
    /// judges.
    std::vector<std::string> references_for(const Case& c, const Point& point, const fs::path& folder) const {
        constexpr std::uintmax_t large = std::uintmax_t{4} << 20;
        std::vector<std::string> variants{*c.reference};
        std::uintmax_t bytes = 0;
        for (const auto& file : fs::directory_iterator(folder / "inputs")) bytes += file.file_size();
        Way threaded = reference_way(c);
        threaded.variant = "threaded";
        if (!c.reference_stated && bytes > large && has_variant(point, threaded.variant) &&
            runs_on(point, threaded, host::Backend::native, algorithms_))
            variants.insert(variants.begin(), threaded.variant);
        return variants;
    }

    bool has_variant(const Point& point, const std::string& name) const {
        const std::string run = point.steps.back().value("run", std::string());
        return std::any_of(algorithms_.begin(), algorithms_.end(),
                           [&](const Algorithm& a) { return a.name == run && a.variant(name) != nullptr; });
    }

    Json job_request(const char* what, const Json& job, const fs::path& folder) const {
        Json inputs = Json::array();
        for (const auto& [name, spec] : points_[current_].inputs.items()) inputs.push_back(name);
        return {{"do", what}, {"job", job}, {"inputs", std::move(inputs)}, {"input_folder", to_utf8(folder / "inputs")}};
    }

    /// The job with every parameter said.
    Json program_request(const Active& active, const Point& point, const Way& way, const fs::path& folder) const {
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

    /// What a program left is held against the reference, as ours is.
    void prepare_program(Active& active, const Point& point, const Way& way, const fs::path& folder) {
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

    void prepare(Active& active, const Point& point, const Way& way, const fs::path& folder) {
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

    /// One turn of a row: a part of its samples, and a part of those from end to end.
    void take_turn(Active& active, int round) {
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
                ask(active, {{"do", "end_to_end"}, {"warm", true}, {"samples", part(s.end_to_end)}, {"budget_s", share}},
                    s.limit_s + s.budget_s);
            if (active.over) return;
            active.end_used_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
            for (const auto& [name, list] : answer.items()) samples["end_to_end"][name].push_back(list);
        }
    }

    /// Seconds of one run by the same row at an earlier point, in proportion to the work; 0: nothing is known.
    double expected_seconds(const Json& row) const {
        const double items = row["work"]["items"].get<double>();
        for (auto before = rows_.rbegin(); before != rows_.rend() && items > 0; ++before) {
            if ((*before)["case"] != row["case"] || (*before)["way"] != row["way"] || (*before)["device"] != row["device"])
                continue;
            const double work = (*before)["work"]["items"].get<double>(), seconds = run_seconds(*before);
            if (seconds > 0 && work > 0) return seconds / work * items;
        }
        return 0;
    }

    /// The fastest of its samples: drivers compile at first launches, so that first runs say little.
    static double run_seconds(const Json& row) {
        if (row.contains("expected_s")) return row["expected_s"].get<double>();
        double least = 0;
        for (const Json& round : row.value("samples", Json::object()).value("wall", Json::array()))
            for (const Json& value : round) least = least == 0 ? value.get<double>() : std::min(least, value.get<double>());
        return least;
    }

    void sustain(Active& active) {
        const double seconds = sampling_.sustained_s;
        if (study_.sampling.sustained_s > 0 && seconds <= 0) budget_.leave_out("runs without pause");
        if (seconds <= 0) return;
        say(fmt::format("{}, {:g} s without pause", active.row["id"].get<std::string>(), seconds));
        const Json answer = ask(active, {{"do", "sustained"}, {"seconds", seconds}}, study_.sampling.limit_s + seconds);
        if (!active.over) active.row["sustained"] = answer;
    }

    void measure_energy(Active& active) {
        constexpr double idle_s = 2;
        const double seconds = sampling_.energy_s;
        if (study_.sampling.energy_s > 0 && seconds <= 0) budget_.leave_out("energy");
        if (seconds <= 0) return;
        say(fmt::format("{}, energy", active.row["id"].get<std::string>()));
        Json answer = ask(active, {{"do", "energy"}, {"seconds", seconds}, {"idle_s", std::min(idle_s, seconds)}},
                          study_.sampling.limit_s + seconds + 3 * idle_s);
        if (!active.over && !answer.empty()) active.row["energy"] = std::move(answer);
    }

    /// A reference that takes longer than a row may: the oracle's own run is its time.
    bool take_from_oracle(Active& active, const Way& way, const Case& c) const {
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

    void run_way(const Point& point, const Way& way, const fs::path& folder, const std::optional<Missing>& missing,
                 std::size_t ways_left) {
        std::vector<Active> rows;
        for (std::size_t d = 0; d < devices_.size(); ++d) {
            if (!has_row(point, way, d) || done_.count(row_id(point, way, d))) continue;
            rows.push_back({d, blank_row(point, way, d), 0, 0, false});
        }
        sampling_ = budget_.sampling(study_.sampling, rows.size(), ways_left);
        for (Active& active : rows) {
            check_cancelled();
            say(active.row["id"].get<std::string>());
            const double expected = expected_seconds(active.row), limit = study_.sampling.row_limit_s;
            if (expected > limit) {
                active.row["expected_s"] = expected;
                miss(active, "too long",
                     fmt::format("one run is expected to take {:.2g} s, by the point before; the study allows {:g} s", expected,
                                 limit));
            } else if (missing) {
                miss(active, missing->outcome, missing->reason);
            } else if (!take_from_oracle(active, way, study_.cases[point.case_index])) {
                if (is_program(active.device))
                    prepare_program(active, point, way, folder);
                else
                    prepare(active, point, way, folder);
            }
        }
        sampling_ = budget_.sampling(study_.sampling, rows.size(), ways_left);
        for (int round = 0; round < sampling_.rounds / processes(); ++round) {
            for (Active& active : rows) {
                check_cancelled();
                if (!active.over) take_turn(active, round);
            }
        }
        for (Active& active : rows) {
            if (!active.over) sustain(active);
            if (!active.over) measure_energy(active);
            if (const Json clocks = clocks_of(devices_[active.device].info); !active.over && !clocks.is_null())
                active.row["clocks"] = clocks;
            if (!missing && !workers_[active.device]->given_up()) {
                Active release = active;   // what releasing says is no news of the row
                release.over = false;
                if (active.row["outcome"] == "ok" || active.row["outcome"] == "disagrees")
                    ask(release, {{"do", "release"}}, study_.sampling.limit_s);
            }
            if (!comes_again(active.row)) keep(std::move(active.row));
        }
    }

    void run_points() {
        const std::size_t rounds = static_cast<std::size_t>(processes() - 1) * points_.size();
        std::vector<const Point*> points;
        for (const Point& point : points_) points.push_back(&point);
        for (const bool last : {false, true}) {
            last_chance_ = last || !budget_.limited();
            again_.clear();
            for (std::size_t p = 0; p < points.size(); ++p) {
                const std::size_t left = points.size() - p;
                // A second chance leaves half the time to further rounds.
                if (budget_.begin_point(left, last && rounds > 0 ? 3 * left : rounds))
                    run_point(*points[p]);
                else if (last_chance_)
                    leave_out(*points[p]);
                else
                    again_.push_back(points[p]);
            }
            points = again_;
        }
    }

    /// Further rounds, each in processes that have only just begun: from process to process times change by more than within one
    /// (where memory lies, which clocks a device has), and a difference is one only where it is larger than that.
    void repeat_points() {
        last_chance_ = false;
        for (int round = 1; round < processes(); ++round) {
            if (!rows_lack_rounds(round)) continue;
            for (const auto& worker : workers_) worker->close();
            for (std::size_t p = 0; p < points_.size(); ++p) {
                const std::size_t left = static_cast<std::size_t>(processes() - round) * points_.size() - p;
                if (budget_.begin_round(left)) repeat_point(points_[p], round);
            }
        }
        for (int round = 1; round < processes() && budget_.limited(); ++round)
            if (rows_lack_rounds(round)) {
                budget_.leave_out(fmt::format("rounds after {} of {} in fresh processes of some rows", round, processes()));
                break;
            }
        if (budget_.limited()) sessions_.back()["budget"] = budget_.to_json();
    }

    /// How many processes a row is measured in, a round each.
    int processes() const { return study_.sampling.fresh_processes ? study_.sampling.rounds : 1; }
    /// Whether a row that is timed has less than `round` + 1 rounds, or than it should have. One run that takes longer than the
    /// budget is all that there will be.
    bool lacks(const Json& row, int round) const {
        return row["outcome"] == "ok" && row.contains("samples") && row.value("run_s", 0.0) <= study_.sampling.budget_s &&
               row["samples"].contains("wall") && row["samples"]["wall"].size() <= static_cast<std::size_t>(round);
    }
    bool rows_lack_rounds(std::optional<int> round = {}) const {
        return std::any_of(rows_.begin(), rows_.end(),
                           [&](const Json& row) { return lacks(row, round.value_or(processes() - 1)); });
    }

    void repeat_point(const Point& point, int round) {
        current_ = static_cast<std::size_t>(&point - points_.data());
        const fs::path folder = folder_of(point);
        for (std::size_t w = 0; w < point.ways.size(); ++w) {
            std::vector<Active> rows;
            for (std::size_t d = 0; d < devices_.size(); ++d) {
                if (!has_row(point, point.ways[w], d)) continue;
                const auto at = done_.find(row_id(point, point.ways[w], d));
                if (at != done_.end() && lacks(rows_[at->second], round)) rows.push_back({d, rows_[at->second], 0, 0, false});
            }
            if (rows.empty()) continue;
            if (!inputs_made_.count(current_)) {   // the folder of an earlier run
                if (const auto missing = make_inputs(point, folder / "inputs"))
                    return say(fmt::format("inputs of {} cannot be made again: {}", point.id, missing->reason));
            }
            inputs_made_.insert(current_);
            if (round % 2 == 1) std::reverse(rows.begin(), rows.end());   // nobody always comes first
            sampling_ = budget_.sampling(study_.sampling, rows.size(), point.ways.size() - w);
            for (Active& active : rows) {
                check_cancelled();
                if (budget_.limited() && least_runs * active.row.value("run_s", 0.0) > budget_.point_seconds()) continue;
                say(fmt::format("{}, process {} of {}", active.row["id"].get<std::string>(), round + 1, processes()));
                begin_again(active, point, point.ways[w], folder);
                if (!active.over) take_turn(active, round);
                if (!active.over) ask(active, {{"do", "release"}}, study_.sampling.limit_s);
                ++repeated_;
                const bool unheard = active.row["outcome"] == "left out" || active.row["outcome"] == "not run";
                if (!unheard) keep(std::move(active.row));   // else what it had counts
            }
        }
        tidy(point, round);
    }

    /// A row that agreed, made ready in another process.
    void begin_again(Active& active, const Point& point, const Way& way, const fs::path& folder) {
        Json request = is_program(active.device) ? program_request(active, point, way, folder)
                                                 : job_request("prepare", job_of(point, way, algorithms_), folder);
        request["again"] = true;
        ask(active, request, budget_.limit_s(study_.sampling.limit_s));
    }

    /// Whether a row is to be tried again, when the others have been run.
    bool comes_again(const Json& row) {
        if (last_chance_ || row["outcome"] != "left out") return false;
        const Point* const point = &points_[current_];
        if (again_.empty() || again_.back() != point) again_.push_back(point);
        return true;
    }

    /// A point for which no time is left.
    void leave_out(const Point& point) {
        budget_.leave_out(point.id + ", for which no time was left");
        for (const Way& way : point.ways) {
            for (std::size_t d = 0; d < devices_.size(); ++d) {
                if (!has_row(point, way, d) || done_.count(row_id(point, way, d))) continue;
                Active active{d, blank_row(point, way, d), 0, 0, false};
                miss(active, "left out", fmt::format("{:g} minutes were over", options_.minutes));
                keep(std::move(active.row));
            }
        }
    }

    fs::path folder_of(const Point& point) const {
        return fs::absolute(work_ / std::to_string(static_cast<std::size_t>(&point - points_.data())));
    }

    void run_point(const Point& point) {
        current_ = static_cast<std::size_t>(&point - points_.data());
        bool left = false;
        for (const Way& way : point.ways)
            for (std::size_t d = 0; d < devices_.size(); ++d)
                left = left || (has_row(point, way, d) && !done_.count(row_id(point, way, d)));
        if (!left) return;
        check_cancelled();
        say("inputs of " + point.id);
        const fs::path folder = folder_of(point);
        std::optional<Missing> missing = make_inputs(point, folder / "inputs");
        if (!missing) {
            say("reference of " + point.id);
            missing = make_reference(point, folder);
        }
        for (std::size_t w = 0; w < point.ways.size(); ++w) run_way(point, point.ways[w], folder, missing, point.ways.size() - w);
        inputs_made_.insert(current_);
        tidy(point, 0);
    }

    /// After a round of a point: the disk is given back what no later round of it reads.
    void tidy(const Point& point, int round) {
        bool again = false;
        for (const Way& way : point.ways)
            for (std::size_t d = 0; d < devices_.size() && round + 1 < processes(); ++d) {
                const auto at = done_.find(row_id(point, way, d));
                again = again || (at != done_.end() && lacks(rows_[at->second], processes() - 1));
            }
        std::error_code ignored;
        fs::remove_all(again ? folder_of(point) / "reference" : folder_of(point), ignored);
        if (!again) inputs_made_.erase(current_);
    }

    const Study& study_;
    const std::vector<Point>& points_;
    const std::vector<StudyDevice>& devices_;
    const std::vector<Algorithm>& algorithms_;
    const CompareOptions& options_;
    Budget budget_;
    Sampling sampling_;   ///< of the rows that are run now
    fs::path work_;
    Journal journal_;
    std::vector<std::unique_ptr<DeviceWorker>> workers_;
    std::unique_ptr<DeviceWorker> oracle_;
    std::vector<Json> sessions_, rows_;
    std::map<std::string, std::size_t> done_;   ///< id -> where the row is
    std::size_t total_ = 0, current_ = 0;
    std::set<std::size_t> inputs_made_;   ///< points whose inputs are in their folders
    std::size_t repeated_ = 0;            ///< rounds of rows after their first process
    double reference_seconds_ = 0;
    bool last_chance_ = true;           ///< what is not run now is left out
    std::vector<const Point*> again_;   ///< points with rows that did not fit
    std::string reference_;             ///< the variant that made the point's reference
};

}  // namespace

fs::path make_report_folder(const std::string& out, bool overwrite) {
    if (out.empty()) throw ConfigError("--out", "nothing", "a folder for the report");
    const fs::path folder = fs::absolute(path_from(out)), report = folder / "report.json";
    if (fs::exists(report) && !overwrite) {
        throw ConfigError("--out", fmt::format("the existing report {}", to_utf8(report)), "a folder without one",
                          "use --overwrite to replace it");
    }
    writable_ancestor(report, "--out");
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw ConfigError("--out", fmt::format("{}, which cannot be made: {}", out, error.message()),
                          "a folder that can be written");
    return folder;
}

Json run(const Study& study, const std::vector<Point>& points, const std::vector<StudyDevice>& devices,
         const std::vector<Algorithm>& algorithms, const CompareOptions& options) {
    Run running(study, points, devices, algorithms, options);
    Json report = running.run();
    write_report(report, options.out, options.overwrite || options.resume);
    running.finished();
    return report;
}

}  // namespace parallax::engine::compare
