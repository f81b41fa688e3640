#include "series/settle.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "io/io.hpp"
#include "job/load.hpp"
#include "job/stream.hpp"
#include "job/work.hpp"
#include "series/finding.hpp"

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// The job of one item as far as the step, with that one record.
Job job_for(const PreparedSeries& series, std::size_t step, std::size_t item) {
    Job job = job_of(series.job, series.items, item);
    const std::string& port = finding_of(job.steps[step].algorithm->name)->record;
    job.steps.resize(step + 1);
    job.steps[step].outputs = {port};
    for (InputSpec& input : job.inputs) {
        if (input.running == 0) continue;
        input.running = 0;  // the item by itself
        input.combine.clear();
    }
    OutputSpec output;
    output.name = output.of = port;
    output.pointer = "/outputs/" + port;
    output.file = port + ".json";
    output.form = OutputForm::json;
    output.gathered = true;  // no file
    output.source = {step, port};
    job.outputs = {output};
    return job;
}

Json find_in(const PreparedSeries& series, Engine& engine, std::size_t step, std::size_t item) {
    const Prepared prepared = prepare(job_for(series, step, item), series.where, true);
    Work work;
    work.prepared = std::shared_ptr<const Prepared>(std::shared_ptr<const Prepared>(), &prepared);  // lives as long
    Stream stream(engine, Stream::one_at_a_time);
    stream.plan(prepared);
    read_work(work, {HostArray::make, {}, {}, {}});
    stream.submit(work);
    stream.finish(work);
    finish_reading(work);
    Json warnings = Json::array();
    for (const DataWarning& warning : work.warnings) {
        if (warning.step == step) warnings.push_back(warning.text);
    }
    return {{"item", series.items.name(item)},
            {"record", work.records.at({step, prepared.job.outputs.front().source.port})},
            {"warnings", std::move(warnings)}};
}

/// In the first item that can be computed, if others may fail.
Json find(const PreparedSeries& series, Engine& engine, std::size_t step) {
    for (std::size_t item = 0;; ++item) {
        try {
            return find_in(series, engine, step, item);
        } catch (const DeviceError&) {
            throw;
        } catch (const Error&) {
            if (!series.items.for_each.continue_on_error || item + 1 >= series.items.size()) throw;
        }
    }
}

}  // namespace

void settle(PreparedSeries& series, Engine& engine, SeriesResult& result) {
    for (std::size_t i = 0; i < series.job.steps.size(); ++i) {
        StepSpec& step = series.job.steps[i];
        const Finding* const finding = finding_of(step.algorithm->name);
        if (!finding || !finding->needed(step.parameters)) continue;
        const fs::path file = series.options.manifest / fmt::format("found-{}.json", i);
        if (!fs::exists(file)) {
            const Json here = find(series, engine, i);
            try {
                io::write_json(file, here, false);
            } catch (const IoError&) {  // another shard may have been faster
                if (!fs::exists(file)) throw;
            }
        }
        Json& found = result.found[step.id];
        found = load_json(file);
        const auto item = found.at("item").get<std::string>();
        for (const Json& warning : found.at("warnings")) {
            result.warnings.push_back({fmt::format("step \"{}\": {}", step.id, warning.get<std::string>()), item, 1});
        }
        const Parameters fixed =
            step.algorithm->parameters.parse(finding->fix(step.parameters.to_json(), found.at("record")), step.pointer);
        step.parameters = fixed;
        series.sample.job.steps[i].parameters = fixed;
        series.sample.steps[i].problem.parameters = fixed;
    }
}

}  // namespace parallax::engine::series
