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
#include "parallax/host/json.hpp"
#include "series/file_state.hpp"
#include "series/header.hpp"
#include "series/record.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace parallax::engine::series {

class Manifest {
public:
    /// Opens the folder or makes it. `job` is what the records depend on (see identity_of()), `shared` the inputs that all
    /// items have. Throws ConfigError naming what has changed if the folder belongs to another job, IoError if it cannot be
    /// written. The algorithms of `steps` know variants by names that they had when the folder was made.
    static Manifest open(const std::filesystem::path& folder, const Json& job, const std::vector<SharedFile>& shared,
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

}  // namespace parallax::engine::series
