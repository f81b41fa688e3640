// Files of an item are put in their places before there is a record of it, and a kill may come between. That they are the series' own
// is said before, so that --resume replaces them, and nobody else's. Of several items at once, since the disk is waited for.
#pragma once

#include "series/manifest.hpp"
#include "series/series.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace parallax::engine::series {

/// Safe in any thread.
class Announced {
public:
    Announced(const PreparedSeries& series, Manifest& manifest, const std::vector<std::size_t>& todo)
        : series_(series), manifest_(manifest), todo_(todo.begin(), todo.end()) {}

    /// Of an item that is to be done, too; waits for no disk.
    void add(std::size_t item);
    /// An item's files are about to be put in their places. Throws IoError where that cannot be said.
    void begin(std::size_t item);
    /// They are there, and recorded.
    void end(std::size_t item);
    /// None of them is there: `record` says so.
    void fail(std::size_t item, const std::function<void()>& record);
    /// Takes the word back of what has not been begun.
    void end_all() noexcept;

private:
    using Files = std::vector<std::string>;
    Files files_of(std::size_t item) const;

    const PreparedSeries& series_;
    Manifest& manifest_;
    std::mutex adding_;
    std::set<std::size_t> todo_;              ///< nothing is said of these yet
    std::mutex saying_;                       ///< of what is below
    std::map<std::size_t, Files> said_;       ///< and not begun
    std::map<std::size_t, Files> begun_;      ///< and not ended
};

}  // namespace parallax::engine::series
