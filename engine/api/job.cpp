// Jobs built in code, and jobs on files.
#include "api/job_impl.hpp"
#include "api/impl.hpp"
#include "job/load.hpp"
#include "job/paths.hpp"
#include "job/runner.hpp"
#include "registry/registry.hpp"

namespace parallax {

Job::Job() : impl_(std::make_unique<Impl>()) { impl_->json["parallax"] = 1; }
Job::~Job() = default;
Job::Job(const Job& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Job& Job::operator=(const Job& other) {
    if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
    return *this;
}
Job::Job(Job&&) noexcept = default;
Job& Job::operator=(Job&&) noexcept = default;

Job Job::parse(const std::string& json) {
    Job job;
    job.impl_->json = engine::parse_json(json, "job");
    return job;
}

Job Job::load(const std::string& file) {
    Job job;
    job.impl_->json = engine::load_json(engine::path_from(file));
    return job;
}

Job& Job::input(const std::string& name, const std::string& file) {
    impl_->json["inputs"][name] = file;
    return *this;
}

Job& Job::step(const std::string& algorithm, const std::string& parameters, const StepOptions& options) {
    Json step{{"run", algorithm}};
    if (!options.id.empty()) step["id"] = options.id;
    if (!options.in.empty()) step["in"] = options.in;
    if (!options.out.empty()) step["out"] = options.out;
    if (!options.variant.empty()) step["variant"] = options.variant;
    const Json values = engine::parse_json(parameters.empty() ? "{}" : parameters, "parameters of " + algorithm);
    if (!values.is_object()) throw ConfigError("/steps", engine::describe(values), "an object of parameters");
    step.update(values);
    impl_->json["steps"].push_back(std::move(step));
    return *this;
}

Job& Job::output(const std::string& name, const std::string& file) {
    impl_->json["outputs"][name] = file;
    return *this;
}

Job& Job::output(const std::string& name) {
    impl_->json["outputs"][name] = nullptr;
    return *this;
}

Job& Job::set(const std::string& setting) {
    engine::apply_setting(impl_->json, setting, engine::all_algorithms());
    return *this;
}

std::string Job::json() const { return impl_->json.dump(2); }

std::string Engine::run(const Job& job) const { return run(job, {}); }

std::string Engine::run(const Job& job, const JobOptions& options) const {
    engine::Engine& core = impl_->engine;
    engine::Locations where;
    where.job_folder = engine::path_from(options.folder);
    where.out = engine::path_from(options.out);
    for (const auto& [name, folder] : options.roots) where.roots.emplace(name, engine::path_from(folder));
    const engine::Prepared prepared = engine::prepare(engine::parse_job(job.impl().json, core.registry().algorithms()), where, options.overwrite);
    for (const std::string& warning : prepared.warnings()) impl_->say(LogLevel::warning, warning);
    engine::RunOptions run;
    run.progress = options.progress;
    run.cancelled = [cancel = options.cancel] { return cancel.cancelled(); };
    const engine::JobResult result = engine::run(prepared, core, run);
    for (const std::string& warning : result.warnings) impl_->say(LogLevel::warning, warning);
    return to_json(result).dump();
}

}  // namespace parallax
