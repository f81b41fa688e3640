// Which programs a context keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace parallax::host {

/// Each program once, whichever threads ask for it. One that kernels were made of stays as long as they do. Of those that nobody
/// uses any more the last hundreds stay, for calls that come again: a process that meets images of ever new sizes would else keep
/// a program of each.
template <class Built>
class RecentPrograms {
public:
    struct Found {
        std::shared_ptr<const Built> built;
        bool reused = false;
    };

    /// `build()` makes it where it is not there; others who want the same one wait for that. What it throws is passed on, and the
    /// next who asks builds again.
    template <class Build>
    Found get(const std::string& key, Build&& build) {
        std::shared_ptr<Slot> slot;
        {
            const std::lock_guard lock(mutex_);
            Entry& entry = entries_[key];
            if (!entry.slot) entry.slot = std::make_shared<Slot>();
            entry.used = ++uses_;
            slot = entry.slot;
        }
        const std::lock_guard building(slot->mutex);
        if (slot->built) return {slot->built, true};
        std::shared_ptr<const Built> built;
        try {
            built = build();
        } catch (...) {
            make_room();
            throw;
        }
        slot->built = built;
        {
            const std::lock_guard lock(mutex_);
            entries_[key].built = built;
        }
        make_room();
        return {std::move(built), false};
    }

    /// The first of which `is(built)` holds; null if there is none.
    template <class Is>
    std::shared_ptr<const Built> find(Is&& is) const {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, entry] : entries_)
            if (entry.built && is(*entry.built)) return entry.built;
        return nullptr;
    }

    std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return entries_.size();
    }

    static constexpr std::size_t most_idle = 512;   ///< programs that nobody uses

private:
    struct Slot {
        std::mutex mutex;   ///< held while building
        std::shared_ptr<const Built> built;
    };
    struct Entry {
        std::shared_ptr<Slot> slot;
        std::shared_ptr<const Built> built;   ///< the slot's, for those who do not hold its mutex
        std::uint64_t used = 0;               ///< when, counted in uses
    };
    using Entries = std::map<std::string, Entry>;

    // One whose building failed is, too: its key takes memory as another's.
    static bool is_idle(const Entry& entry) { return entry.slot.use_count() == 1 && entry.built.use_count() <= 2; }

    // An eighth more than is needed: the next programs find room without a search.
    void make_room() {
        Entries dropped;   // go when the mutex is free again
        const std::lock_guard lock(mutex_);
        if (entries_.size() <= most_idle) return;
        std::map<std::uint64_t, typename Entries::iterator> idle;
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
            if (is_idle(entry->second)) idle.emplace(entry->second.used, entry);
        if (idle.size() <= most_idle) return;
        auto oldest = idle.begin();
        for (std::size_t n = idle.size() - most_idle + most_idle / 8; n > 0; --n, ++oldest)
            dropped.insert(entries_.extract(oldest->second));
    }

    mutable std::mutex mutex_;
    std::uint64_t uses_ = 0;
    Entries entries_;
};

}  // namespace parallax::host
