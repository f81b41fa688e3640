// Plans that are kept for calls to come.
#pragma once

#include "core/choice.hpp"
#include "parallax/host/context.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace parallax::engine {

/// A plan with what the report says of it.
struct CachedPlan {
    std::shared_ptr<Plan> plan;
    std::shared_ptr<Recordings> recordings = std::make_shared<Recordings>();   ///< of the plan, before which it goes
    Choice choice;
    std::vector<PlanBuilder::Built> built;
    std::vector<std::size_t> slots;   ///< bytes of workspace
    std::size_t state_bytes = 0;
};

/// The plans of all sessions of an engine, each session's for itself, since kernels are not shared between threads. What a plan
/// holds on the device counts: where that is more than the budget, or memory is short, the plans that were not used for longest
/// go, unless a call still has them. Safe from any thread.
class PlanCache final : public host::MemoryKeeper {
public:
    using Owner = const void*;

    /// Bytes, and a number of plans.
    void set_budget(std::uint64_t bytes);

    std::shared_ptr<CachedPlan> find(Owner, const std::string& key);
    void add(Owner, const std::string& key, std::shared_ptr<CachedPlan>);
    /// Commands of the plan are under way until then, whoever holds it.
    void in_use(const Plan&, host::Event until);
    /// A plan that must not be used again.
    void forget(const Plan&);

    bool give_back(std::uint64_t bytes) override;
    /// Drops all that nobody uses, of one owner or (null) of all. Bytes that were freed.
    std::uint64_t trim(Owner = nullptr);
    /// The owner goes, and another may come to its place in memory: none of its plans is found again, whoever still holds one.
    void leave(Owner);
    /// Bytes on the device of the plans that are kept.
    std::uint64_t bytes() const;
    std::size_t size() const;

private:
    struct Entry {
        std::shared_ptr<CachedPlan> plan;
        std::uint64_t used = 0;       ///< when, counted in uses
        host::Event until;
    };
    using Key = std::pair<Owner, std::string>;
    using Dropped = std::map<Key, Entry>;   ///< goes when the mutex is free again, and asks for no memory
    static constexpr std::size_t most_plans = 256;

    bool is_idle(const Entry&) const;
    std::map<Key, Entry>::iterator oldest_idle(bool with_memory);
    std::uint64_t drop(std::map<Key, Entry>::iterator, Dropped&);

    mutable std::mutex mutex_;
    std::uint64_t budget_ = ~std::uint64_t{0}, bytes_ = 0, uses_ = 0;
    std::map<Key, Entry> plans_;
};

}  // namespace parallax::engine
