#include "stream_run.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "console.hpp"
#include "modes/run.hpp"
#include "series/series.hpp"
#include "stream/stream.hpp"
#include "support/text.hpp"
#include "terminal.hpp"

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

namespace parallax::cli {

namespace {

[[noreturn]] void refuse(const char* option,
                         const char* hint = "frames on standard output have a summary on the other one, without --quiet") {
    throw ConfigError(option, option, "a job on files", hint);
}

/// Standard output is the frames', and there are no files.
void refuse_options(const SeriesRunOptions& options) {
    if (options.json) refuse("--json");
    if (!options.report.empty()) refuse("--report");
    if (!options.gallery.empty()) refuse("--gallery");
    if (options.resume) refuse("--resume");
    if (!options.shard.empty()) refuse("--shard");
    if (!options.trace.empty()) refuse("--trace");
    if (options.watch) refuse("--watch");
    if (options.idle) refuse("--idle");
    if (options.readers > 0) refuse("--readers");
    if (options.writers > 0) refuse("--writers");
    if (options.overwrite) refuse("--overwrite", "nothing is replaced: where they go the shell says, `> frames`");
}

}   // namespace

void refuse_folders(const JobOptions& options) {
    if (!options.manifest.empty()) refuse("--manifest", "frames are computed as they come, and nothing of them is remembered");
    if (options.out != JobOptions().out) refuse("--out", "where they go the shell says, `> folder/frames`");
}

int run_stream(const SeriesRunOptions& options, const JobOptions& where, const engine::Job& job, const engine::Registry& registry,
               const std::function<bool()>& cancelled) {
    refuse_options(options);
    refuse_folders(where);
    engine::stream::check(job);
#if defined(_WIN32)
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
#endif
    watch_interrupts();
    const auto engines = engine::open_devices(job, registry, host::ProgramCache::open());
    engine::stream::Options how;
    how.in_flight = options.in_flight.value_or(how.in_flight);
    how.cancelled = cancelled;
    const engine::stream::Result result = engine::stream::run(job, where.locations(), *engines.front(), how);
    for (const std::string& warning : result.warnings) spdlog::warn("{}", host::printable_line(warning));
    if (!options.quiet) {
        const host::DeviceInfo& device = engines.front()->device();
        tell("device   {} ({}, {}, driver {})\n", device.name, to_string(device.type), device.platform, device.driver);
        for (const engine::StepReport& step : result.steps)
            tell("step     {}: {} by {}\n", step.id, step.algorithm, step.variant);
        tell("{} {} in {:.3f} s, {:.4g} a second\n", result.frames, result.frames == 1 ? "frame" : "frames", result.seconds,
             result.seconds > 0 ? static_cast<double>(result.frames) / result.seconds : 0);
        if (!result.latencies.empty())
            tell("latency  from a frame's end to its result: median {:.2f} ms, 99% {:.2f} ms, longest {:.2f} ms\n",
                 1e3 * engine::series::percentile_of(result.latencies, 50),
                 1e3 * engine::series::percentile_of(result.latencies, 99), 1e3 * result.latencies.back());
    }
    if (result.stopped) tell("stopped before the input ended\n");
    if (result.closed) return reader_gone;
    return result.stopped ? 1 : 0;
}

}   // namespace parallax::cli
