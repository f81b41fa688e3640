// parallax run: reads a job, runs it, writes its outputs, says what was done.
#include "commands.hpp"
#include "console.hpp"
#include "job/runner.hpp"
#include "terminal.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace parallax::cli {

namespace {

using Clock = std::chrono::steady_clock;

struct Options : SeriesRunOptions {
    JobOptions job;
};

void check_report(const Options& options, const engine::Prepared& prepared) {
    if (options.report.empty()) return;
    const std::filesystem::path path = engine::path_from(options.report);
    if (std::filesystem::is_directory(path)) throw ConfigError("--report", fmt::format("the folder {}", options.report), "the path of a file");
    if (std::filesystem::exists(path) && !options.overwrite) {
        throw ConfigError("--report", fmt::format("the existing file {}", options.report), "no file of that name", "use --overwrite to replace it");
    }
    const auto refuse_same = [&](const std::filesystem::path& other, const char* what) {
        std::error_code ignored;
        if (std::filesystem::absolute(other).lexically_normal() == std::filesystem::absolute(path).lexically_normal() ||
            std::filesystem::equivalent(other, path, ignored)) {
            throw ConfigError("--report", fmt::format("{}, which is {}", options.report, what), "a file of its own");
        }
    };
    refuse_same(engine::path_from(options.job.file), "the job");
    for (const engine::PreparedInput& input : prepared.inputs) {
        for (const std::filesystem::path& file : input.files) refuse_same(file, "an input");
    }
    for (const std::filesystem::path& output : prepared.outputs) refuse_same(output, "an output too");
    if (!std::filesystem::is_directory(std::filesystem::absolute(path).parent_path())) {
        throw ConfigError("--report", fmt::format("\"{}\" in a folder that is not there", options.report), "a file in a folder that is there");
    }
    engine::writable_ancestor(path, "--report");
}

/// The scalars of a record on one line: "metric tenengrad, best.index 20".
std::string one_line(const Json& record) {
    std::string line;
    for (const auto& [name, value] : record.items()) {
        if (value.is_array() || value.is_null()) continue;
        const std::string text = value.is_object() ? "(" + one_line(value) + ")" : value.is_string() ? value.get<std::string>() : text_of(value, -1);
        line += (line.empty() ? "" : ", ") + name + " " + text;
    }
    return line;
}

void summarise(const engine::JobResult& result) {
    fmt::print(stderr, "device   {} ({}, driver {})\n", result.device.name, result.device.platform, result.device.driver);
    for (const engine::StepReport& step : result.steps) fmt::print(stderr, "step     {}: {} by {}\n", step.id, step.algorithm, step.variant);
    for (const auto& [name, record] : result.records.items()) {
        const std::string line = one_line(record);
        if (!line.empty()) fmt::print(stderr, "{:<8} {}\n", name, line);
    }
    fmt::print(stderr, "done in {:.3f} s, {} of device memory\n", result.wall_seconds, human_bytes(static_cast<double>(result.peak_device_bytes)));
    for (const engine::OutputReport& output : result.outputs) fmt::print("{}\n", output.file.path);
}

int run(const Options& options) {
    const Clock::time_point started = Clock::now();
    const engine::Registry registry;
    engine::Job job = options.job.parse(registry);
    if (job.for_each) return run_series(options.job, options, std::move(job));
    if (options.resume) throw ConfigError("--resume", "--resume", "a job with for_each", "run it again with --overwrite: a job without for_each is done in one piece");
    if (!options.shard.empty()) throw ConfigError("--shard", "--shard", "a job with for_each", "a job without for_each is done in one piece");
    if (!options.trace.empty()) throw ConfigError("--trace", "--trace", "a job with for_each", "--report has the times of one job");
    const engine::Prepared prepared = engine::prepare(std::move(job), options.job.locations(), options.overwrite);
    check_report(options, prepared);
    for (std::size_t i = 0; i < prepared.steps.size(); ++i) {
        for (const std::string& warning : prepared.steps[i].warnings) spdlog::warn("step \"{}\": {}", prepared.job.steps[i].id, warning);
    }

    const Clock::time_point opening = Clock::now();
    const host::Selection selection = select_device(prepared.job.device);
    engine::Engine engine(*selection.device, {host::ProgramCache::open()});
    spdlog::debug("device {}: {} ({})", engine.device().index, engine.device().name, engine.device().platform);

    watch_interrupts();
    ProgressBar bar(!options.quiet && !options.json);
    engine::RunOptions run_options;
    run_options.started = started;
    run_options.cancelled = interrupted;
    run_options.before.push_back({"open device", engine::StageKind::host, std::chrono::duration<double>(Clock::now() - opening).count(), 1, true, {}});
    run_options.progress = [&](const std::string& stage, double done) {
        bar.show(stage, done);
        spdlog::debug("{:.3f} s: {}", std::chrono::duration<double>(Clock::now() - started).count(), stage);
    };
    const engine::JobResult result = engine::run(prepared, engine, run_options);
    bar.clear();
    if (!result.retried.empty()) spdlog::warn("the device failed once, and the job was run again in a fresh context: {}", result.retried);

    if (!options.report.empty()) io::write_json(engine::path_from(options.report), to_json(result), options.overwrite);
    if (options.json) fmt::print("{}\n", text_of(to_json(result)));
    else if (!options.quiet) summarise(result);
    return 0;
}

}  // namespace

void add_run(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("run", "Run a job");
    auto options = std::make_shared<Options>();
    options->job.add_to(*sub);
    options->add_to(*sub);
    sub->callback([options, &command] {
        command.origin = options->job.file;
        command.run = [options] { return run(*options); };
    });
}

}  // namespace parallax::cli
