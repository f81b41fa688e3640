#include "job/runner.hpp"

#include "job/fit.hpp"
#include "job/spill.hpp"
#include "job/stream.hpp"
#include "job/work.hpp"

namespace parallax::engine {

namespace {

/// Says where the run is, and ends it when the caller wants it to end.
class Progress {
public:
    Progress(const Prepared& prepared, const RunOptions& options)
        : options_(options), total_(1 + prepared.inputs.size() + 2 * prepared.steps.size() + 2 * prepared.outputs.size()) {}
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

/// What was done on the device.
struct Done {
    std::vector<StepReport> steps;
    std::uint64_t peak_bytes = 0;
};

/// Pinned memory would cost more to make than one upload gains.
void read_all(Work& work, const std::function<bool(std::size_t)>& in_slabs) { read_work(work, {HostArray::make, {}, {}, in_slabs}); }

Done compute_as_a_whole(Work& work, Engine& engine, const Fit& how, const RunOptions& options) {
    Stream stream(engine, Stream::one_at_a_time);
    stream.cancel_when(options.cancelled);
    stream.plan(*work.prepared, how);
    read_all(work, [&](std::size_t input) { return stream.in_slabs(input); });
    stream.submit(work);
    stream.finish(work);
    return {stream.steps(), stream.peak_bytes()};
}

Done compute_in_parts(Work& work, Engine& engine, Fit fit, const RunOptions& options) {
    Spill spill(engine, *work.prepared, std::move(fit));
    spill.cancel_when(options.cancelled);
    read_all(work, [&](std::size_t input) { return spill.in_slabs(input); });
    spill.compute(work);
    return {spill.steps(), spill.peak_bytes()};
}

JobResult attempt(const Prepared& prepared, Engine& engine, const RunOptions& options) {
    Progress progress(prepared, options);
    progress.begin("plan");
    Fit how = [&] {
        Session session(engine);
        return fit(prepared, session);
    }();

    Work work;
    work.prepared = std::shared_ptr<const Prepared>(std::shared_ptr<const Prepared>(), &prepared);   // the caller's, who waits
    work.begin_stage = [&](const std::string& stage) { progress.begin(stage); };
    work.advance = [&](double share) { progress.advance(share); };
    Done done = how.spills ? compute_in_parts(work, engine, std::move(how), options) : compute_as_a_whole(work, engine, how, options);
    finish_reading(work);
    write_work(work);

    JobResult result;
    result.engine_version = PARALLAX_VERSION;
    result.job = to_json(prepared.job);
    result.device = engine.device();
    result.inputs = std::move(work.input_reports);
    result.steps = std::move(done.steps);
    for (auto& [step, warnings] : work.warnings) {
        for (std::string& warning : warnings) {
            if (options.warn) options.warn(prepared.job.steps[step].id, warning);
            result.steps[step].warnings.push_back(std::move(warning));
        }
    }
    result.outputs = std::move(work.output_reports);
    for (const OutputSpec& output : prepared.job.outputs) {
        if (output.form != OutputForm::array && output.form != OutputForm::svg) result.records[output.name] = record_of(work, output);
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
