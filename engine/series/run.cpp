#include "exec/host_memory.hpp"
#include "io/file.hpp"
#include "io/hints.hpp"
#include "io/io.hpp"
#include "io/known_status.hpp"
#include "io/pieces.hpp"
#include "io/transaction.hpp"
#include "io/window.hpp"
#include "job/output_paths.hpp"
#include "series/checked.hpp"
#include "series/conveyor.hpp"
#include "series/known_folders.hpp"
#include "series/own_files.hpp"
#include "series/reads.hpp"
#include "series/recorded_files.hpp"
#include "support/entries.hpp"
#include "support/file_lock.hpp"
#include "support/folder.hpp"
#include "support/warnings.hpp"
#include "series/settle.hpp"
#include "series/shared_inputs.hpp"
#include "series/statistic.hpp"
#include "series/table.hpp"
#include "series/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

bool is_mine(const PreparedSeries& series, std::size_t item) {
    return item % series.options.shard.count == series.options.shard.number - 1;
}

/// What items of a series are by now, against what is recorded of them.
struct Now {
    const PreparedSeries& series;
    const RecordedFiles files{series.where, RecordedFiles::Looks::once};
    ReadsNow reads{series, files};

    /// Where it is, `record` has its inputs' times as they are now.
    bool is_done(std::size_t item, Record& record, WindowsNow& windows) {
        if (!record.done || record.window != windows.of(item)) return false;
        std::vector<std::string> targets;
        for (const fs::path& target : targets_of(series, item)) targets.push_back(to_utf8(files.place_of(target)));
        std::vector<std::string> written;
        for (const FileState& file : record.outputs) written.push_back(to_utf8(files.place_of(path_from(file.path))));
        return targets == written && reads.as_recorded(item, record.inputs, record.reads) && renew(record.inputs) &&
               std::all_of(record.outputs.begin(), record.outputs.end(),
                           [&](const FileState& output) { return files.output_unchanged(output); });
    }
    bool renew(std::vector<FileState>& inputs) {
        for (FileState& input : inputs) {
            std::optional<FileState> renewed = files.renewed(input);
            if (!renewed) return false;
            input = *std::move(renewed);
        }
        return true;
    }
};

/// Whether a file that another shard's item was made of has changed since. One that is not there may be so only from here.
bool has_changed(const RecordedFiles& files, const Record& record) {
    return std::any_of(record.inputs.begin(), record.inputs.end(),
                       [&](const FileState& file) { return files.is_there(file) && !files.unchanged(file); });
}

/// Items of other shards that are about to be done again.
std::set<std::string> changed_elsewhere(const PreparedSeries& series, const RecordedFiles& files, const Folds::Records& records) {
    std::set<std::string> changed;
    for (std::size_t i = 0; i < series.items.size(); ++i) {
        const auto record = records.find(series.items.name(i));
        if (!is_mine(series, i) && record != records.end() && has_changed(files, record->second)) changed.insert(record->first);
    }
    return changed;
}

std::vector<std::size_t> items_left(const PreparedSeries& series, Manifest& manifest, Folds& folds) {
    std::vector<std::size_t> todo;
    Now now{series};
    std::map<std::string, Record> records = manifest.load();
    std::erase_if(records, [&](const auto& known) { return !now.files.may_read(known.second.inputs); });   // no run's of this job
    if (!series.options.resume) {
        for (std::size_t i = 0; i < series.items.size(); ++i) {
            if (!is_mine(series, i)) continue;
            if (!series.options.overwrite && records.count(series.items.name(i))) {
                throw ConfigError(
                    "--shard",
                    fmt::format("{} of this shard done already, in {}", series.items.name(i), io::show(manifest.folder())),
                    "items that are not", "--resume goes on, --overwrite does them again");
            }
            todo.push_back(i);
        }
        std::set<std::string> again;   // an earlier run of this shard may have saved them
        for (const std::size_t i : todo) again.insert(series.items.name(i));
        if (!folds.empty()) folds.forget(again);
        return todo;
    }
    std::vector<bool> left(series.items.size(), false);
    WindowsNow windows(series, now.files, now.reads, records);
    for (std::size_t i = 0; i < series.items.size(); ++i) {
        if (!is_mine(series, i)) continue;
        const auto record = records.find(series.items.name(i));
        left[i] = record == records.end();
        if (left[i]) continue;
        const std::vector<FileState> before = record->second.inputs;
        left[i] = !now.is_done(i, record->second, windows);
        if (!left[i] && record->second.inputs != before) manifest.append(record->second);
    }
    if (!folds.empty()) {   // what no saved state contains must be added again, and what will be added must be in none
        std::set<std::string> gone = folds.saved(records);   // items that are no longer there
        for (std::size_t i = 0; i < series.items.size(); ++i) gone.erase(series.items.name(i));
        // A state that holds such an item with one of this shard's (of a run without shards) will count no more then.
        const std::set<std::string> passing = folds.saved_with(changed_elsewhere(series, now.files, records), records);
        for (std::size_t i = 0; i < series.items.size(); ++i)
            left[i] = left[i] || (is_mine(series, i) && passing.contains(series.items.name(i)));
        for (bool more = true; more;) {
            std::set<std::string> again = gone;
            for (std::size_t i = 0; i < left.size(); ++i) {
                if (left[i]) again.insert(series.items.name(i));
            }
            folds.forget(again);
            const std::set<std::string> saved = folds.saved(records);
            more = false;
            for (std::size_t i = 0; i < left.size(); ++i) {
                if (left[i] || !is_mine(series, i) || saved.count(series.items.name(i))) continue;
                left[i] = more = true;
            }
        }
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i]) todo.push_back(i);
    }
    return todo;
}

/// Another shard may have come first to what is made of all items; somebody else's files stay.
void refuse_foreign(const PreparedSeries& series, const MadeOfAll& made) {
    for (const auto& [name, path] : series.gathered) {
        if (!io::is_seen(path) || made.has(path) || series.own->has(path)) continue;
        throw ConfigError("/outputs/" + name, fmt::format("the existing file {}", to_utf8(path)),
                          "no file of that name, or one that the series has made",
                          "it has come while the series ran: move it away, and --resume makes what is made of all items; or use --overwrite");
    }
}

/// Tables and folds, once every item has been dealt with.
void gather(const PreparedSeries& series, const std::map<std::string, Record>& records, const Folds& folds,
            SeriesResult& result, io::Transaction& files) {
    std::set<fs::path> tables;
    for (const OutputSpec& output : series.job.outputs) {
        if (output.form != OutputForm::table) continue;
        const fs::path& file = series.gathered.at(output.name);
        if (!tables.insert(file).second) continue;
        const Table table = make_table(series, file, records);
        const fs::path part =
            files.add(file, [&](const fs::path& path) { io::write_csv(path, table.header, table.rows, false); });
        result.gathered.push_back({output.name, report_file(part), {}});
        result.gathered.back().file.path = to_utf8(fs::absolute(file));
        const auto& lists = result.left_out[output.name];
        result.gathered.back().left_out.assign(lists.begin(), lists.end());
    }
    if (!folds.empty())
        for (OutputReport& report : folds.finish(files, records)) result.gathered.push_back(std::move(report));
}

/// What records and states hold of the items by the end.
struct Coverage {
    bool complete = false;              ///< every item of every shard has been dealt with
    std::vector<std::string> missing;   ///< items of this shard of which they hold nothing
};

Coverage coverage_of(const PreparedSeries& series, const std::map<std::string, Record>& records, const Folds& folds) {
    const std::set<std::string> saved = folds.empty() ? std::set<std::string>() : folds.saved(records);
    Coverage coverage;
    const RecordedFiles files(series.where, RecordedFiles::Looks::once);
    bool all = true, any = false;
    for (std::size_t i = 0; i < series.items.size(); ++i) {
        const std::string name = series.items.name(i);
        const auto record = records.find(name);
        const bool there = record != records.end() && (!record->second.done || folds.empty() || saved.count(name)) &&
                           (is_mine(series, i) || !has_changed(files, record->second));
        all = all && there;
        any = any || (there && record->second.done);
        if (!there && is_mine(series, i)) coverage.missing.push_back(name);
    }
    coverage.complete = all && any;
    return coverage;
}

/// Where nothing was left to do, each item of this shard has been recorded: what is not there any more, somebody has removed.
void refuse_lost(const PreparedSeries& series, const Coverage& coverage, const SeriesResult& result) {
    if (result.stopped || coverage.missing.empty()) return;
    throw IoError(io::show(series.options.manifest),
                  fmt::format("what was recorded of {} of {} items has gone while the series ran, {} the first of them",
                              coverage.missing.size(), result.total, coverage.missing.front()),
                  "leave the manifest alone while a series runs; --resume does these items again, and writes what is made of all");
}

/// What came in any order is put together in that of its names, as a series of what is there would be.
ItemList by_name(const ItemList& items) {
    ItemList list;
    for (const std::size_t number : numbers_by_name(items)) list.add(items.at(number));
    return list;
}

/// A stack is in memory as a whole when it is written, but for formats that are written piece by piece.
void check_stacks(const PreparedSeries& series) {
    for (const OutputSpec& output : series.job.outputs) {
        if (!is_stack(output.combine) || io::writes_pieces(series.gathered.at(output.name))) continue;
        const ArrayDesc& item = series.sample.resolved.desc(output.source);
        const std::uint64_t times = io::is_picture(path_from(output.file)) ? 2 : 1;   // the values, and their picture
        check_host(times * cost_of(output.combine, item, series.items.size()).memory,
                   fmt::format("the stack \"{}\", which a .npy file or a .zarr folder would take frame by frame,", output.name));
    }
}

/// What planning finds. Throws what that throws.
void check_possible(const PreparedSeries& series, const std::vector<Engine*>& engines) {
    check_stacks(series);
    for (Engine* const engine : engines) Resident(*engine, Resident::overlapped).plan(series.sample.resolved);
}

/// What --overwrite is to replace: a run that ends before it comes to that leaves it to the --resume behind it.
std::set<std::string> standing(const PreparedSeries& series, const fs::path& folder) {
    std::set<std::string> files = Manifest::owned_in(folder).all();
    for (std::size_t i = 0; i < series.items.size(); ++i)
        for (const fs::path& target : is_mine(series, i) ? targets_of(series, i) : std::vector<fs::path>())
            if (io::is_seen(target)) files.insert(to_utf8(whole_path(target)));
    for (const auto& [name, path] : series.gathered)
        if (io::is_seen(path)) files.insert(to_utf8(whole_path(path)));
    return files;
}

/// That of a confined job, so that no link leads its manifest elsewhere.
std::optional<host::Folder> hold_manifest(PreparedSeries& series) {
    if (!series.where.confined) return std::nullopt;
    try {
        const host::Folder folder = host::Folder::open_strictly(series.options.manifest, [](const fs::path&) {});
        series.options.manifest = folder / ".";
        return folder;
    } catch (const std::system_error& error) {
        throw IoError(to_utf8(series.options.manifest),
                      "the manifest's folder cannot be opened or made without following links: " + error.code().message(),
                      io::meets_link_or_file(error.code()) ? "name the folder itself (realpath tells it)"
                                                           : io::write_hint_for(error.code()));
    }
}

/// Not a link, a folder or a pipe.
bool is_own_file(const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(fs::symlink_status(file, error));
}

/// One process does the whole of a series, or one each of its shards.
std::vector<host::FileLock> lock(const fs::path& folder, const Shard& shard) {
    std::error_code error;
    fs::create_directories(folder, error);   // where that fails Manifest::open() says so
    std::vector<host::FileLock> locks;
    const auto take = [&](const fs::path& file, host::FileLock::Kind kind) {
        constexpr std::chrono::milliseconds look{100};   // in which another sees whether anybody has it
        std::optional<host::FileLock> lock = host::FileLock::take(folder / file, kind, look);
        if (!lock)
            throw ConfigError("--manifest", fmt::format("{}, on which another process is at work", io::show(folder)),
                              "a series that nobody does, or another shard of it", "wait for it, or give each process a --shard");
        if (!lock->is_held() && fs::is_directory(folder, error))
            host::warn_once(
                fmt::format("{} cannot be locked: {}. Nothing keeps another process from doing the same items and replacing "
                            "their results: see that no other does this series, or {}",
                            io::show(folder / file), lock->trouble().message(),
                            is_own_file(folder / file) ? "let --manifest name a folder on a file system that has locks"
                                                       : "remove what stands there, which is no file of its own"));
        locks.push_back(std::move(*lock));
    };
    take("lock", shard.count == 1 ? host::FileLock::Kind::exclusive : host::FileLock::Kind::shared);
    if (shard.count == 1) return locks;
    take(lock_of(shard), host::FileLock::Kind::exclusive);
    for (const fs::path& other : host::entries_of(folder, error)) {   // which deal the items out otherwise
        const std::optional<Shard> its = shard_of_lock(to_utf8(other.filename()));
        if (!its || its->count == shard.count || !is_own_file(other)) continue;
        if (!host::FileLock::take(other, host::FileLock::Kind::shared))   // so that two who look do not find each other
            throw ConfigError("--shard",
                              fmt::format("{}/{}, while {}/{} is at work", shard.number, shard.count, its->number, its->count),
                              "one number of shards for all that share a series", "wait for it, or choose its number of shards");
    }
    return locks;
}

/// Of a series that an error ends before it has done anything no record stays in the way of the job that is mended.
class Forgetting {
public:
    Forgetting(const Manifest& manifest, const KnownFolders& folders, bool is_new)
        : manifest_(manifest), folders_(folders), is_new_(is_new) {}
    ~Forgetting() {
        if (!is_new_ || std::uncaught_exceptions() == before_) return;
        try {
            folders_.look();   // another's folder may be there by now
            const Manifest::Owned owned = Manifest::owned_in(manifest_.folder());
            if (!manifest_.load().empty() || !owned.begun.empty()) return;
            Folds::clear(manifest_.folder());   // frames of items that were not recorded
            Manifest::clear(manifest_.folder(), owned.standing, false);
        } catch (const std::exception&) {   // the error that is under way says more
        }
    }
    Forgetting(const Forgetting&) = delete;
    Forgetting& operator=(const Forgetting&) = delete;

private:
    const Manifest& manifest_;
    const KnownFolders& folders_;
    bool is_new_;
    int before_ = std::uncaught_exceptions();
};

/// Of a series that an error ends: what was added need not be added again, and who did what is told.
void keep_what_there_is(const Conveyor& pipeline, const KnownFolders& folders, Folds& folds, const RunSeriesOptions& options,
                        const PreparedSeries& series) noexcept {
    const auto attempt = [](const auto& work) {
        try {
            work();
        } catch (const std::exception&) {   // a full disk, most likely: the error that ended the series says more
        }
    };
    attempt([&] {
        folders.look();
        folds.save();
    });
    attempt([&] {
        const std::optional<Json> timeline = pipeline.timeline();
        if (timeline && !options.trace.empty())
            io::write_json(options.trace, *timeline, replaces_trace(series, options.trace), series.where.confined);
    });
}

/// Appears together with what it tells of. `manifest`: by its path.
void record_made(const SeriesResult& result, const fs::path& manifest, io::Transaction& files) {
    if (result.gathered.empty()) return;
    std::vector<FileState> outputs;
    for (const OutputReport& output : result.gathered) outputs.push_back(state_of(output.file));
    files.add_beside(Manifest::place_of_made(fs::absolute(manifest)), true,
                     [&](const fs::path& path) { Manifest::write_made(path, outputs); });
}

}  // namespace

SeriesResult run(const PreparedSeries& asked, const std::vector<Engine*>& engines, const RunSeriesOptions& options) {
    PreparedSeries series = asked;
    const SeriesOptions& how = series.options;
    if (!io::is_seen(how.manifest)) io::Transaction::count_folder(how.manifest, limit_hint);   // before it is made
    const std::optional<host::Folder> held = hold_manifest(series);
    const fs::path& folder = how.manifest;
    Manifest::check_free(folder);
    const std::vector<host::FileLock> locks = lock(folder, how.shard);
    if (how.shard.count == 1 && !how.resume) {
        if (Manifest::exists(folder) && !how.overwrite) {
            throw ConfigError("--manifest", fmt::format("{} of an earlier run", io::show(folder)), "no series begun yet",
                              "--resume goes on with it, --overwrite does it again");
        }
        if (Manifest::exists(folder)) check_possible(series, engines);   // the results of before keep their records where it is not
        if (how.overwrite) {
            Folds::clear(folder);
            Manifest::clear(folder, standing(series, folder), series.where.synced);
        }
    }
    const bool is_new = how.shard.count == 1 && !Manifest::exists(folder);
    const SharedInputs shared(series);
    Manifest manifest = Manifest::open(folder, identity_of(series.job), shared.files(), series.job.steps);
    if (how.shard.count > 1 && how.overwrite) manifest.let_replace(standing(series, folder), series.where.synced);
    KnownFolders folders({{series.where.out, "the folder of outputs"}, {asked.options.manifest, "the folder of the manifest"}});
    const Forgetting forgetting(manifest, folders, is_new);
    Folds folds(series, folder, manifest.about());
    const bool alone = std::all_of(locks.begin(), locks.end(), [](const host::FileLock& lock) { return lock.is_held(); });
    if (how.shard.count == 1 && alone) folds.sweep();
    std::vector<std::size_t> todo = items_left(series, manifest, folds);

    SeriesResult result;
    if (!todo.empty()) {
        const std::size_t before = series.items.size();
        settle(series, *engines.front(), result);
        if (series.items.size() > before) todo = items_left(series, manifest, folds);   // came while none could be settled by
    }
    const auto of_this_shard = [&] {
        std::size_t mine = 0;
        for (std::size_t i = 0; i < series.items.size(); ++i) mine += is_mine(series, i) ? 1 : 0;
        return mine;
    };
    result.total = of_this_shard();
    result.skipped = result.total - todo.size();
    check_stacks(series);
    if (!folds.empty()) folds.agree(manifest.load(), RecordedFiles(series.where));
    Conveyor pipeline(series, engines, options, manifest, folds, folders, std::move(todo));
    std::map<std::string, Record> records;
    try {
        pipeline.run(shared, result);
        folders.look();
        folds.save();
        result.total = of_this_shard();   // more may have come
        if (how.watch) series.items.list = by_name(series.items.list);
        records = manifest.load();
        const Coverage coverage = coverage_of(series, records, folds);
        refuse_lost(asked, coverage, result);
        result.complete = coverage.complete && !(how.watch && result.stopped);   // of a watch that was broken off more was to come
        if (result.complete && !how.overwrite && (how.resume || how.shard.count > 1)) refuse_foreign(asked, MadeOfAll(asked, folder));
        const bool replace = how.overwrite || how.resume || how.shard.count > 1;
        io::Transaction files(series.where.out, {replace, series.where.synced, series.where.confined});
        if (result.complete) gather(series, records, folds, result, files);
        if (result.complete) record_made(result, asked.options.manifest, files);
        std::error_code ignored;   // that of a job before, done again as one that makes nothing of all items
        if (result.complete && result.gathered.empty()) fs::remove(Manifest::place_of_made(folder), ignored);
        files.sync();
        if (const std::optional<Json> timeline = pipeline.timeline(); timeline && !options.trace.empty())
            files.add_beside(options.trace, replaces_trace(series, options.trace),
                             [&](const fs::path& path) { io::write_json(path, *timeline, false); });
        if (options.along) options.along(to_json(result, asked), files);
        folders.look();
        files.commit();
    } catch (...) {
        keep_what_there_is(pipeline, folders, folds, options, series);
        throw;
    }
    return result;
}

}  // namespace parallax::engine::series
