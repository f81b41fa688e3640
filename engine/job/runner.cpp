#include "job/runner.hpp"

#include "exec/execute.hpp"
#include "job/work.hpp"

#include <fmt/format.h>

namespace parallax::engine {

namespace {

/// Says where the run is, and ends it when the caller wants it to end.
class Progress {
public:
    Progress(const Prepared& prepared, const RunOptions& options)
        : options_(options),
          total_(1 + prepared.inputs.size() + 2 * prepared.resolved.steps.size() + 2 * prepared.outputs.size()) {}
    void begin(const std::string& stage) {
        if (options_.cancelled && options_.cancelled()) throw CancelledError("stopped on request; no output was written");
        if (options_.progress) options_.progress(stage, static_cast<double>(done_) / static_cast<double>(total_));
        stage_ = stage;
        ++done_;
    }
    void advance(double share) const {
        if (options_.cancelled && options_.cancelled()) throw CancelledError("stopped on request; no output was written");
        if (options_.progress) options_.progress(stage_, (static_cast<double>(done_ - 1) + share) / static_cast<double>(total_));
    }
    void end() const {
        if (options_.progress) options_.progress("done", 1.0);
    }

private:
    const RunOptions& options_;
    std::string stage_;
    std::size_t total_, done_ = 0;
};

JobResult attempt(const Prepared& prepared, Engine& engine, const RunOptions& options) {
    Progress progress(prepared, options);
    progress.begin("plan");
    Work work;
    work.take(std::shared_ptr<const Prepared>(std::shared_ptr<const Prepared>(), &prepared));   // the caller's, who waits
    work.begin_stage = [&](const std::string& stage) { progress.begin(stage); };
    work.advance = [&](double share) { progress.advance(share); };
    // Pinned memory would cost more to make than one upload gains.
    const auto read = [&](const std::function<bool(std::size_t)>& in_slabs) {
        read_work(work, {HostArray::make, {}, {}, in_slabs});
    };
    Executed done = execute(work, engine, {read, options.cancelled});
    finish_reading(work);
    write_work(work);

    JobResult result;
    result.engine_version = PARALLAX_VERSION;
    result.job = to_json(prepared.job);
    result.device = engine.device();
    result.inputs = std::move(work.input_reports);
    result.steps = std::move(done.steps);
    if (prepared.job.device.to_json().contains("use"))   // several devices that were there have gone another way, or were refused
        result.warnings.push_back(
            fmt::format("\"use\" asks for several devices, and {} did all of the job alone: no other was found, or the engine "
                        "has but this one. "
                        "Several share the items of a series (for_each), one diffusion_lb or one box_count",
                        engine.device().name));
    for (DataWarning& warning : work.warnings) {
        result.warnings.push_back(fmt::format("step \"{}\": {}", result.steps[warning.step].id, warning.text));
        result.steps[warning.step].warnings.push_back(std::move(warning.text));
    }
    result.outputs = std::move(work.output_reports);
    for (const OutputReport& output : result.outputs)
        for (const std::string& warning : output.warnings)
            result.warnings.push_back(fmt::format("output \"{}\": {}", output.name, warning));
    for (const OutputSpec& output : prepared.job.outputs) {
        if (output.form != OutputForm::array && output.form != OutputForm::svg)
            result.records[output.name] = record_of(work, output);
    }
    result.peak_device_bytes = done.peak_bytes;
    for (std::size_t i = 0; i < result.steps.size(); ++i) {   // the job that is reported repeats this very run
        result.job["steps"][i]["variant"] = result.steps[i].variant;
        result.job["steps"][i]["policy"] = result.steps[i].policy.to_json();
    }
    result.stages = options.before;
    for (Stage& stage : work.profiler.collect()) result.stages.push_back(std::move(stage));
    result.finished = utc_now();
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - options.started).count();
    progress.end();
    return result;
}

}  // namespace

JobResult run(const Prepared& prepared, Engine& engine, const RunOptions& options) {
    try {
        return attempt(prepared, engine, options);
    } catch (const DeviceError& error) {
        if (!prepared.job.retry || !engine.renew()) throw;
        JobResult result = attempt(prepared, engine, options);
        result.retried = error.what();
        return result;
    }
}

}  // namespace parallax::engine
