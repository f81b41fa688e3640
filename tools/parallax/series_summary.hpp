// What `parallax run` says of a job with for_each, and what it asks of its options.
#pragma once

#include "commands.hpp"
#include "series/series.hpp"
#include "console.hpp"

#include <functional>
#include <string>

namespace parallax::cli {

/// "3/8" of --shard; empty: all. Throws ConfigError.
engine::series::Shard shard_from(const std::string&);
/// Throws ConfigError for "-", which elsewhere is standard output.
void refuse_stdout(const char* option, const std::string& file);
/// No link, in whose place a file would be (/dev/stderr is one), and no name that the system does not take.
void check_own_name(const char* option, const std::string& file);
/// Throws ConfigError where standard output goes to a file that the run replaces: what is printed would be lost. `role`: what else a
/// file is ("which is an output too"), empty: nothing.
void refuse_replaced_stdout(const SeriesRunOptions&, const std::function<std::string(const std::filesystem::path&)>& role);
/// Throws ConfigError for a report or a trace that cannot be written; of a confined job, also where a link leads to it.
void check_series_files(const SeriesRunOptions&, bool confined);
/// The same for one that is a file of the series, or that of another option.
void check_series_files(const SeriesRunOptions&, const engine::series::PreparedSeries&);
/// The bar must live as long.
std::function<void(const engine::series::Progress&)> show_items(ProgressBar&);
/// Report and gallery appear together with the outputs; `on_stdout` gets what --json is to print. All must live as long.
engine::Along reports_along(const SeriesRunOptions&, std::string& on_stdout);
/// Summary, warnings and failures.
void tell_of_series(const SeriesRunOptions&, const engine::series::SeriesResult&, const engine::series::PreparedSeries&,
                    const std::string& on_stdout);

}  // namespace parallax::cli
