// What of a series is done, in a folder: each item exactly once, whatever happens on the way.
//
//   focus.series/series.json            the job that the records belong to
//   focus.series/items-<unique>.jsonl   a line for each item that a process has finished, and before for some that it is about to
//                                       finish: checksum, then JSON
//   focus.series/found-<n>.json         what step n looked for, once for all items (settle.hpp)
//   focus.series/made.json              tables and arrays that were made of all items, as they were written
//
// Every process appends to a file of its own, so that several shards can share a folder, on a network drive too, without
// locks. A line that was cut off, or does not match its checksum, does not count. Of two lines for one item that with the higher
// number in the sequence does, whatever clocks say.
#pragma once

#include "job/job.hpp"
#include "job/report.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace parallax::engine::series {

/// A file as it was when an item was done with it.
struct FileState {
    std::string path;
    std::uint64_t bytes = 0;
    std::int64_t modified = 0;       ///< as FileIdentity has it; 0: says nothing, the hash does
    std::string hash;                ///< xxh3-128
    std::uint64_t inode = 0;         ///< 0: not known
    std::string of{};                ///< the input that it was read for, where an input runs
    std::int64_t changed = 0;        ///< of an input, as FileIdentity has it; 0: not known
    bool operator==(const FileState&) const = default;
};

struct Record {
    std::string item;                ///< Items::name()
    bool done = false;               ///< else failed
    std::string error;
    std::string window;              ///< hash_of_window(): what running inputs took it with; empty: there is none
    std::string reads;               ///< hash_of_reads(): which files for which inputs; empty: a version before did not say
    std::vector<FileState> inputs, outputs;
    std::vector<std::string> files;  ///< of one that failed, that its variables stand for; a version before did not say
    Json rows = Json::object();      ///< table output -> scalars by column; a list of them where there are several rows; of one
                                     ///< that failed those of a file before, of which its results are
    std::vector<std::string> warnings;   ///< that its data gave cause for
    Json times = Json::object();     ///< kind of stage -> seconds
    std::int64_t at = 0;             ///< nanoseconds since 1970, for people
    std::int64_t sequence = 0;       ///< which record of an item is the later one: clocks may go wrong
    std::string manifest;            ///< the folder of it then; empty: a version before did not say
};

class Manifest {
public:
    /// Opens the folder or makes it. `job` is what the records depend on (see identity_of()), `shared` the inputs that all
    /// items have. Throws ConfigError naming what has changed if the folder belongs to another job, IoError if it cannot be
    /// written. The algorithms of `steps` know variants by names that they had when the folder was made.
    static Manifest open(const std::filesystem::path& folder, const Json& job, const std::vector<FileState>& shared,
                         const std::vector<StepSpec>& steps = {});
    struct Contents {
        std::map<std::string, Record> records;
        std::int64_t sequence = 0;   ///< the highest
        std::size_t damaged = 0;     ///< lines that do not count, those that were cut off at a file's end not among them
    };
    /// What is recorded in a folder, whatever job it belongs to.
    static Contents contents_of(const std::filesystem::path& folder);
    /// Throws ConfigError where somebody else's file has the name of one of a series: it would be taken for that, and replaced.
    static void check_free(const std::filesystem::path& folder);
    /// Whose files are a series' own, whichever item they are of.
    struct Owned {
        std::set<std::string> recorded;   ///< outputs of every record, not the latest of an item alone
        std::set<std::string> begun;      ///< they may be there without a record, since a process came to no end
        std::set<std::string> standing;   ///< they were there, and --overwrite was to replace them
        std::vector<std::pair<FileState, std::string>> elsewhere;   ///< of records of another folder, and that folder
        std::set<std::string> done;       ///< items whose latest record says so
        std::set<std::string> all() const;
    };
    static Owned owned_in(const std::filesystem::path& folder);
    /// Forgets everything that was done before, but for what was made of all items, and files that are `standing`: those stand until they
    /// are replaced, and are the series' own. Only what a series has written is removed, and that when the rest is on the disk.
    static void clear(const std::filesystem::path& folder, const std::set<std::string>& standing, bool synced);
    static bool exists(const std::filesystem::path& folder);
    /// Whether it has records of a series, be their header lost.
    static bool is_begun(const std::filesystem::path& folder);
    /// Where it stands which files were made of all items. It appears together with them, so that their transaction writes it.
    static std::filesystem::path place_of_made(const std::filesystem::path& folder);
    static void write_made(const std::filesystem::path& file, const std::vector<FileState>& outputs);
    struct Made {
        std::vector<FileState> outputs;
        std::string manifest;   ///< as Record has it
    };
    /// Nothing where that is not recorded: not made yet, or by a version that did not. Throws ConfigError for a damaged record.
    static std::optional<Made> made_in(const std::filesystem::path& folder);
    /// Whether files of such a name in its folder are records, locks or what has been gathered until now.
    static bool keeps(const std::filesystem::path& name);

    ~Manifest();
    Manifest(Manifest&&) noexcept;

    /// What every process has recorded by now, by item.
    std::map<std::string, Record> load() const;
    /// Commits an item; safe in any thread. Throws IoError.
    void append(const Record&);
    /// Before files are put in their places: by then it is on the disk, where that is `synced`. Throws IoError.
    void begin(const std::vector<std::string>& files, bool synced);
    /// What stands at these places may be replaced from now on. Throws IoError.
    void let_replace(const std::set<std::string>& files, bool synced);
    /// Takes that back of files that are not in their places. Throws IoError.
    void leave(const std::vector<std::string>& files);

    const std::filesystem::path& folder() const noexcept { return folder_; }
    /// Of which job and which inputs of all items the records are, by a hash.
    const std::string& about() const noexcept { return about_; }

private:
    struct Journal;
    Contents contents() const;
    void append_line(Json, bool synced, bool counted = true);
    explicit Manifest(std::filesystem::path folder);

    std::filesystem::path folder_;
    std::string about_;
    std::unique_ptr<Journal> journal_;
};

/// The job without what does not change its results: device, comment, memory limit, and which items there are.
Json identity_of(const Job&);

/// Where a path leads, links followed: the same for each way to write it, whatever folder the series is run from.
std::filesystem::path place_of(const std::filesystem::path&);

/// As the file was when it was written, whatever stands under its name now.
FileState state_of(const FileReport&);
/// As it was when it was read. Where its time did not say for certain that it stayed so, nor does the state.
FileState state_of_input(const FileReport&);
/// As records have it. Throws what json throws for another form, and ConfigError for a path that is none.
Json to_json(const std::vector<FileState>&);
FileState file_from(const Json&);
/// Hashes of files that were read already, for as long as nobody changes them: pages by the thousand are of one file.
class KnownHashes {
public:
    /// `identity`: of what stands there.
    const std::string& of(const std::filesystem::path&, const host::FileIdentity& identity);

private:
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::string>, std::string> hashes_;
};

/// Whether a file still is what it was: by size, times and inode, and where one of these differs by its hash.
bool unchanged(const FileState&, KnownHashes* = nullptr);
/// The same of what stands at a path, whatever path is recorded.
bool unchanged_at(const std::filesystem::path&, const FileState&, KnownHashes* = nullptr);
/// An input that is what it was, with its times and its inode as they are now: where they are others it need not be read for that
/// the next time. Nothing: it has changed.
std::optional<FileState> renewed_at(const std::filesystem::path&, const FileState&, KnownHashes* = nullptr);

}  // namespace parallax::engine::series
