#include "core/plan_cache.hpp"

#include <algorithm>

namespace parallax::engine {

bool PlanCache::is_idle(const Entry& entry) const {
    return entry.plan.use_count() == 1 && entry.plan->plan.use_count() == 1 && entry.until.ended();
}

std::map<PlanCache::Key, PlanCache::Entry>::iterator PlanCache::oldest_idle(bool with_memory) {
    auto oldest = plans_.end();
    for (auto entry = plans_.begin(); entry != plans_.end(); ++entry) {
        if (with_memory && entry->second.plan->state_bytes == 0) continue;
        if (oldest != plans_.end() && entry->second.used > oldest->second.used) continue;
        if (is_idle(entry->second)) oldest = entry;
    }
    return oldest;
}

std::uint64_t PlanCache::drop(std::map<Key, Entry>::iterator entry, Dropped& dropped) {
    const std::uint64_t bytes = entry->second.plan->state_bytes;
    bytes_ -= bytes;
    dropped.insert(plans_.extract(entry));
    return bytes;
}

void PlanCache::set_budget(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    budget_ = bytes;
}

std::shared_ptr<CachedPlan> PlanCache::find(Owner owner, const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = plans_.find({owner, key});
    if (found == plans_.end()) return nullptr;
    found->second.used = ++uses_;
    return found->second.plan;
}

void PlanCache::add(Owner owner, const std::string& key, std::shared_ptr<CachedPlan> plan) {
    Dropped dropped;
    const std::lock_guard lock(mutex_);
    bytes_ += plan->state_bytes;
    plans_[{owner, key}] = {std::move(plan), ++uses_, {}};
    while (bytes_ > budget_ || plans_.size() > most_plans) {
        const auto oldest = oldest_idle(plans_.size() <= most_plans);
        if (oldest == plans_.end() || oldest->first == Key(owner, key)) return;
        drop(oldest, dropped);
    }
}

void PlanCache::in_use(const Plan& plan, host::Event until) {
    const std::lock_guard lock(mutex_);
    for (auto& [key, entry] : plans_)
        if (entry.plan->plan.get() == &plan) entry.until = until;
}

void PlanCache::forget(const Plan& plan) {
    Dropped dropped;
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(plans_.begin(), plans_.end(), [&](const auto& entry) { return entry.second.plan->plan.get() == &plan; });
    if (found != plans_.end()) drop(found, dropped);
}

bool PlanCache::give_back(std::uint64_t bytes) {
    Dropped dropped;
    std::uint64_t freed = 0;
    const std::lock_guard lock(mutex_);
    while (freed < std::max<std::uint64_t>(bytes, 1)) {
        const auto oldest = oldest_idle(true);
        if (oldest == plans_.end()) break;
        freed += drop(oldest, dropped);
    }
    return freed > 0;
}

std::uint64_t PlanCache::trim(Owner owner) {
    Dropped dropped;
    std::uint64_t freed = 0;
    const std::lock_guard lock(mutex_);
    for (auto entry = plans_.begin(); entry != plans_.end();) {
        const auto here = entry++;
        if ((owner == nullptr || here->first.first == owner) && is_idle(here->second)) freed += drop(here, dropped);
    }
    return freed;
}

void PlanCache::leave(Owner owner) {
    Dropped dropped;
    const std::lock_guard lock(mutex_);
    for (auto entry = plans_.begin(); entry != plans_.end();) {
        const auto here = entry++;
        if (here->first.first == owner) drop(here, dropped);
    }
}

std::uint64_t PlanCache::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

std::size_t PlanCache::size() const {
    const std::lock_guard lock(mutex_);
    return plans_.size();
}

}  // namespace parallax::engine
