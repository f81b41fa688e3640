#include "job/result.hpp"

#include "core/clock.hpp"

#include <fmt/format.h>

#include <utility>

namespace parallax::engine {

JobResult result_of(Work& work, const Engine& engine, Executed done, const RunOptions& options) {
    const Job& job = work.prepared->job;
    JobResult result;
    result.engine_version = PARALLAX_VERSION;
    result.job = to_json(job);
    result.device = engine.device();
    result.inputs = std::move(work.input_reports);
    for (const InputWarning& warning : work.input_warnings) {
        result.warnings.push_back(warning.in_words());
        for (InputReport& input : result.inputs)
            if (input.name == warning.input) input.warnings.push_back(warning.text);
    }
    result.steps = std::move(done.steps);
    for (DataWarning& warning : work.warnings) {
        result.warnings.push_back(fmt::format("step \"{}\": {}", result.steps[warning.step].id, warning.text));
        result.steps[warning.step].warnings.push_back(std::move(warning.text));
    }
    result.outputs = std::move(work.output_reports);
    for (const OutputReport& output : result.outputs)
        for (const std::string& warning : output.warnings)
            result.warnings.push_back(fmt::format("output \"{}\": {}", output.name, warning));
    for (const OutputSpec& output : job.outputs) {
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
    result.wall_seconds = seconds_since(options.started);
    return result;
}

}  // namespace parallax::engine
