// Rows of an algorithm's table of variants:
//
//   Variant fused_variant() {
//       return make_variant<FusedPlan>({.name = "fused", .summary = "one kernel a step", .role = Role::best, .policy = {...}});
//   }
#pragma once

#include "core/plan.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace parallax::engine {

/// `row` with plans of type PlanType, made of what its constructor takes: (builder, problem, policy), (builder, problem, group)
/// with the policy's "work_group_size", (builder, problem), or, for C++ on the native device, (problem); `more` follows.
template <class PlanType, class... More>
Variant make_variant(Variant row, More... more) {
    row.plan = [more...](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
        if constexpr (std::is_constructible_v<PlanType, PlanBuilder&, const Problem&, const Policy&, const More&...>)
            return std::make_unique<PlanType>(builder, problem, policy, more...);
        else if constexpr (std::is_constructible_v<PlanType, PlanBuilder&, const Problem&, std::int64_t, const More&...>)
            return std::make_unique<PlanType>(builder, problem, policy.at("work_group_size"), more...);
        else if constexpr (std::is_constructible_v<PlanType, PlanBuilder&, const Problem&, const More&...>)
            return std::make_unique<PlanType>(builder, problem, more...);
        else
            return std::make_unique<PlanType>(problem, more...);
    };
    return row;
}

/// C++ on the native device: a reference, or its version on all threads.
inline Variant native_row(std::string name, std::string summary) {
    return {.name = std::move(name), .summary = std::move(summary), .role = Role::reference, .backends = {host::Backend::native}};
}

}  // namespace parallax::engine
