// From a choice to a plan that the device runs: what does not fit is planned again, smaller, by another policy, as another
// variant.
#include "core/kernel_fit.hpp"
#include "core/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace parallax::engine {

namespace {

constexpr int most_attempts = 24;  // each fetches the kernels that stay as they are from memory

/// Of an error that is told at length.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string reason_of(const UnsupportedError& error) {
    return error.reasons.empty() ? first_line(error.what()) : fmt::format("{}", fmt::join(error.reasons, "; "));
}

/// The largest choice below `bound`, 0 (which leaves it to the plan) apart.
std::optional<int> largest_below(const PolicyField& field, std::int64_t bound) {
    std::optional<int> best;
    for (const int choice : field.choices)
        if (choice > 0 && choice < bound && (!best || choice > *best)) best = choice;
    return best;
}

/// Makes work-groups smaller where the policy sets their size. False: it sets none, or they are as small as can be.
bool make_smaller(Choice& choice, const KernelMisfit& misfit) {
    if (choice.policy_from == "job") return false;  // it says what to do, not how to begin
    bool changed = false;
    Json policy = choice.policy.to_json();
    for (const PolicyField& field : choice.variant->policy) {
        if (field.name.find("work_group_size") == std::string::npos) continue;
        const int now = choice.policy.at(field.name);
        const bool of_group = misfit.of == KernelMisfit::Of::work_group;
        if (of_group && now > 0 && static_cast<std::uint64_t>(now) <= misfit.allowed) continue;
        const std::int64_t bound = of_group ? static_cast<std::int64_t>(misfit.allowed) + 1 : now > 0 ? now : 512;
        const auto smaller = largest_below(field, bound);
        if (!smaller) continue;
        policy[field.name] = *smaller;
        changed = true;
    }
    if (!changed) return false;
    choice.policy = Policy::parse(choice.variant->policy, policy, "");
    const std::string reason = ", with smaller work-groups: ";
    choice.policy_from = choice.policy_from.substr(0, choice.policy_from.find(reason)) + reason + reason_of(misfit);
    return true;
}

/// With limits that shrink until what is built fits.
PlanMade plan_to_fit(host::Context& context, host::Queue& queue, const Problem& problem, Choice& choice) {
    host::DeviceInfo limits = context.info();
    // What takes a share of the device's memory takes it of what the job may have.
    if (problem.memory > 0 && (limits.global_memory == 0 || problem.memory < limits.global_memory))
        limits.global_memory = problem.memory;
    std::optional<KernelMisfit> last;
    for (int attempt = 0;; ++attempt) {
        try {
            PlanMade made{nullptr, std::make_unique<PlanBuilder>(context, queue, limits)};
            made.plan = choice.variant->plan(*made.builder, problem, choice.policy);
            return made;
        } catch (const KernelMisfit& misfit) {
            const bool again = last && last->is_same(misfit);
            const bool changed = again && make_smaller(choice, misfit);
            const host::DeviceInfo before = std::exchange(limits, narrowed(limits, misfit, attempt));
            const bool is_least = before.local_memory == limits.local_memory && before.max_work_group == limits.max_work_group;
            if (attempt == most_attempts || (again && !changed && is_least)) throw;
            last = misfit;
        }
    }
}

/// A tuned policy, else the variant's defaults.
PlanMade plan_by_policy(host::Context& context, host::Queue& queue, const Problem& problem, Choice& choice) {
    if (!choice.is_tuned) return plan_to_fit(context, queue, problem, choice);
    std::string reason;
    try {
        return plan_to_fit(context, queue, problem, choice);
    } catch (const ConfigError& error) {
        reason = error.what();
    } catch (const UnsupportedError& error) {
        reason = error.what();
    } catch (const BuildError& error) {
        reason = error.what();
    }
    // Tuned for other parameters of the same algorithm: an error that the defaults share is the problem's own.
    choice.policy = Policy::defaults(choice.variant->policy);
    choice.policy_from = "default, because the policy " + choice.policy_from + " does not fit: " + first_line(reason);
    choice.is_tuned = false;
    return plan_to_fit(context, queue, problem, choice);
}

/// Puts the next variant in the place of one that turned out not to fit. False: there is no other, or it was asked for.
bool take_next(host::Context& context, const Problem& problem, Choice& choice, const std::string& reason) {
    if (choice.algorithm == nullptr) return false;
    choice.refusals.push_back({choice.variant->name, reason});
    const auto has_refused = [&](const Variant& variant) {
        return std::any_of(choice.refusals.begin(), choice.refusals.end(),
                           [&](const Refusal& refusal) { return refusal.variant == variant.name; });
    };
    for (const Variant& variant : choice.algorithm->variants) {
        if (variant.role == Role::peer || has_refused(variant)) continue;
        if (const std::string why = why_not(*choice.algorithm, variant, problem, context); !why.empty()) {
            choice.refusals.push_back({variant.name, why});
            continue;
        }
        choice.variant = &variant;
        choice.policy = Policy::defaults(variant.policy);
        choice.policy_from = "default";
        choice.is_tuned = false;
        return true;
    }
    return false;
}

}  // namespace

PlanMade make_plan(host::Context& context, host::Queue& queue, const Problem& problem, Choice& choice) {
    for (;;) {
        std::string reason;
        try {
            return plan_by_policy(context, queue, problem, choice);
        } catch (const UnsupportedError& error) {
            if (choice.algorithm == nullptr) throw;
            reason = reason_of(error);
        }
        if (take_next(context, problem, choice, reason)) continue;
        std::vector<std::string> reasons;
        for (const Refusal& refusal : choice.refusals) reasons.push_back(refusal.variant + ": " + refusal.reason);
        throw UnsupportedError("no variant of " + choice.algorithm->name + " can do this on " + context.info().name, reasons);
    }
}

}  // namespace parallax::engine
