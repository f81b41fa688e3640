// What a series may replace unasked: what its own records say that it has made. Everything else under the name of an output is
// somebody's, and stays without --overwrite.
#pragma once

#include "series/manifest.hpp"
#include "series/series.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace parallax::engine::series {

/// Files of a folder that was moved with its records: its own are those that are as they were written.
class MovedFiles {
public:
    explicit MovedFiles(const PreparedSeries&);

    /// `folder`: of the records then; empty: a version before did not say. Of a confined job none counts, since whether a file is as it was
    /// would have to be read.
    void add(const FileState&, const std::string& folder);
    bool has(const std::filesystem::path& output) const;

private:
    std::filesystem::path records_;
    bool is_confined_;
    std::map<std::string, bool> has_moved_;                   ///< by the folder of the records then
    std::multimap<std::filesystem::path, FileState> files_;   ///< by where they would be
};

/// Tables and arrays of all items, by made.json; where that is damaged, none. Those that --overwrite was to replace OwnFiles has.
class MadeOfAll {
public:
    /// `records`: the folder of the manifest, as it can be read; empty: it cannot, and nothing is the series' own.
    MadeOfAll(const PreparedSeries&, const std::filesystem::path& records);

    bool has(const std::filesystem::path& gathered) const;
    bool is_damaged() const { return damaged_; }

private:
    const PreparedSeries& series_;
    bool damaged_ = false;
    std::set<std::filesystem::path> places_;   ///< as they are recorded
    MovedFiles moved_;
};

/// Files of items, by their records, and by what is said of files before a kill could leave them without one.
class OwnFiles {
public:
    /// As MadeOfAll has it.
    OwnFiles(const PreparedSeries&, const std::filesystem::path& records);

    /// Whether the series has written what stands at an output of an item, or may have, or was to replace it. Safe in any thread.
    bool has(const std::filesystem::path& output) const;
    /// Such an item --resume will most likely leave as it is; who finds out otherwise is the transaction that replaces its files.
    bool has_done(const std::string& item) const { return done_.contains(item); }

private:
    bool is_confined_ = false;
    std::set<std::string> done_;
    std::set<std::filesystem::path> files_;                 ///< as they are recorded
    MovedFiles moved_;
    mutable std::once_flag once_;
    mutable std::set<std::filesystem::path> real_;          ///< where files_ lead: asked only where the path itself is not there
};

/// The lock of one that works on a part of a series, "lock-2-of-3", and the other way round; nothing for another name.
std::string lock_of(const Shard&);
std::optional<Shard> shard_of_lock(const std::string& name);

/// Whether a file is a report, or a timeline, that a series has written.
bool is_report(const std::filesystem::path&);
bool is_trace(const std::filesystem::path&);
/// Whether a timeline may take the place of what stands there.
bool replaces_trace(const PreparedSeries&, const std::filesystem::path& trace);

}  // namespace parallax::engine::series
