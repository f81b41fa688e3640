#include "series_summary.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "console.hpp"
#include "gallery/gallery.hpp"
#include "io/one_name.hpp"
#include "io/transaction.hpp"
#include "job/load.hpp"
#include "job/packing.hpp"
#include "left_out.hpp"
#include "series/conveyor_shape.hpp"
#include "series/own_files.hpp"
#include "series/remedies.hpp"
#include "support/file_system.hpp"
#include "terminal.hpp"

namespace parallax::cli {

namespace {

using engine::series::SeriesResult;

std::string duration(double seconds) {
    const auto whole = static_cast<long>(seconds + 0.5);
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string items(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "item" : "items"); }

/// The files of the first item.
std::vector<std::filesystem::path> first_files(const engine::series::PreparedSeries& series) {
    std::vector<std::filesystem::path> files;
    for (std::size_t i = 0; i < series.job.inputs.size(); ++i) {
        if (!series.job.inputs[i].each) continue;
        const std::vector<std::filesystem::path>& its = series.sample.inputs[i].files;
        files.insert(files.end(), its.begin(), its.end());
    }
    return files;
}

/// Which part the others wait for, and what would make it faster; nothing where none is at work most of the time.
void name_the_slowest(const SeriesResult& result, const engine::series::PreparedSeries& series) {
    const engine::series::Load load = engine::series::load_of(result);
    const double most = std::max({load.reading, load.device, load.writing});
    constexpr std::size_t few = 10;
    if (result.done < few || most < 0.5) return;
    std::string what, help;
    if (most == load.device) {
        what = "the device";
        help = result.devices.size() > 1 ? "more devices" : "a faster device, or several (--device all)";
    } else if (most == load.reading) {
        what = fmt::format("reading, by {} threads", result.readers);
        const std::vector<std::filesystem::path> files = first_files(series);
        const bool in_memory = std::all_of(files.begin(), files.end(), host::is_in_memory);
        help = engine::series::remedies_of_reading(engine::series::file_work_of(series).unpacks, in_memory);
    } else {
        what = fmt::format("writing, by {} threads", result.writers);
        help = engine::series::remedies_of_writing(engine::without_packing(series.job.outputs),
                                                   host::is_in_memory(series.sample.out), series.where.synced);
    }
    tell("slowest  {}, at work {:.0f}% of the time (reading {:.0f}%, device {:.0f}%, writing {:.0f}%); what helps: {}\n", what,
         100 * most, 100 * load.reading, 100 * load.device, 100 * load.writing, help);
}

void summarise(const SeriesResult& result, const engine::series::PreparedSeries& series) {
    for (const engine::series::DeviceShare& share : result.devices) {
        tell("device   {} ({}, {}, driver {}): {}", share.device.name, to_string(share.device.type), share.device.platform,
             share.device.driver, items(share.items));
        if (share.busy > 0) tell(", busy {:.0f}%", 100 * share.busy);
        tell(", {} of its memory\n", human_bytes(static_cast<double>(share.peak_bytes)));
    }
    for (const engine::StepReport& step : result.steps) tell("step     {}: {} by {}\n", step.id, step.algorithm, step.variant);
    if (result.skipped == result.total) {
        tell("nothing left to do: {} of {} items were done before\n", result.skipped, result.total);
    } else {
        tell("{} of {} done in {:.3f} s, {:.4g} a second", result.done, items(result.total), result.seconds,
             result.items_per_second);
        if (result.skipped > 0) tell("; {} were done before", result.skipped);
        tell("\n");
    }
    name_the_slowest(result, series);
    if (!result.latencies.empty())
        tell(
            "latency  from a file's end to its results: median {:.1f} ms, 99% {:.1f} ms, longest {:.1f} ms, of {} files that "
            "came\n",
            1e3 * engine::series::percentile_of(result.latencies, 50), 1e3 * engine::series::percentile_of(result.latencies, 99),
            1e3 * result.latencies.back(), result.latencies.size());
    say_what_tables_leave_out(result.gathered);
    for (const engine::OutputReport& output : result.gathered) name_output(output.file.path);
}

/// What went wrong, after everything else, so that it is not scrolled away.
void report_failures(const SeriesResult& result, const engine::series::Shard& shard) {
    constexpr std::size_t most = 20;
    if (!result.failed.empty()) tell("{} of {} failed:\n", result.failed.size(), items(result.total));
    for (std::size_t i = 0; i < std::min(most, result.failed.size()); ++i) {
        const engine::series::Failure& failure = result.failed[i];
        put("  " + indented((failure.error.starts_with(failure.item) ? "" : failure.item + ": ") + failure.error) + "\n");
    }
    if (result.failed.size() > most) tell("  and {} more; the manifest has them all\n", result.failed.size() - most);
    for (const std::string& folder : result.gone)
        tell("{} at the end of the watch: what was to come since it went is not in the results; --resume goes on\n", folder);
    if (result.stopped) {
        const std::size_t left = result.total - result.done - result.skipped - result.failed.size();
        const bool by_failure = !result.failed.empty() && !interrupted();
        tell("stopped with {} of {} left{}; --resume goes on{}\n", left, items(result.total),
             by_failure ? " after the failure" : "",
             by_failure ? ", and \"on_error\": \"continue\" goes past items that fail" : "");
    } else if (!result.complete && shard.count > 1 && result.failed.size() < result.total) {
        tell("other shards are not done yet: whoever is last writes what is made of all items\n");
    }
}

/// Of those that are asked for, with their options.
std::vector<std::pair<const char*, std::string>> files_of(const SeriesRunOptions& options) {
    std::vector<std::pair<const char*, std::string>> files{
        {"--report", options.report}, {"--trace", options.trace}, {"--gallery", options.gallery}};
    std::erase_if(files, [](const auto& file) { return file.second.empty(); });
    return files;
}

}  // namespace

void name_gallery(const SeriesRunOptions& options) {
    if (!options.gallery.empty() && !options.quiet && !options.json) name_output(options.gallery);
}

engine::series::Shard shard_from(const std::string& text) {
    engine::series::Shard shard;
    if (text.empty()) return shard;
    const auto number = [](const std::string& part, std::size_t& value) {
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        return error == std::errc() && end == part.data() + part.size();
    };
    const std::size_t slash = text.find('/');
    const bool good = slash != std::string::npos && number(text.substr(0, slash), shard.number) &&
                      number(text.substr(slash + 1), shard.count) && shard.number >= 1 && shard.number <= shard.count;
    if (!good) throw ConfigError("--shard", fmt::format("\"{}\"", text), "i/n with 1 <= i <= n, such as 3/8");
    return shard;
}

void say_what_tables_leave_out(const std::vector<engine::OutputReport>& outputs) {
    for (const engine::OutputReport& output : outputs) {
        if (output.left_out.empty()) continue;
        tell("table    {}: without the {} {}, which a .csv or .json output of the record has\n", output.name,
             output.left_out.size() == 1 ? "list" : "lists", fmt::join(output.left_out, ", "));
    }
}

void SeriesRunOptions::add_to(CLI::App& app) {
    app.add_flag("--overwrite", overwrite, "Replace outputs and a report that exist");
    app.add_option("--report", report, "Write everything that is needed to repeat the run to this JSON file");
    app.add_option("--gallery", gallery,
                   "Write one page with inputs, outputs and records as pictures and curves to this .html file");
    app.add_flag("--resume", resume, "Go on with a job that has for_each: what its manifest does not have yet");
    app.add_flag("--watch", watch, "Of a job with for_each, go on with files that come into its folder, until Ctrl-C");
    app.add_option("--idle", idle, "Beside --watch: end when no file has come for so many seconds, the first included");
    app.add_option("--shard", shard, "i/n: of a job with for_each, the i-th of n shares; all of them use one manifest");
    app.add_option("--trace", trace, "Of a job with for_each, write who did what when to this JSON file, for ui.perfetto.dev");
    app.add_option("--readers", readers, "Of a job with for_each, threads that read and decode, for each device")->check(CLI::Range(1, 256));
    app.add_option("--writers", writers, "Of a job with for_each, threads that encode and write")->check(CLI::Range(1, 256));
    app.add_option("--in-flight", in_flight, "Items or frames on a device at once, 3 unless given, fewer where its memory is short")
        ->check(CLI::Range(1, 64));
    app.add_flag("--quiet", quiet, "No progress and no summary");
    app.add_flag("--json", json, "Print the report on stdout");
}

void refuse_stdout(const char* option, const std::string& file) {
    if (file == "-")
        throw ConfigError(option, "\"-\"", "the path of a file",
                          "--json prints the report on standard output; \"./-\" is a file of that name");
}

void refuse_replaced_stdout(const SeriesRunOptions& options,
                            const std::function<std::string(const std::filesystem::path&)>& role) {
    const auto file = options.quiet && !options.json ? std::nullopt : file_of_stdout();
    if (!file) return;
    std::string what = role(*file);
    for (const auto& [option, text] : files_of(options))
        if (io::lead_to_one(*file, engine::path_from(text))) what = fmt::format("which is that of {}, too", option);
    if (!what.empty())
        throw ConfigError("standard output", fmt::format("{}, {}", engine::to_utf8(*file), what),
                          "a file of its own, or --quiet");
}

void check_own_name(const char* option, const std::string& file) {
    namespace fs = std::filesystem;
    const fs::path path = engine::path_from(file);
    std::error_code unknown;
    const fs::file_status status = fs::symlink_status(path, unknown);
    if (unknown == std::errc::filename_too_long)
        throw ConfigError(option, fmt::format("a name of {} bytes", path.filename().native().size()), "a name of at most 255 bytes");
    if (!fs::is_symlink(status)) return;
    const bool leads = fs::exists(path, unknown);
    throw ConfigError(option, fmt::format("the symbolic link {}{}", file, leads ? "" : ", which leads to nothing"), "a file, or nothing",
                      leads ? "remove the link first, or name the file itself" : "remove the link first");
}

void check_series_files(const SeriesRunOptions& options, bool confined) {
    namespace fs = std::filesystem;
    for (const auto& [option, text] : files_of(options)) {
        refuse_stdout(option, text);
        const fs::path path = engine::path_from(text);
        if (confined) engine::refuse_links(path, option);
        engine::refuse_dots_behind_link(path, option);
        check_own_name(option, text);
        engine::check_place(path, option);
        std::error_code unknown;   // said below, by what may be written there
        if (fs::exists(path, unknown) && !options.overwrite && !options.resume) {
            throw ConfigError(option, fmt::format("the existing file {}", text), "no file of that name",
                              "use --overwrite to replace it");
        }
        engine::writable_ancestor(path, option);
    }
}

/// What a series that goes on may replace unasked: what one has written for the same option.
static bool is_of_a_series(std::string_view option, const std::filesystem::path& file) {
    if (option == "--report") return engine::series::is_report(file);
    if (option == "--trace") return engine::series::is_trace(file);
    return engine::gallery::is_page_of_series(file);
}

void check_series_files(const SeriesRunOptions& options, const engine::series::PreparedSeries& series) {
    namespace fs = std::filesystem;
    std::vector<std::pair<fs::path, const char*>> taken;
    engine::series::Roles roles(series);
    const auto refuse = [](const char* option, const std::string& text, const std::string& what) {
        throw ConfigError(option, fmt::format("{}, {}", text, what), "a file of its own");
    };
    for (const auto& [option, text] : files_of(options)) {
        const fs::path path = engine::path_from(text);
        if (const std::string role = roles.of(path); !role.empty()) refuse(option, text, role);
        for (const auto& [other, owner] : taken)
            if (io::lead_to_one(path, other)) refuse(option, text, fmt::format("which is that of {}, too", owner));
        taken.emplace_back(path, option);
        std::error_code unknown;
        if (!options.overwrite && fs::exists(path, unknown) && !(series.options.resume && is_of_a_series(option, path)))
            throw ConfigError(option, fmt::format("the existing file {}", text), "no file of that name, or one of the series that goes on",
                              "use --overwrite to replace it, or another name");
    }
    refuse_replaced_stdout(options, [&](const fs::path& file) { return roles.of(file); });
}

std::function<void(const engine::series::Progress&)> show_items(ProgressBar& bar) {
    return [&bar, shown = std::chrono::steady_clock::time_point()](const engine::series::Progress& progress) mutable {
        const auto now = std::chrono::steady_clock::now();
        if (now - shown < std::chrono::milliseconds(100) && progress.finished < progress.total) return;
        shown = now;
        std::string text = fmt::format("{}/{}, {:.3g} a second, {} left", progress.finished, progress.total,
                                       progress.items_per_second, duration(progress.seconds_left));
        if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
        bar.show(text, static_cast<double>(progress.finished) / static_cast<double>(progress.total));
    };
}

engine::Along reports_along(const SeriesRunOptions& options, std::string& on_stdout) {
    if (options.report.empty() && options.gallery.empty() && !options.json) return {};   // a report of many files takes its time
    return [&](const Json& report, io::Transaction& files) {
        const auto add = [&](const char* option, const std::string& name, const std::string& text) {
            const std::filesystem::path file = engine::path_from(name);
            files.add_beside(file, options.overwrite || (options.resume && is_of_a_series(option, file)),
                             [&](const std::filesystem::path& path) { io::write_text(path, text, false); });
        };
        const auto standing = [&files](const std::filesystem::path& path) { return files.staged(path); };
        if (!options.report.empty()) add("--report", options.report, text_of(report, 2) + '\n');
        if (!options.gallery.empty()) add("--gallery", options.gallery, engine::gallery::page(report, 60, standing));
        if (!options.json) return;
        on_stdout = text_of(report);
        io::Transaction::count("the report for standard output", on_stdout.size() + 1);   // beyond a limit nothing of it is printed
    };
}

void tell_of_series(const SeriesRunOptions& options, const SeriesResult& result, const engine::series::PreparedSeries& series,
                    const std::string& on_stdout) {
    if (options.json) fmt::print("{}\n", on_stdout);
    else if (!options.quiet)
        summarise(result, series);
    for (const engine::series::SeriesWarning& warning : result.warnings)
        spdlog::warn("{}{}", host::printable_line(warning.first + ": " + warning.text),
                     warning.items > 1 ? fmt::format("; so for {} items in all", warning.items) : std::string());
    report_failures(result, series.options.shard);
    name_gallery(options);
}

}  // namespace parallax::cli
