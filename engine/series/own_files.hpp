// What a series may replace unasked: what its own records say that it has made. Everything else under the name of an output is
// somebody's, and stays without --overwrite.
#pragma once

#include "series/series.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace parallax::engine::series {

/// Tables and arrays of all items, by made.json.
class MadeOfAll {
public:
    /// `records`: the folder of the manifest, as it can be read; empty: it cannot, and nothing is the series' own.
    MadeOfAll(const PreparedSeries&, const std::filesystem::path& records);

    bool has(const std::filesystem::path& gathered) const;

private:
    const PreparedSeries& series_;
    bool all_ = false;   ///< it is recorded, but which they are cannot be read
    std::set<std::filesystem::path> places_;
};

/// Files of items, by their records.
class OwnFiles {
public:
    /// As MadeOfAll has it.
    explicit OwnFiles(const std::filesystem::path& records);

    /// Files of an item come before its record, so that a kill may leave them without one: those of an item that has a record, or
    /// that belongs to a process that has begun. That found no stranger's file there.
    bool may_have_written(std::size_t item, const std::string& name) const;
    /// Such an item --resume will most likely leave as it is; who finds out otherwise is the transaction that replaces its files.
    bool has_done(const std::string& name) const;

private:
    std::map<std::string, bool> done_;   ///< of items that have a record
    std::vector<Shard> begun_;
    bool any_begun_ = false;
};

/// What one that works on a part of a series has in the folder of records: while it does "lock-2-of-3", and from its first item on
/// "begun-2-of-3"; and the other way round, nothing for another name.
std::string lock_of(const Shard&);
std::string begun_by(const Shard&);
std::optional<Shard> shard_of_lock(const std::string& name);
std::optional<Shard> shard_that_began(const std::string& name);

/// Whether a file is a report, or a timeline, that a series has written.
bool is_report(const std::filesystem::path&);
bool is_trace(const std::filesystem::path&);
/// Whether a timeline may take the place of what stands there.
bool replaces_trace(const PreparedSeries&, const std::filesystem::path& trace);

}  // namespace parallax::engine::series
