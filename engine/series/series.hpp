// A job with for_each: the same steps for every file, page or volume, at the speed of the slowest of disk, bus and kernels.
//
//   const PreparedSeries series = prepare_series(job, where, {.manifest = "out/focus.series"});
//   const SeriesResult result = run(series, {&engine}, {});
#pragma once

#include "core/session.hpp"
#include "job/files_of_run.hpp"
#include "job/prepare.hpp"
#include "job/report.hpp"
#include "series/folder_watch.hpp"
#include "series/items.hpp"
#include "series/manifest.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace parallax::engine::series {

/// One of several processes that share a series: it does the items number - 1, number - 1 + count, ...
struct Shard {
    std::size_t number = 1, count = 1;
};

/// Files are taken as they come.
struct Watch {
    double idle_s = 0;                   ///< end when none has come for so long; 0: when cancelled
    std::function<bool()> cancelled;     ///< asked while the first is waited for
    mutable std::shared_ptr<FolderWatch> folder;   ///< from then on
    mutable std::vector<Arrival> first{};          ///< what came while nothing ran yet
    std::function<void()> began{};                    ///< called where no file that comes from now on is missed
    std::function<void(const std::string&)> tell{};   ///< of folders that go or come, at that moment; by one thread at a time
};

struct SeriesOptions {
    std::filesystem::path manifest;      ///< folder that remembers what is done
    bool overwrite = false;              ///< do everything, replace what is there
    bool resume = false;                 ///< do what the manifest does not have
    Shard shard = {};
    std::optional<Watch> watch = {};
};

class OwnFiles;

/// A series with all that can be known before a device is touched.
struct PreparedSeries {
    Job job;
    Locations where;
    SeriesOptions options;
    Items items;
    PreparedInputs shared;                                    ///< inputs that are the same for every item
    std::map<std::string, std::filesystem::path> gathered;    ///< output of the whole series -> file
    Prepared sample;                                          ///< the first item that can be prepared
    std::map<std::size_t, Json> found;                        ///< by step: what was looked for once (settle.hpp)
    std::shared_ptr<const OwnFiles> own;                      ///< of what --resume goes on with

    /// Throws what prepare() throws. `again`: this run has written its files, and may replace them.
    Prepared prepare_item(std::size_t number, bool again = false) const;
};

/// Where the files of an item are to be.
std::vector<std::filesystem::path> targets_of(const PreparedSeries&, std::size_t item);

/// Expands for_each, checks every output path of every item, and prepares the first item. Throws ConfigError for a request
/// that cannot be met: two items that write the same file, outputs that exist (unless resume or overwrite).
PreparedSeries prepare_series(Job, const Locations&, const SeriesOptions&);

struct Progress {
    std::size_t finished = 0, failed = 0, total = 0;   ///< of what this process has to do
    double items_per_second = 0, seconds_left = 0;
};

struct RunSeriesOptions {
    int readers = 0, writers = 0;        ///< threads: readers a device, writers in all; 0: as threads_for() has it (conveyor_shape.hpp)
    int in_flight = 3;                   ///< items on a device at once, fewer where memory is short
    std::function<void(const Progress&)> progress;   ///< called by one thread at a time
    std::function<bool()> cancelled;     ///< true: items in flight are finished, no more begin
    std::function<bool()> cut_off{};     ///< true: items in flight have no result, either; a watch is broken off
    Along along;                         ///< may be empty; with the files that are made of all items, where it comes to them
    std::filesystem::path trace;         ///< timeline in Chrome's trace format; empty: none
};

struct Failure {
    std::size_t number = 0;
    std::string item, error;
};

/// What the data of items gave cause to tell.
struct SeriesWarning {
    std::string text, first;             ///< with its step or output; the first item of which it holds
    std::size_t items = 0;
};

struct DeviceShare {
    host::DeviceInfo device;
    std::size_t items = 0;
    int in_flight = 0;
    double busy = 0;                     ///< share of the time from the first kernel to the last in which one ran; 0: no times
    std::uint64_t peak_bytes = 0;
};

struct SeriesResult {
    std::size_t total = 0;               ///< items of this shard
    std::size_t done = 0, skipped = 0;   ///< now, and before
    std::vector<Failure> failed;         ///< in order
    Json found = Json::object();         ///< by step: what was looked for once for all items, as the manifest has it
    bool stopped = false;                ///< by the caller, or by an item's failure with on_error "stop"
    bool complete = false;               ///< every item of every shard has been dealt with: tables and the like are written
    std::vector<DeviceShare> devices;
    std::vector<StepReport> steps;
    std::vector<Stage> stages;           ///< of all items
    int readers = 0, writers = 0;        ///< threads that there were
    std::vector<OutputReport> gathered;
    std::vector<SeriesWarning> warnings;
    std::map<std::string, std::set<std::string>> left_out;   ///< by table output: lists of its records without columns
    double seconds = 0;
    double items_per_second = 0;
    std::vector<double> latencies;       ///< of watched files: seconds from complete to written, sorted
    std::vector<std::string> gone;       ///< watched folders to which no file could come at the end, and why
};
/// How much of the time each part of a series was at work, 0 to 1: who reads (decodes and hashes), the busiest device, who writes.
struct Load {
    double reading = 0, device = 0, writing = 0;
};
Load load_of(const SeriesResult&);

/// The value below which so many of 100 lie: the nearest rank.
double percentile_of(const std::vector<double>& sorted, double percent);

/// What files are to a series, by whatever path.
class Roles {
public:
    /// The series outlives it.
    explicit Roles(const PreparedSeries&);
    /// "which is an input", "which is an output too". Empty: nothing.
    std::string of(const std::filesystem::path&);

private:
    const PreparedSeries& series_;
    FilesOfRun read_;
};

/// Runs what is left to do. Items that fail are in the result; throws only what ends the whole series: ConfigError for a
/// manifest of another job, IoError where it cannot be written, what Engine throws when no device is left.
SeriesResult run(const PreparedSeries&, const std::vector<Engine*>&, const RunSeriesOptions& = {});

/// What run() would do: items, arrays, memory of device and host.
Json describe_series(const PreparedSeries&, const std::vector<Engine*>&, const RunSeriesOptions& = {});

Json to_json(const SeriesResult&, const PreparedSeries&);

}  // namespace parallax::engine::series
