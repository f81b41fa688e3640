#include "series/announced.hpp"

#include <exception>

namespace parallax::engine::series {

void Announced::add(std::size_t item) {
    const std::lock_guard lock(mutex_);
    if (!said_.contains(item)) left_.insert(item);
}

void Announced::begin(std::size_t item) {
    constexpr std::size_t at_once = 64;
    const std::lock_guard lock(mutex_);
    if (const auto first = left_.find(item); first != left_.end()) {
        std::vector<std::string> names;
        auto end = first;
        for (; end != left_.end() && names.size() < at_once; ++end) names.push_back(series_.items.name(*end));
        manifest_.begin(names, series_.where.out, series_.where.synced);
        said_.insert(first, end);
        left_.erase(first, end);
    }
    said_.erase(item);
}

void Announced::fail(std::size_t item, const std::function<void()>& record) {
    const std::lock_guard lock(mutex_);
    left_.erase(item);
    said_.erase(item);
    record();
}

void Announced::end() noexcept {
    const std::lock_guard lock(mutex_);
    if (said_.empty()) return;
    try {
        std::vector<std::string> names;
        for (const std::size_t item : said_) names.push_back(series_.items.name(item));
        manifest_.leave(names);
    } catch (const std::exception&) {   // a full disk, most likely: what ended the series says more
    }
    said_.clear();
}

}  // namespace parallax::engine::series
