// {"file": "background.tif", "combine": "mean"}: one array of all items, or all of them as a "stack". The result does not depend
// on their order, so not on devices, shards or interruptions either: sums are kept in fixed point, where addition is exact.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "io/transaction.hpp"
#include "job/work.hpp"
#include "series/manifest.hpp"
#include "series/recorded_files.hpp"
#include "series/series.hpp"
#include "series/statistic.hpp"

namespace parallax::engine::series {

/// All folds of a series. What was added is saved now and then in the manifest's folder, together with the names of the
/// items and a hash of what was read for them: after an interruption, items that were done but not saved are done again.
///
///   fold-<unique>.json               {"items": [...], "read": ..., "files": {"background": "fold-<unique>-3-background.sum"},
///                                     "seals": {"background": {"hash": ..., "frame_bytes": 0}},
///                                     "first": {"item": ..., "arrays": {"background": {"type": "u16", ...}}}}   described()
///
/// A state counts where it is as it was saved, and where the records of its items say that it is of what was read for them: states
/// of another series have the same names, and those of earlier versions do not say.
class Folds {
public:
    using Records = std::map<std::string, Record>;
    /// `about`: Manifest::about().
    Folds(const PreparedSeries&, std::filesystem::path folder, std::string about);
    ~Folds();

    bool empty() const noexcept { return outputs_.empty(); }
    /// Items that the saved states of all processes contain, where these count.
    std::set<std::string> saved(const Records&) const;
    /// Those of them that are in one state with one of `others`.
    std::set<std::string> saved_with(const std::set<std::string>& others, const Records&) const;
    /// The arrays of inputs that all items have, by the number of the input; they outlive this.
    void share(const std::map<std::size_t, HostArray>& arrays) noexcept { shared_ = &arrays; }
    /// Arrays must have the shape of those in states that count, which another process may have saved, or an earlier run: unless
    /// the first item has changed since, which will be done again, and the rest most likely with it.
    void agree(const Records&, const RecordedFiles&);
    /// Drops saved states that contain one of these items, which are about to be done again, whether they count or not.
    void forget(const std::set<std::string>& items);
    static void clear(const std::filesystem::path& folder);
    /// Removes what processes that were ended have begun and no state speaks of. For whoever has the folder alone.
    void sweep() const;

    /// Throws Error if the item's arrays do not have the shape of the others'.
    void check(const Work&);
    /// What of the item's pixels is unlike those that they are combined with; nothing, most likely. After check().
    std::vector<std::string> unlike(const Work&);
    /// Adds the item's arrays; safe in any thread. `record`: as it will be recorded.
    void add(const Work&, const Record& record);
    void save_now_and_then();
    void save();
    /// Merges the states of all processes and writes the arrays. Throws IoError.
    std::vector<OutputReport> finish(io::Transaction&, const Records&) const;

private:
    struct Output {
        const OutputSpec* spec = nullptr;
        std::unique_ptr<Statistic> statistic;
        std::optional<HostArray> known;   ///< an item's without its elements, added here or saved before: others are like it
        HostArray first;                  ///< of the first of the items that were added here; the same
    };
    struct State;
    std::vector<State> found() const;
    std::vector<State> states(const Records&) const;
    bool is_sound(const State&) const;
    void refuse_lost(const Records&, std::size_t found) const;
    bool fits(const State&, const Records&) const;
    static bool has_first(const State&, const std::map<std::string, std::size_t>& places);
    void save_states(std::vector<std::filesystem::path>& written, Json& files, Json& seals);
    /// The first item's array, without its elements. Throws Error where processes have combined arrays of unlike shapes.
    HostArray first_of(const Output&, const std::vector<State>&, const std::map<std::string, std::size_t>& places) const;
    const HostArray& array_of(const Work&, const Output&) const;
    void write(const std::filesystem::path&, const Output&, const Statistic& total, const ArrayDesc&, const Metadata&,
               const std::vector<std::size_t>& order) const;

    const PreparedSeries& series_;
    const std::map<std::size_t, HostArray>* shared_ = nullptr;
    std::filesystem::path folder_;
    std::string unique_, about_;
    std::vector<Output> outputs_;
    std::vector<std::string> items_;   ///< added by this process, the n-th as the n-th
    std::string read_;                 ///< what each of them was made of
    std::optional<std::size_t> first_;   ///< the first of them in the order of the series
    std::size_t saves_ = 0;
    std::atomic<bool> spoiled_ = false;   ///< an item was added in part: what is saved from before holds
    std::vector<std::filesystem::path> saved_files_;
    std::size_t saved_items_ = 0;
    std::uint64_t counted_ = 0;   ///< bytes of the last states and their header, frames aside, in the limit on outputs
    mutable std::map<std::string, bool> sound_;   ///< states that were looked at, once
    mutable std::mutex sound_mutex_;
    std::shared_mutex adding_;   ///< shared by who adds, alone for who saves
    std::mutex mutex_;           ///< of items_, of read_ and of the descriptions
    std::chrono::steady_clock::time_point next_save_ =
        std::chrono::steady_clock::now();   ///< saving takes a twentieth of the time at most
};

}   // namespace parallax::engine::series
