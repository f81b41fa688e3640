// Which variant does a problem on a device, and the plan that is made of it.
#pragma once

#include "core/algorithm.hpp"
#include "core/plan.hpp"

#include <memory>
#include <string>
#include <vector>

namespace parallax::engine {

struct Refusal { std::string variant, reason; };

/// Which variant would run, and why not the others.
struct Choice {
    const Variant* variant = nullptr;
    Policy policy;
    /// "job", "default", or where it was tuned: "tuned on this device, 2026-11-21, driver 580.159, gain 1.08".
    std::string policy_from;
    bool is_tuned = false;
    std::vector<Refusal> refusals;
    const Algorithm* algorithm = nullptr;    ///< whose other variants may take this one's place; null: it was asked for
};

/// Empty, or why a variant cannot do this.
std::string why_not(const Algorithm&, const Variant&, const Problem&, host::Context&);

/// A plan with what it was made of.
struct PlanMade {
    std::unique_ptr<Plan> plan;
    std::unique_ptr<PlanBuilder> builder;
};
/// Makes the plan of a choice. Where a built kernel takes more than the device has it is planned again, smaller; a tuned policy
/// that does not fit gives way to the variant's defaults, these to smaller ones, and a variant that was not asked for to the
/// next. `choice` then says so.
PlanMade make_plan(host::Context&, host::Queue&, const Problem&, Choice& choice);

}  // namespace parallax::engine
