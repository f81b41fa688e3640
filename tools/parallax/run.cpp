// parallax run: reads a job, runs it, writes its outputs, says what was done.
#include "commands.hpp"
#include "console.hpp"
#include "io/one_name.hpp"
#include "job/files_of_run.hpp"
#include "limits.hpp"
#include "modes/run.hpp"
#include "left_out.hpp"
#include "ranks.hpp"
#include "series_summary.hpp"
#include "stream/stream.hpp"
#include "stream_run.hpp"
#include "terminal.hpp"
#include "peers/peers.hpp"
#include "support/text.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace parallax::cli {

namespace {

using Clock = std::chrono::steady_clock;

struct Options : SeriesRunOptions {
    JobOptions job;
};

/// --report or --gallery: a file of its own.
void check_target(const Options& options, const engine::Prepared& prepared, const char* option, const std::string& file) {
    if (file.empty()) return;
    refuse_stdout(option, file);
    const std::filesystem::path path = engine::path_from(file);
    if (prepared.confined) engine::refuse_links(path, option);   // before anything is asked of what it leads to
    engine::refuse_dots_behind_link(path, option);
    std::error_code unknown;   // asked for below, by what may be written there
    if (std::filesystem::is_directory(path, unknown))
        throw ConfigError(option, fmt::format("the folder {}", file), "the path of a file");
    check_own_name(option, file);
    engine::check_place(path, option);
    if (std::filesystem::exists(path, unknown) && !options.overwrite) {
        throw ConfigError(option, fmt::format("the existing file {}", file), "no file of that name",
                          "use --overwrite to replace it");
    }
    const auto refuse_same = [&](const std::filesystem::path& other, const char* what) {
        if (io::lead_to_one(other, path))
            throw ConfigError(option, fmt::format("{}, which is {}", file, what), "a file of its own");
    };
    const auto real = [](const std::filesystem::path& other) {
        std::error_code ignored;
        return std::filesystem::weakly_canonical(std::filesystem::absolute(other), ignored);
    };
    if (const auto read = engine::FilesOfRun(prepared).at(path))
        throw ConfigError(option, fmt::format("{}, {}", file, read->in_words()), "a file of its own");
    for (const std::filesystem::path& output : prepared.outputs) {
        refuse_same(output, "an output too");
        if (io::lies_in(real(path), real(output)))   // a store, which replaces all that is in the one before
            throw ConfigError(option, fmt::format("{}, which is in an output", file), "a file beside it");
    }
    const std::filesystem::path folder = std::filesystem::absolute(path).lexically_normal().parent_path();
    const bool made_for_outputs =
        std::any_of(prepared.outputs.begin(), prepared.outputs.end(), [&](const std::filesystem::path& output) {
            return std::filesystem::absolute(output).lexically_normal().parent_path() == folder;
        });
    if (!std::filesystem::is_directory(folder) && !made_for_outputs) {
        throw ConfigError(option, fmt::format("\"{}\" in a folder that is not there", file),
                          "a file in a folder that is there");
    }
    engine::writable_ancestor(path, option);
}

void check_gallery_name(const Options& options) {
    if (!options.gallery.empty() && !options.gallery.ends_with(".html") && !options.gallery.ends_with(".htm"))
        throw ConfigError("--gallery", fmt::format("\"{}\"", options.gallery), "the path of a .html file");
}

/// Options that mean nothing for the job, however many processes do it.
void check_options(const Options& options, const engine::Job& job) {
    if (options.idle && !options.watch) throw ConfigError("--idle", "--idle without --watch", "both");
    engine::refuse_without_series(job, {.resume = options.resume,
                                        .shard = !options.shard.empty(),
                                        .watch = options.watch,
                                        .trace = !options.trace.empty(),
                                        .manifest = !options.job.manifest.empty()});
    const auto refuse_pace = [&](const char* option, bool given) {
        if (given && !job.for_each)
            throw ConfigError(option, option, "a job with for_each", "a job without for_each is read, computed and written once");
    };
    refuse_pace("--readers", options.readers > 0);
    refuse_pace("--writers", options.writers > 0);
    refuse_pace("--in-flight", options.in_flight.has_value());
    if (options.idle && !(*options.idle > 0 && *options.idle < 1e9))
        throw ConfigError("--idle", fmt::format("{}", *options.idle), "a number of seconds above 0");
    check_gallery_name(options);
}

void check_report(const Options& options, const engine::Prepared& prepared) {
    check_target(options, prepared, "--report", options.report);
    check_target(options, prepared, "--gallery", options.gallery);
    if (!options.gallery.empty() && !options.report.empty() &&
        io::lead_to_one(engine::path_from(options.gallery), engine::path_from(options.report)))
        throw ConfigError("--gallery", fmt::format("{}, which is the report", options.gallery), "a file of its own");
    refuse_replaced_stdout(options, [&](const std::filesystem::path& file) {
        const auto is_it = [&](const std::filesystem::path& output) { return io::lead_to_one(file, output); };
        return std::any_of(prepared.outputs.begin(), prepared.outputs.end(), is_it) ? "which is an output too" : "";
    });
}

/// The page is made of files that are opened once more, by their names: somebody else may have put others there.
void refuse_gallery_of_strangers(const Options& options) {
    if (!options.gallery.empty() && options.job.confined)
        throw ConfigError("--gallery", "it beside --confined", "one of the two",
                          "a gallery opens the job's files again by their names, which --confined does not trust");
}

/// The scalars of a record on one line: "metric tenengrad, best.index 20".
std::string one_line(const Json& record) {
    std::string line;
    for (const auto& [name, value] : record.items()) {
        if (value.is_array() || value.is_null()) continue;
        const std::string text = value.is_object()   ? "(" + one_line(value) + ")"
                                 : value.is_string() ? value.get<std::string>()
                                                     : text_of(value, -1);
        line += (line.empty() ? "" : ", ") + name + " " + text;
    }
    return line;
}

/// What a device did of a job that several shared.
void summarise_rank(const Json& rank) {
    tell("rank {:<3} {}: {} in {:.3f} s", rank["rank"].get<int>(), rank["device"]["name"].get<std::string>(),
         rank["share"].get<std::string>(), rank["steps_seconds"].get<double>());
    if (rank.contains("exchanges") && !rank["exchanges"]["hidden"].is_null())
        tell(", {} exchanges, {:.0f}% of their time hidden", rank["exchanges"]["count"].get<int>(),
             100 * rank["exchanges"]["hidden"].get<double>());
    tell("\n");
}

void summarise(const engine::JobResult& result) {
    if (result.ranks.empty())
        tell("device   {} ({}, {}, driver {})\n", result.device.name, to_string(result.device.type), result.device.platform,
             result.device.driver);
    for (const Json& rank : result.ranks) summarise_rank(rank);
    for (const engine::StepReport& step : result.steps) tell("step     {}: {} by {}\n", step.id, step.algorithm, step.variant);
    for (const auto& [name, record] : result.records.items()) {
        const std::string line = one_line(record);
        if (!line.empty()) tell("{:<8} {}\n", name, line);
    }
    tell("done in {:.3f} s, {} of device memory\n", result.wall_seconds,
         human_bytes(static_cast<double>(result.peak_device_bytes)));
    say_what_tables_leave_out(result.outputs);
    for (const engine::OutputReport& output : result.outputs) name_output(output.file.path);
}

void warn(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) spdlog::warn("{}", host::printable_line(warning));
}

/// The summary, or the report where that is asked for on standard output.
void tell_of_job(const Options& options, const engine::JobResult& result, const std::string& on_stdout) {
    for (const std::string& warning : result.warnings) spdlog::warn("{}", host::printable_line(warning));
    if (!result.retried.empty())
        spdlog::warn("the device failed once, and the job was run again in a fresh context: {}", indented(result.retried));
    if (options.json) fmt::print("{}\n", on_stdout);
    else if (!options.quiet) summarise(result);
    name_gallery(options);
}

engine::RunJobOptions run_options_of(ProgressBar& bar, Clock::time_point started, Clock::time_point opening) {
    engine::RunJobOptions run_options;
    run_options.started = started;
    run_options.cancelled = interrupted;
    run_options.before.push_back(
        {"open device", engine::StageKind::host, std::chrono::duration<double>(Clock::now() - opening).count(), 1, true, {}});
    run_options.progress = [&bar, started](const std::string& stage, double done) {
        bar.show(stage, done);
        spdlog::debug("{:.3f} s: {}", std::chrono::duration<double>(Clock::now() - started).count(), host::printable_line(stage));
    };
    return run_options;
}

/// One of the processes that mpirun started. Rank 0 writes and tells.
int run_by_mpi(const Options& options, const engine::distributed::Launched& launched) {
    const Clock::time_point started = Clock::now();
    const RankRules rules{options.overwrite, [&](const engine::Prepared& prepared) {
                              check_options(options, prepared.job);
                              check_report(options, prepared);
                          }};
    return work_as_rank(options.job, launched, rules, [&](RankWork& work, engine::distributed::Communicator& ranks) {
        if (ranks.rank() == 0) warn(work.job.prepared.warnings());
        watch_interrupts();
        ProgressBar bar(ranks.rank() == 0 && !options.quiet && !options.json);
        engine::RunJobOptions how = run_options_of(bar, started, work.job.opening);
        std::string report;
        how.along = reports_along(options, report);
        const auto result = engine::distributed::run_rank(work.job.prepared, *work.job.engine, ranks, how);
        bar.clear();
        if (result) tell_of_job(options, *result, report);
    });
}

int run_within(const Enforced& limits, const Options& options) {
    refuse_gallery_of_strangers(options);
    const Clock::time_point started = Clock::now();
    const engine::distributed::Launched launched = engine::distributed::launched();
    if (launched.processes > 1 && options.shard.empty()) return run_by_mpi(options, launched);   // a shard needs no other
    const engine::Registry registry = engine::registry_with_peers();
    engine::Job parsed = options.job.parse(registry);
    if (engine::stream::is_stream(parsed)) {
        const auto over = [&limits] { return interrupted() || limits.time_is_up(); };
        const int status = run_stream(options, options.job, parsed, registry, over);
        if (limits.time_is_up() && status != 0) spdlog::warn("stopped by --limit {}", options.job.limit);
        return status;
    }
    const bool is_series = parsed.for_each != nullptr;
    check_options(options, parsed);
    if (is_series) check_series_files(options, options.job.confined);
    engine::series::SeriesOptions how{manifest_of(options.job), options.overwrite, options.resume, shard_from(options.shard)};
    watch_interrupts();
    ProgressBar bar(!options.quiet && !options.json);
    if (options.watch) {
        how.watch =
            engine::series::Watch{options.idle.value_or(0), [&limits] { return interrupted() || limits.time_is_up(); }, nullptr};
        how.watch->tell = [&bar](const std::string& news) {
            bar.clear();
            warn({news});
        };
        if (!options.quiet && !options.json) how.watch->began = [] { cli::tell("watching: Ctrl-C ends it\n"); };
    }
    const engine::PreparedJob job(std::move(parsed), options.job.locations(), how);
    if (is_series)
        check_series_files(options, *job.series());
    else
        check_report(options, job.prepared());
    warn(job.warnings());

    const Clock::time_point opening = Clock::now();
    const auto engines = engine::open_devices(job.job(), registry, host::ProgramCache::open());
    for (const auto& engine : engines)
        spdlog::debug("device {}: {} ({})", engine->device().index, engine->device().name, engine->device().platform);

    engine::RunJobOptions run_options = run_options_of(bar, started, opening);
    run_options.cancelled = [&limits] { return interrupted() || limits.time_is_up(); };
    std::string report;
    run_options.along = reports_along(options, report);
    if (limits.has_time()) run_options.series.cut_off = [&limits] { return limits.time_is_up(); };
    run_options.series.readers = options.readers;
    run_options.series.writers = options.writers;
    run_options.series.in_flight = options.in_flight.value_or(run_options.series.in_flight);
    run_options.series.trace = engine::path_from(options.trace);
    run_options.series.progress = show_items(bar);
    const engine::JobOutcome outcome = engine::run(job, engine::pointers(engines), run_options);
    bar.clear();
    if (limits.time_is_up() && !outcome.is_whole()) spdlog::warn("stopped by --limit {}", options.job.limit);
    if (outcome.series) tell_of_series(options, *outcome.series, *job.series(), report);
    else tell_of_job(options, *outcome.job, report);
    return outcome.is_whole() ? 0 : 1;
}

int run(const Options& options) {
    const Enforced limits(Limits::from(options.job.limit));
    return limits.told([&] { return run_within(limits, options); });
}

}  // namespace

void add_run(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("run", "Run a job");
    auto options = std::make_shared<Options>();
    options->job.add_to(*sub);
    options->add_to(*sub);
    sub->footer(
        "With --device all (or \"use\" in the job) the devices of this machine share a series, or one diffusion_lb or box_count; "
        "under\n"
        "mpirun -n N, processes on one machine or many share one diffusion_lb or box_count. The result does not depend on how "
        "many.\n"
        "Exit status: 0 done, 1 the work failed (device, files), 2 the request was wrong.");
    sub->callback([options, &command] {
        command.origin = options->job.file;
        command.run = [options] { return run(*options); };
    });
}

}  // namespace parallax::cli
