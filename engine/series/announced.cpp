#include "series/announced.hpp"

#include "io/known_status.hpp"
#include "job/paths.hpp"

#include <exception>
#include <filesystem>
#include <utility>

namespace parallax::engine::series {

void Announced::add(std::size_t item) {
    const std::lock_guard lock(adding_);
    todo_.insert(item);
}

/// What stands there already is its own by a record, or somebody else's, which only --overwrite replaces.
Announced::Files Announced::files_of(std::size_t item) const {
    Files files;
    for (const std::filesystem::path& target : targets_of(series_, item))
        if (series_.options.overwrite || !io::is_seen(target))
            files.push_back(to_utf8(whole_path(target)));
    return files;
}

void Announced::begin(std::size_t item) {
    constexpr std::size_t at_once = 64;
    const std::lock_guard lock(saying_);
    if (!said_.contains(item)) {
        std::set<std::size_t> items{item};
        {
            const std::lock_guard lock_todo(adding_);
            for (auto next = todo_.lower_bound(item); next != todo_.end() && items.size() < at_once; ++next) items.insert(*next);
        }
        std::map<std::size_t, Files> news;
        Files all;
        for (const std::size_t one : items) {
            const Files& files = news[one] = files_of(one);
            all.insert(all.end(), files.begin(), files.end());
        }
        if (!all.empty()) manifest_.begin(all, series_.where.synced);
        const std::lock_guard lock_todo(adding_);
        for (const std::size_t one : items) todo_.erase(one);
        said_.merge(news);
    }
    begun_[item] = std::move(said_.at(item));
    said_.erase(item);
}

void Announced::end(std::size_t item) {
    const std::lock_guard lock(saying_);
    begun_.erase(item);
}

void Announced::fail(std::size_t item, const std::function<void()>& record) {
    const std::lock_guard lock(saying_);
    {
        const std::lock_guard lock_todo(adding_);
        todo_.erase(item);
    }
    for (auto* const items : {&said_, &begun_}) {
        const auto known = items->find(item);
        if (known == items->end()) continue;
        if (!known->second.empty()) manifest_.leave(known->second);
        items->erase(known);
    }
    record();
}

void Announced::end_all() noexcept {
    const std::lock_guard lock(saying_);
    try {
        Files all;
        for (const auto& [item, files] : said_) all.insert(all.end(), files.begin(), files.end());
        if (!all.empty()) manifest_.leave(all);
    } catch (const std::exception&) {   // a full disk, most likely: what ended the series says more
    }
    said_.clear();
}

}  // namespace parallax::engine::series
