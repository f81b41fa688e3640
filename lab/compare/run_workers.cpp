// The processes of a study, and what they answer.
#include <fmt/format.h>

#include <algorithm>

#include "compare/running.hpp"
#include "job/paths.hpp"
#include "job/report.hpp"
#include "parallax/host/enumerate.hpp"
#include "timing/environment.hpp"

namespace parallax::engine::compare {

namespace {

std::string outcome_of(const Json& error) {
    const std::string kind = error.value("kind", std::string());
    return kind == "unsupported" || kind == "config" ? "refused" : "failed";
}

}  // namespace

WorkerOptions Run::worker_options(const std::string& name) const {
    WorkerOptions options{options_.worker, {}, folder_.log(name), {}, study_.quick, options_.cancelled};
    options.roofs = std::any_of(points_.begin(), points_.end(), [](const Point& point) { return point.work.operations > 0; });
    if (study_.sampling.cold && !budget_.limited()) {   // caches of our own and of the drivers that nobody has filled
        const fs::path caches = folder_.work() / "caches" / path_from(name);
        options.cache = to_utf8(caches / "parallax");
        options.environment = {{"CUDA_CACHE_PATH", to_utf8(caches / "cuda")},
                               {"POCL_CACHE_DIR", to_utf8(caches / "pocl")},
                               {"MESA_SHADER_CACHE_DIR", to_utf8(caches / "mesa")}};
        for (const auto& [variable, folder] : options.environment) fs::create_directories(path_from(folder));
    }
    return options;
}

void Run::start_workers() {
    constexpr double rates_s = 8;   // a processor's take some seconds, beside other work more
    const Json before = environment();   // its load is of others, not of what is measured here
    Json rates = Json::object(), probed = Json::object(), problems = Json::object();
    const double limit =
        budget_.limited() ? std::min(study_.sampling.limit_s, budget_.opening_s(devices_.size())) : study_.sampling.limit_s;
    if (budget_.limited() && limit < rates_s) budget_.leave_out("rates of devices but for a short look");
    for (std::size_t d = 0; d < devices_.size(); ++d) {
        const std::string& label = devices_[d].label;
        check_cancelled();
        say("open " + label);
        WorkerOptions options = worker_options(device_process(d));
        if (is_program(d)) options.command = devices_[d].command;
        options.quick = options.quick || (budget_.limited() && limit < rates_s);
        workers_.push_back(std::make_unique<DeviceWorker>(engine::to_json(devices_[d].info), std::move(options)));
        try {
            Json opened = workers_.back()->open(limit, true);
            if (opened.contains("error"))
                problems[label] = opened["error"].value("message", std::string());
            else
                rates[label] = opened["rates"], probed[label] = opened["device"]["probed"];
        } catch (const WorkerLost& lost) {
            problems[label] = lost.what();
            if (budget_.limited() && lost.outcome == "hung") workers_.back()->excuse();
        }
    }
    oracle_ = std::make_unique<DeviceWorker>(engine::to_json(host::native_device()->info()), worker_options(reference_process));
    sessions_.push_back({{"started", utc_now()},
                         {"environment", before},
                         {"rates", std::move(rates)},
                         {"probed", std::move(probed)},
                         {"problems", std::move(problems)}});
    if (!options_.note.empty()) sessions_.back()["environment"]["note"] = options_.note;
    folder_.journal().append({{"session", sessions_.back()}});
}

void Run::miss(Active& active, const std::string& outcome, const std::string& reason) const {
    active.row["outcome"] = outcome;
    active.row["reason"] = reason;
    active.row.erase("samples");
    active.over = true;
}

Json Run::ask(Active& active, const Json& request, double limit_s) {
    try {
        Json answer = workers_[active.device]->ask(request, limit_s);
        if (!answer.contains("error")) return answer;
        miss(active, outcome_of(answer["error"]), answer["error"].value("message", std::string()));
    } catch (const WorkerLost& lost) {
        if (budget_.limited() && lost.outcome == "hung") {
            workers_[active.device]->excuse();
            miss(active, "left out", "it did not end in its share of the time");
            if (last_chance_)
                budget_.leave_out(active.row["id"].get<std::string>(), "which did not end in its share of the time");
        } else {
            miss(active, lost.outcome, lost.what());
        }
    }
    return Json();
}

Json Run::ask_oracle(const Json& request) {
    try {
        return oracle_->ask(request, budget_.limit_s(study_.sampling.limit_s));
    } catch (const WorkerLost& lost) {
        if (budget_.limited() && lost.outcome == "hung") oracle_->excuse();
        return {{"error", {{"kind", "lost"}, {"message", lost.what()}}}};
    }
}

}  // namespace parallax::engine::compare
