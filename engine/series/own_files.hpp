// What a series may replace unasked: what its own records say that it has made. Everything else under the name of an output is
// somebody's, and stays without --overwrite.
#pragma once

#include "series/series.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace parallax::engine::series {

class OwnFiles {
public:
    /// `records`: the folder of the manifest, as it can be read; empty: it cannot, and nothing is the series' own.
    OwnFiles(const PreparedSeries&, const std::filesystem::path& records);

    /// Of a table or an array of all items.
    bool made(const std::filesystem::path& gathered) const;
    /// Files of an item come before its record, so that a kill may leave them without one: those of an item that has a record, or
    /// that belongs to a process that has begun. That found no stranger's file there.
    bool may_have_written(std::size_t item, const std::string& name) const;

private:
    const PreparedSeries& series_;
    bool all_made_ = false;   ///< it is recorded, but which they are cannot be read
    std::set<std::filesystem::path> made_;
    std::set<std::string> recorded_;
    std::vector<Shard> begun_;
    bool any_begun_ = false;
};

/// "lock-2-of-3"; nothing for another name.
std::optional<Shard> shard_of_lock(const std::string& name);

/// Whether a file is a report, or a timeline, that a series has written.
bool is_report(const std::filesystem::path&);
bool is_trace(const std::filesystem::path&);

}  // namespace parallax::engine::series
