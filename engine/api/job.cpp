// Jobs built in code, and jobs on files.
#include "api/job_impl.hpp"
#include "api/impl.hpp"
#include "job/load.hpp"
#include "job/paths.hpp"
#include "modes/ranks.hpp"
#include "modes/run.hpp"
#include "registry/registry.hpp"
#include "series/own_files.hpp"
#include "support/given_path.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace parallax {

Job::Job() : impl_(std::make_unique<Impl>()) { impl_->json = Json{{"parallax", 1}}; }
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
    const std::filesystem::path path = engine::path_from(host::check_path(file, ""));
    job.impl_->json = engine::load_json(path);
    job.impl_->file = engine::whole_path(path);
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
    if (!values.is_object()) throw ConfigError("/steps", describe(values), "an object of parameters");
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

namespace {

/// From here on, whatever folder the application goes to meanwhile.
std::filesystem::path from_here(const std::string& option, const std::string& path) {
    if (path.empty()) return {};
    try {
        return engine::whole_path(engine::path_from(host::check_path(path, option)));
    } catch (const IoError& error) {
        throw IoError(error.path, error.problem,
                      fmt::format("go to one that is there, or let \"{}\" be an absolute path", option));
    }
}

/// One that has to be there. An empty path would be the folder that the application happens to stand in.
std::filesystem::path folder_from_here(const std::string& option, const std::string& path) {
    if (path.empty()) throw ConfigError(option, "an empty path", "a folder", "\".\" is the working folder");
    return from_here(option, path);
}

engine::Locations locations_of(const JobOptions& options, const std::filesystem::path& job) {
    engine::Locations where;
    if (!job.empty()) where.own.push_back({job, "the job"});
    where.job_folder = folder_from_here("folder", options.folder);
    where.out = folder_from_here("out", options.out);
    where.confined = options.confined;
    where.synced = options.sync;
    for (const auto& [name, folder] : options.roots) where.roots.emplace(name, folder_from_here("roots", folder));
    return where;
}

/// Most as on the command line.
void check_threads(const char* option, int given, int least, int most) {
    if (given < least || given > most)
        throw ConfigError(option, std::to_string(given), fmt::format("{} to {}", least, most),
                          least == 0 ? "0 is as many as the processor bears" : "3 is the default");
}

void check_threads(const JobOptions& options) {
    check_threads("readers", options.readers, 0, 256);
    check_threads("writers", options.writers, 0, 256);
    check_threads("in_flight", options.in_flight, 1, 64);
}

engine::series::SeriesOptions series_options_of(const JobOptions& options) {
    check_threads(options);
    if (options.shards < 1 || options.shard < 1 || options.shard > options.shards)
        throw ConfigError("shard", fmt::format("shard {} of {}", options.shard, options.shards),
                          "a shard from 1 to the number of shards");
    const auto manifest =
        options.manifest.empty() ? from_here("out", options.out) / "job.series" : from_here("manifest", options.manifest);
    return {manifest, options.overwrite, options.resume, {options.shard, options.shards}};
}

/// `report` gets the text of it before what is committed last: behind that only the user's `log` asks for memory.
engine::RunJobOptions run_options_of(const JobOptions& options, std::string& report) {
    engine::RunJobOptions run;
    run.along = [&report](const Json& json, io::Transaction&) {
        report = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    run.progress = options.progress;
    run.cancelled = [cancel = options.cancel] { return cancel.cancelled(); };
    run.series.readers = options.readers;
    run.series.writers = options.writers;
    run.series.in_flight = options.in_flight;
    run.series.trace = from_here("trace", options.trace);
    return run;
}

/// Options are called "--resume" on the command line and "resume" here.
template <class Work>
auto in_terms_of_options(Work&& work) {
    try {
        return work();
    } catch (const ConfigError& error) {
        if (!error.pointer.starts_with("--")) throw;
        throw ConfigError(error.pointer.substr(2), error.found, error.expected, error.hint);
    }
}

using Say = std::function<void(LogLevel, const std::string&)>;

void tell(const Say& say, const std::vector<std::string>& warnings) {
    if (!say) return;
    for (const std::string& warning : warnings) say(LogLevel::warning, warning);
}

engine::AskedOfSeries asked_of_series(const JobOptions& options) {
    return {.resume = options.resume,
            .shard = options.shards > 1,
            .trace = !options.trace.empty(),
            .manifest = !options.manifest.empty()};
}

std::string run_on(const engine::PreparedJob& job, const std::vector<engine::Engine*>& engines, const JobOptions& options,
                   const Say& say) {
    tell(say, job.warnings());
    std::string report;
    const engine::JobOutcome outcome = engine::run(job, engines, run_options_of(options, report));
    if (outcome.job) tell(say, outcome.job->warnings);
    return report;
}

engine::Job parsed(const Job& job, const engine::Registry& registry, const EngineOptions& how) {
    engine::Job asked = engine::parse_job(job.impl().json, registry.algorithms());
    if (!how.device.empty()) asked.device = host::DeviceSelector::parse_spec(how.device);
    return asked;
}

engine::PreparedJob prepared(const Job& job, engine::Job asked, const JobOptions& options) {
    engine::refuse_without_series(asked, asked_of_series(options));
    engine::PreparedJob ready(std::move(asked), locations_of(options, job.impl().file), series_options_of(options));
    if (ready.series() == nullptr || options.trace.empty()) return ready;
    const std::filesystem::path trace = from_here("trace", options.trace);
    const std::string role = engine::series::Roles(*ready.series()).of(trace);
    if (!role.empty()) throw ConfigError("trace", fmt::format("{}, {}", options.trace, role), "a file of its own");
    std::error_code unknown;   // said by what may be written there
    if (!engine::series::replaces_trace(*ready.series(), trace) && std::filesystem::exists(std::filesystem::symlink_status(trace, unknown)))
        throw ConfigError("trace", fmt::format("the existing file {}", options.trace), "no file of that name",
                          "set overwrite to replace it");
    return ready;
}

/// One of several processes.
std::string run_as_rank(const Job& job, const JobOptions& options, const EngineOptions& how, const engine::Registry& registry) {
    const auto ranks = engine::distributed::join_mpi();
    std::optional<engine::RankJob> mine;
    engine::prepare_together(*ranks, [&] {
        check_threads(options);
        engine::Job asked = parsed(job, registry, how);
        engine::refuse_without_series(asked, asked_of_series(options));
        mine.emplace(std::move(asked), locations_of(options, job.impl().file), options.overwrite, registry, *ranks,
                     context_options(how).cache, Engine::Impl::limits_of(how));
    });
    try {
        std::string report;
        engine::distributed::run_rank(mine->prepared, *mine->engine, *ranks, run_options_of(options, report));
        return report;
    } catch (...) {
        ranks->give_up(1);   // the others would wait for ever
        throw;
    }
}

}  // namespace

std::string run(const Job& job, const JobOptions& options, const EngineOptions& how) {
    const host::FloatEnvironment ours;
    return in_terms_of_options([&] {
        const engine::Registry registry(engine::all_algorithms());
        if (options.ranks && engine::distributed::launched().processes > 1) return run_as_rank(job, options, how, registry);
        const engine::PreparedJob ready = prepared(job, parsed(job, registry, how), options);
        const auto engines =
            engine::open_devices(ready.job(), registry, context_options(how).cache, Engine::Impl::limits_of(how));
        return run_on(ready, engine::pointers(engines), options, how.log);
    });
}

std::string run(const Job& job, const JobOptions& options) { return run(job, options, {}); }

std::string run(const Job& job, const std::vector<Engine>& engines, const JobOptions& options) {
    if (engines.empty()) throw ConfigError("engines", "no engine", "at least one");
    const host::FloatEnvironment ours;
    return in_terms_of_options([&] {
        std::vector<engine::Engine*> cores;
        for (const Engine& each : engines) cores.push_back(&each.impl()->engine);
        engine::Job asked = parsed(job, cores.front()->registry(), {});
        if (cores.size() > 1 && !asked.for_each) engine::distributed::check_divisible(asked, static_cast<int>(cores.size()));
        const engine::PreparedJob ready = prepared(job, std::move(asked), options);
        return run_on(ready, cores, options,
                      [&](LogLevel level, const std::string& text) { engines.front().impl()->say(level, text); });
    });
}

std::string Engine::run(const Job& job) const { return parallax::run(job, std::vector{*this}); }
std::string Engine::run(const Job& job, const JobOptions& options) const {
    return parallax::run(job, std::vector{*this}, options);
}

}  // namespace parallax
