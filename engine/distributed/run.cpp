#include "distributed/run.hpp"

#include "distributed/output.hpp"
#include "distributed/place.hpp"
#include "distributed/threads.hpp"
#include "exec/memory_plan.hpp"
#include "job/hashing.hpp"
#include "job/slices.hpp"
#include "job/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace parallax::engine::distributed {
namespace {

/// A part is one plan's worth of kernels, which no session made.
StepReport step_report(const Place& place, const Step& step, const ResolvedStep& resolved) {
    CallResult about;
    about.variant = place.choice.variant->name;
    about.policy = place.choice.policy;
    about.policy_from = place.choice.policy_from;
    about.refusals = place.choice.refusals;
    about.warnings = resolved.warnings;
    about.built = place.builder->built();
    about.plan_seconds = place.plan_seconds;
    about.workspace_bytes = place.workspace_bytes();
    return report_of(step, about);
}

/// Bytes of each rank's slices of each array output; on rank 0.
std::map<std::string, std::vector<std::size_t>> gather_sizes(const PartResult& made, Communicator& ranks) {
    Json mine = Json::object();
    for (const auto& [port, slices] : made.slices) mine[port] = slices.desc.dense_bytes();
    std::map<std::string, std::vector<std::size_t>> all;
    for (const std::string& text : gather(ranks, mine.dump())) {
        const Json there = Json::parse(text);
        for (const auto& [port, bytes] : there.items()) all[port].push_back(bytes.get<std::size_t>());
    }
    return all;
}

/// Arrays and records of the step -> files, by rank 0; the others send it what they have made.
void write_outputs(const Prepared& prepared, const PartResult& made, Communicator& ranks, JobResult& result, Profiler& profiler) {
    const auto sizes = gather_sizes(made, ranks);
    if (ranks.rank() != 0) {
        for (const OutputSpec& output : prepared.job.outputs)
            if (output.form == OutputForm::array) send_slices(ranks, made.slices.at(output.source.port));
        return;
    }
    Work work;
    work.take(std::shared_ptr<const Prepared>(std::shared_ptr<const Prepared>(), &prepared));   // the caller's, who waits
    for (const auto& [port, record] : made.records.items()) work.records.emplace(Source{0, port}, record);
    write_work(work, [&](const OutputSpec& output, const std::filesystem::path& path) {
        const std::string& port = output.source.port;
        write_slices(path, output, prepared.resolved.desc(output.source), Pieces(ranks, made.slices.at(port), sizes.at(port)));
    });
    result.outputs = std::move(work.output_reports);
    for (const OutputSpec& output : prepared.job.outputs)
        if (output.form != OutputForm::array && output.form != OutputForm::svg)
            result.records[output.name] = record_of(work, output);
    for (const Profiler::Entry& entry : work.profiler.entries()) {
        const Execution::Scope scope(profiler, "write");
        profiler.add(entry.path.back(), entry.kind, entry.seconds);
    }
}

}  // namespace

void check_divisible(const Job& job, int ranks) {
    const std::string what = fmt::format("{} devices cannot do this job together", ranks);
    const char* const instead =
        "leave the job to one device; many such jobs go to several devices and machines as a series (for_each, --shard i/n)";
    if (job.for_each)
        throw UnsupportedError(
            what, {"it has for_each: its items are shared among devices by \"use\", among processes by --shard i/n"});
    const auto cannot = [](const StepSpec& step) {
        return std::none_of(step.algorithm->variants.begin(), step.algorithm->variants.end(),
                            [](const Variant& v) { return static_cast<bool>(v.part); });
    };
    for (const StepSpec& step : job.steps)
        if (cannot(step))
            throw UnsupportedError(
                what, {fmt::format("step \"{}\": {} needs its input as a whole", step.id, step.algorithm->name), instead});
    if (job.steps.size() != 1)
        throw UnsupportedError(what, {fmt::format("it has {} steps, and step \"{}\" needs all of what the one before makes",
                                                  job.steps.size(), job.steps.back().id),
                                      instead});
    const StepSpec& step = job.steps.front();
    if (step.inputs.size() != 1 || job.inputs.size() != 1)
        throw UnsupportedError(
            what,
            {fmt::format("step \"{}\" has {} inputs, and one is what they can share", step.id, step.inputs.size()), instead});
    if (job.inputs.front().globs || job.inputs.front().running > 0)
        throw UnsupportedError(what,
                               {fmt::format("input \"{}\" is combined from several files", job.inputs.front().name), instead});
    for (const OutputSpec& output : job.outputs)
        if (!output.source.step)
            throw UnsupportedError(what, {fmt::format("output \"{}\" is an input as it was", output.name), instead});
}

std::optional<JobResult> run_rank(const Prepared& prepared, Engine& engine, Communicator& ranks, const RunOptions& options) {
    check_divisible(prepared.job, ranks.size());
    const auto report_stage = [&](const std::string& stage, double done) {
        if (options.cancelled && options.cancelled()) throw CancelledError("stopped on request; no output was written");
        if (options.progress && ranks.rank() == 0) options.progress(stage, done);
    };
    report_stage("plan", 0);
    const StepSpec& step = prepared.job.steps.front();
    Place place(engine, prepared, ranks);
    place.allocate();
    check_limit(prepared.resolved.pipeline.memory_limit, engine.context().allocated());

    std::optional<Hashing> hashing;   // one reads all of the file for that
    if (ranks.rank() == 0) hashing.emplace(prepared.job.inputs.front(), prepared.inputs.front());
    Profiler profiler;
    profiler.add(step.id, StageKind::compile, place.plan_seconds);
    PartResult made;
    {
        Execution execution(place.session.queue(), profiler, place.workspace);
        if (options.cancelled) execution.cancel_when(options.cancelled);
        PartRun run{step.id, engine.context(), execution, *place.transfers, profiler, ranks,
                    slices_of(prepared.job.inputs.front(), prepared.inputs.front(), prepared.job.non_finite),
                    [&](double share) { report_stage("compute " + step.id, 0.1 + 0.7 * share); }};
        made = place.part->run(run);
    }
    InputReport input;
    if (hashing) input = hashing->finish();

    // Whoever fails has failed by now: from here on nothing is left to go wrong but the writing.
    Json about{{"rank", ranks.rank()},
               {"device", to_json(engine.device())},
               {"device_bytes", engine.context().allocated()},
               {"share", place.part->share()}};
    about.update(made.report);
    const std::vector<std::string> abouts = gather(ranks, about.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (ranks.rank() == 0) report_stage("write", 0.85);
    JobResult result;
    write_outputs(prepared, made, ranks, result, profiler);
    barrier(ranks);
    if (ranks.rank() != 0) return std::nullopt;
    result.engine_version = PARALLAX_VERSION;
    result.job = to_json(prepared.job);
    result.device = engine.device();
    result.inputs.push_back(std::move(input));
    result.steps.push_back(step_report(place, step, prepared.resolved.steps.front()));
    result.job["steps"][0]["variant"] = result.steps[0].variant;
    result.job["steps"][0]["policy"] = result.steps[0].policy.to_json();
    for (const std::string& text : abouts) result.ranks.push_back(Json::parse(text));
    result.peak_device_bytes = engine.context().allocated();
    result.stages = options.before;
    for (Stage& stage : profiler.collect()) result.stages.push_back(std::move(stage));
    result.finished = utc_now();
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - options.started).count();
    report_stage("done", 1);
    return result;
}

JobResult run_on_devices(const Prepared& prepared, const std::vector<Engine*>& engines, const RunOptions& options) {
    std::optional<JobResult> result;
    run_in_threads(static_cast<int>(engines.size()), [&](Communicator& ranks) {
        std::optional<JobResult> mine = run_rank(prepared, *engines[static_cast<std::size_t>(ranks.rank())], ranks, options);
        if (mine) result = std::move(mine);
    });
    return std::move(*result);
}

}  // namespace parallax::engine::distributed
