// Files of an item are put in their places before there is a record of it, and a kill may come between. That they are the series' own
// is said before, so that --resume replaces them, and nobody else's. Of several items at once, since the disk is waited for.
#pragma once

#include "series/manifest.hpp"
#include "series/series.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <vector>

namespace parallax::engine::series {

/// Safe in any thread.
class Announced {
public:
    Announced(const PreparedSeries& series, Manifest& manifest, const std::vector<std::size_t>& todo)
        : series_(series), manifest_(manifest), left_(todo.begin(), todo.end()) {}

    /// Of an item that is to be done, too, or once more.
    void add(std::size_t item);
    /// An item's files are about to be put in their places. Throws IoError where that cannot be said.
    void begin(std::size_t item);
    /// None of its files is there: `record` says so, and later than any word that it was begun.
    void fail(std::size_t item, const std::function<void()>& record);
    /// Takes the word back of what has not been begun.
    void end() noexcept;

private:
    const PreparedSeries& series_;
    Manifest& manifest_;
    std::mutex mutex_;
    std::set<std::size_t> left_;   ///< to be announced
    std::set<std::size_t> said_;   ///< and not begun
};

}  // namespace parallax::engine::series
