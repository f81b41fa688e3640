// Which files an item reads, and for which of its inputs: other ones are another item, though none of those that it has read has
// changed. More may match a pattern or lie in a folder, a root may lead elsewhere, and variables may have changed their places.
#pragma once

#include "job/prepare.hpp"
#include "series/recorded_files.hpp"
#include "series/series.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::series {

/// Of an item that has been prepared. Inputs that all items share are not among them.
std::string hash_of_reads(const Prepared& item, const Locations&);

/// What items would read now.
class ReadsNow {
public:
    /// Throws what Confinement throws.
    ReadsNow(const PreparedSeries&, const RecordedFiles&);
    /// Whether an item would read the files that it was recorded with, for the same inputs. `reads`: hash_of_reads(), empty where an
    /// earlier version did not record it. What is in the files is not looked at, but for those that name others.
    bool as_recorded(std::size_t item, const std::vector<FileState>& inputs, const std::string& reads);

private:
    bool look(std::size_t item, const std::vector<FileState>& inputs, const std::string& reads);

    const PreparedSeries& series_;
    const RecordedFiles& files_;
    std::optional<Confinement> confinement_;
    InputFolders folders_;
    std::map<std::size_t, bool> known_;
};

}  // namespace parallax::engine::series
