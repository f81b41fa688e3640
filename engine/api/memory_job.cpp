// A job whose inputs and outputs are arrays of the host application: the same text, no files.
#include "api/impl.hpp"
#include "api/job_impl.hpp"
#include "job/fit.hpp"
#include "job/job.hpp"
#include "job/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax {

namespace {

/// A file name whose extension tells the parser what the job makes under this name.
std::string stand_in(const Json& job, const std::string& name, const engine::Registry& registry) {
    if (!job.contains("steps") || !job["steps"].is_array()) return name + ".npy";
    for (const Json& step : job["steps"]) {
        if (!step.is_object() || !step.contains("run") || !step["run"].is_string()) continue;
        const auto& all = registry.algorithms();
        const auto algorithm = std::find_if(all.begin(), all.end(), [&](const engine::Algorithm& a) { return step["run"] == a.name; });
        if (algorithm == all.end()) continue;
        for (const engine::Port& port : algorithm->outputs) {
            const bool renamed = step.contains("out") && step["out"].is_object() && step["out"].contains(port.name);
            const Json known = renamed ? step["out"][port.name] : Json(port.name);
            if (known != name) continue;
            return name + (port.kind == engine::PortKind::array ? ".npy" : port.kind == engine::PortKind::drawing ? ".svg" : ".json");
        }
    }
    return name + ".npy";
}

/// The job with stand-ins for files: parser and linker see names only.
Json without_files(const Json& job, const Inputs& inputs, const engine::Registry& registry) {
    Json changed = job;
    Json named = Json::object(), outputs = Json::object();
    if (job.contains("inputs") && job["inputs"].is_object()) {
        for (const auto& [name, value] : job["inputs"].items()) {
            if (engine::is_comment(name) || inputs.count(name)) continue;
            throw ConfigError(engine::pointer_to("/inputs", name), fmt::format("the input \"{}\", for which no array was given", name),
                              "an array for every input", "Engine::run reads inputs from files");
        }
    }
    for (const auto& [name, input] : inputs) named[name] = "array";
    if (job.contains("outputs") && job["outputs"].is_object()) {
        for (const auto& [name, value] : job["outputs"].items()) {
            if (!engine::is_comment(name)) outputs[name] = stand_in(job, name, registry);
        }
    } else if (job.contains("outputs") && job["outputs"].is_array()) {   // ["amplitude", "focus"] says as much
        for (const Json& name : job["outputs"]) {
            if (name.is_string()) outputs[name.get<std::string>()] = stand_in(job, name, registry);
        }
    }
    changed["inputs"] = std::move(named);
    if (!outputs.empty()) changed["outputs"] = std::move(outputs);
    return changed;
}

}  // namespace

Result Session::run(const Job& text, const Inputs& inputs, const CancelToken& cancel) {
    const std::lock_guard lock(impl_->mutex);
    const engine::Registry& registry = impl_->core().registry();
    const engine::Job job = engine::parse_job(without_files(text.impl().json, inputs, registry), registry.algorithms());
    if (job.for_each) throw UnsupportedError("for_each reads files", {"run the job once for each array"});

    return impl_->with_memory_of_the_caller([&] {
        if (impl_->borrowed) impl_->session.queue().barrier({}, "job");
        std::map<engine::Source, DeviceArray> arrays;
        for (const auto& [name, input] : inputs) arrays.emplace(engine::Source{std::nullopt, name}, impl_->take(input, name));

        std::vector<Pending> pending;
        CallOptions options;
        options.cancel = cancel;
        for (std::size_t i = 0; i < job.steps.size(); ++i) {
            const engine::StepSpec& step = job.steps[i];
            engine::Call call{step.id, step.algorithm, step.parameters, step.variant, step.policy, {}, step.outputs, step.pointer};
            for (const auto& [port, source] : step.inputs) call.inputs.emplace(port, arrays.at(source));
            engine::in_terms_of(job, step, [&] { pending.push_back(impl_->submit(call, options, cancel.shared())); });
            engine::check_limit(job, impl_->context().allocated());   // on the device as a whole: nothing to be cut
            for (const auto& [port, array] : pending.back().arrays()) arrays.emplace(engine::Source{i, port}, impl_->own(array));
        }

        std::vector<Result> done;
        for (Pending& step : pending) done.push_back(step.get());
        Result result;
        Json reports = Json::array();
        for (std::size_t i = 0; i < done.size(); ++i) {
            Json report = Json::parse(done[i].report);
            report["id"] = job.steps[i].id;
            reports.push_back(std::move(report));
            for (const std::string& warning : done[i].warnings) result.warnings.push_back(job.steps[i].id + ": " + warning);
        }
        for (const engine::OutputSpec& output : job.outputs) {
            Result& step = done[*output.source.step];
            if (output.form == engine::OutputForm::array) result.arrays.emplace(output.name, step.array(output.source.port));
            else result.records.emplace(output.name, step.record(output.source.port));
        }
        result.report = Json{{"steps", std::move(reports)}}.dump();
        return result;
    });
}

}  // namespace parallax
