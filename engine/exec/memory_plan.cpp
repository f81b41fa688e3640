#include "exec/memory_plan.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace parallax::engine {

namespace {

std::int64_t slices_of(const ArrayDesc& desc) { return desc.axes.empty() ? 1 : desc.axes.front().size; }

/// Two slabs: one is read while the device has the other.
std::uint64_t slab_bytes(const ArrayDesc& desc, std::int64_t slab) {
    return 2 * static_cast<std::uint64_t>(std::min(slab, slices_of(desc))) *
           (desc.dense_bytes() / static_cast<std::uint64_t>(slices_of(desc)));
}

constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();

/// Slices that go up at a time.
std::int64_t slab_of(const ArrayDesc& desc, const Budget& budget) {
    constexpr std::uint64_t enough = std::uint64_t{32} << 20;   // caches still hold what was read; more at a time is not faster
    const std::uint64_t most = std::min({enough, budget.total / 8, budget.largest});
    const auto slab = static_cast<std::int64_t>(
        std::max<std::uint64_t>(1, most / (desc.dense_bytes() / static_cast<std::uint64_t>(slices_of(desc)))));
    return std::min(slab, slices_of(desc));
}

/// The step that an input can come to in slabs, or why there is none.
std::string why_whole(const Resolved& resolved, std::size_t input, std::size_t& step) {
    if (!resolved.inputs[input].why_whole.empty()) return resolved.inputs[input].why_whole;
    const Pipeline& job = resolved.pipeline;
    const PipelineInput& spec = job.inputs[input];
    std::size_t users = 0;
    for (std::size_t i = 0; i < job.steps.size(); ++i)
        for (const auto& [port, source] : job.steps[i].inputs)
            if (source == Source{std::nullopt, spec.name}) ++users, step = i;
    if (users != 1) return fmt::format("{} steps use it", users);
    if (job.steps[step].inputs.size() != 1) return fmt::format("step \"{}\" has other inputs beside it", job.steps[step].id);
    const std::vector<Variant>& variants = job.steps[step].algorithm->variants;
    if (std::none_of(variants.begin(), variants.end(), [](const Variant& v) { return v.slabs; }))
        return fmt::format("{} needs its input as a whole", job.steps[step].algorithm->name);
    return {};
}

}  // namespace

Budget budget_of(const Pipeline& job, const Engine& engine) {
    const host::DeviceInfo& device = engine.device();
    Budget budget{any, device.max_allocation > 0 ? device.max_allocation : any, {}};
    if (device.global_memory > 0) {   // something is always taken by others
        budget.total = device.global_memory / 10 * 9;
        budget.words = fmt::format("9 tenths of what {} has are {}", device.name, human(budget.total));
    }
    if (const std::uint64_t most = engine.limits().bytes; most > 0 && most < budget.total) {
        budget.total = most;
        budget.words = fmt::format("the engine may take {}", human(budget.total));
    }
    if (job.limits.memory_limit && *job.limits.memory_limit < budget.total) {
        budget.total = *job.limits.memory_limit;
        budget.words = fmt::format("memory_limit is {}", human(budget.total));
    }
    if (budget.largest < budget.total) budget.words += fmt::format(", and the largest allocation {}", human(budget.largest));
    return budget;
}

std::uint64_t array_bytes(const Resolved& resolved, const Slabs& slabs) {
    std::uint64_t bytes = resolved.array_bytes();
    for (std::size_t i = 0; i < resolved.inputs.size(); ++i) {
        const ArrayDesc& desc = resolved.inputs[i].desc;
        if (slabs.by_input[i] > 0)
            bytes -= desc.dense_bytes() - std::min<std::uint64_t>(desc.dense_bytes(), slab_bytes(desc, slabs.by_input[i]));
    }
    return bytes;
}

void check_item(const Resolved& resolved, const Engine& engine) {
    for (const PipelineInput& input : resolved.pipeline.inputs) {
        if (input.slab > 0)
            throw ConfigError(input.pointer + "/slab", "a slab in a series",
                              "no slab: items of a series are in memory as a whole");
    }
    const Budget budget = budget_of(resolved.pipeline, engine);
    std::vector<std::string> reasons;
    const auto check = [&](const std::string& name, const ArrayDesc& desc) {
        if (desc.dense_bytes() > budget.largest)
            reasons.push_back(fmt::format("\"{}\", {}, takes {}; the largest allocation is {}", name, desc.describe(),
                                          human(desc.dense_bytes()), human(budget.largest)));
    };
    const Pipeline& job = resolved.pipeline;
    for (std::size_t i = 0; i < job.inputs.size(); ++i) check(job.inputs[i].name, resolved.inputs[i].desc);
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        for (const auto& [port, desc] : resolved.steps[i].shapes) check(job.name_of({i, port}), desc);
    }
    const std::uint64_t total = resolved.array_bytes();
    if (total > budget.total) reasons.push_back(fmt::format("all arrays together take {}; {}", human(total), budget.words));
    if (reasons.empty()) return;
    reasons.push_back(
        "items of a series are on the device as a whole; in a job without for_each a file is cut into tiles where its steps can "
        "be");
    throw UnsupportedError(fmt::format("an item does not fit into the memory of {}", engine.device().name), reasons);
}

Problem problem_of(const Resolved& resolved, const Slabs& slabs, std::size_t step) {
    Problem problem = resolved.steps[step].problem;
    problem.slab = slabs.by_step[step];
    problem.slab_workspace = slabs.workspace;
    problem.memory = slabs.memory;
    return problem;
}

namespace {

/// Everything as a whole.
Slabs no_slabs(const Resolved& resolved, const Engine& engine) {
    Slabs slabs{std::vector<std::int64_t>(resolved.inputs.size(), 0), std::vector<std::int64_t>(resolved.steps.size(), 0)};
    slabs.memory = engine.limits().within(resolved.pipeline.limits.memory_limit.value_or(0));
    return slabs;
}

/// Those that the job wants so, and those that would not fit where a step can take them so. Throws ConfigError where a job wants
/// what cannot be.
Slabs choose_slabs(const Resolved& resolved, const Engine& engine) {
    const Pipeline& job = resolved.pipeline;
    Slabs slabs = no_slabs(resolved, engine);
    const Budget budget = budget_of(job, engine);
    slabs.workspace = std::min(budget.total / 2, budget.largest);
    const bool too_much = resolved.array_bytes() > budget.total;
    for (std::size_t i = 0; i < job.inputs.size(); ++i) {
        const ArrayDesc& desc = resolved.inputs[i].desc;
        std::int64_t slab = job.inputs[i].slab;
        const bool too_large = desc.dense_bytes() > budget.largest;
        if (slab == 0 && !too_large && !too_much) continue;
        std::size_t step = 0;
        const std::string why = why_whole(resolved, i, step);
        if (!why.empty() && slab == 0) continue;   // plan_memory() goes on from here
        if (!why.empty())
            throw ConfigError(job.inputs[i].pointer + "/slab", fmt::format("{} slices at a time, and {}", slab, why), "no slab");
        if (slices_of(desc) == 1) continue;   // one slice is the whole
        if (slab == 0) slab = slab_of(desc, budget);
        slabs.by_input[i] = slabs.by_step[step] = std::min(slab, slices_of(desc));
    }
    return slabs;
}

/// Of every step. Throws ConfigError and UnsupportedError.
std::vector<Choice> choose_variants(const Resolved& resolved, Session& session, const Slabs& slabs) {
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < resolved.steps.size(); ++i) {
        const Step& step = resolved.pipeline.steps[i];
        in_terms_of(resolved.pipeline, step, [&] {
            choices.push_back(
                session.choose(*step.algorithm, problem_of(resolved, slabs, i), step.variant, step.policy, step.pointer));
        });
    }
    return choices;
}

/// Bytes of the arrays that are on the device together, at most, when all inputs go up first.
std::uint64_t most_arrays(const Resolved& resolved, const Slabs& slabs) {
    const Pipeline& job = resolved.pipeline;
    const auto last = last_uses(job);
    std::vector<std::uint64_t> freed(job.steps.size() + 1, 0);   // after each step; last of all, what outputs keep
    std::uint64_t now = 0;
    for (std::size_t i = 0; i < resolved.inputs.size(); ++i) {
        const ArrayDesc& desc = resolved.inputs[i].desc;
        now += slabs.by_input[i] > 0 ? slab_bytes(desc, slabs.by_input[i]) : desc.dense_bytes();
        const auto use = last.find({std::nullopt, job.inputs[i].name});
        if (slabs.by_input[i] == 0 && use != last.end()) freed[use->second] += desc.dense_bytes();
    }
    std::uint64_t most = now;
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        for (const auto& [port, desc] : resolved.steps[i].shapes) {
            now += desc.dense_bytes();
            const auto use = last.find({i, port});
            freed[use == last.end() ? i : use->second] += desc.dense_bytes();
        }
        most = std::max(most, now);
        now -= freed[i];
    }
    return most;
}

bool has_large(const Resolved& resolved, const Slabs& slabs, const Budget& budget) {
    const auto large = [&](const ArrayDesc& desc) { return desc.dense_bytes() > budget.largest; };
    for (std::size_t i = 0; i < resolved.inputs.size(); ++i)
        if (slabs.by_input[i] == 0 && large(resolved.inputs[i].desc)) return true;
    return std::any_of(resolved.steps.begin(), resolved.steps.end(), [&](const ResolvedStep& step) {
        return std::any_of(step.shapes.begin(), step.shapes.end(), [&](const auto& shape) { return large(shape.second); });
    });
}

/// Large files go in slabs to steps that need them once: reading, sending and computing go on side by side, in little memory.
void prefer_slabs(const Resolved& resolved, Session& session, MemoryPlan& fit) {
    constexpr std::uint64_t large = std::uint64_t{128} << 20;   // a few slabs, or nothing overlaps
    for (std::size_t i = 0; i < resolved.inputs.size(); ++i) {
        const ArrayDesc& desc = resolved.inputs[i].desc;
        std::size_t at = 0;
        if (fit.slabs.by_input[i] > 0 || desc.dense_bytes() < large || !why_whole(resolved, i, at).empty()) continue;
        const Step& step = resolved.pipeline.steps[at];
        Slabs slabs = fit.slabs;
        slabs.by_input[i] = slabs.by_step[at] = slab_of(desc, fit.budget);
        const Problem problem = problem_of(resolved, slabs, at);
        try {
            Choice choice = session.choose(*step.algorithm, problem, fit.choices[at].variant->name, step.policy, step.pointer);
            const Requirement need = requirement_of(session, *step.algorithm, problem, choice);
            if (need.slab_passes > 1 || !fit.budget.holds(need.bytes(), need.largest)) continue;
            choice.refusals = std::move(fit.choices[at].refusals);
            fit.slabs = std::move(slabs);
            fit.choices[at] = std::move(choice);
        } catch (const UnsupportedError&) {   // the variant takes this as a whole
        } catch (const ConfigError&) {        // a policy for the whole alone
        }
    }
}

/// Whether all is on the device together; leaves the bytes in `fit`.
bool fits_as_a_whole(const Resolved& resolved, Session& session, MemoryPlan& fit) {
    fit.bytes = fit.arrays = most_arrays(resolved, fit.slabs);
    if (fit.bytes > fit.budget.total || has_large(resolved, fit.slabs, fit.budget)) return false;
    // Plans of the native device build nothing, and what they take is the host's.
    const bool native = session.engine().device().backend == host::Backend::native;
    if (!native && !resolved.pipeline.limits.memory_limit && fit.bytes < fit.budget.total / 4)
        return true;                        // workspace is never so much more than arrays
    std::vector<std::uint64_t> workspace;
    for (std::size_t i = 0; i < resolved.steps.size(); ++i) {
        const Step& step = resolved.pipeline.steps[i];
        Requirement need;
        in_terms_of(resolved.pipeline, step,
                    [&] { need = requirement_of(session, *step.algorithm, problem_of(resolved, fit.slabs, i), fit.choices[i]); });
        if (need.largest > fit.budget.largest) return false;
        widen(workspace, need.workspace);
        fit.bytes += need.state;
    }
    for (const std::uint64_t slot : workspace) fit.bytes += slot;
    return fit.bytes <= fit.budget.total;
}

/// A step with the device to itself: as a whole, in slabs of an array in host memory, or in tiles.
void fit_step(const Resolved& resolved, Session& session, std::size_t i, MemoryPlan& fit) {
    const Step& step = resolved.pipeline.steps[i];
    const Algorithm& algorithm = *step.algorithm;
    Problem problem = problem_of(resolved, fit.slabs, i);
    Requirement need = arrays_of(algorithm, problem);
    const auto fits = [&] {
        need = arrays_of(algorithm, problem);
        if (!fit.budget.holds(need.bytes(), need.largest)) return false;
        need = requirement_of(session, algorithm, problem, fit.choices[i]);
        return fit.budget.holds(need.bytes(), need.largest);
    };
    if (fits()) return static_cast<void>(fit.bytes = std::max(fit.bytes, need.bytes()));
    std::vector<std::string> reasons{fmt::format("step \"{}\" needs {}; {}", step.id, need.describe(), fit.budget.words)};
    const bool slabs =
        fit.choices[i].variant->slabs && problem.inputs.size() == 1 && problem.inputs.begin()->second.axes.size() > 1;
    if (slabs && problem.slab == 0) {
        problem.slab = slab_of(problem.inputs.begin()->second, fit.budget);
        const Support support = fit.choices[i].variant->supports(problem, session.context());
        if (support && fits()) {
            fit.slabs.by_step[i] = problem.slab;
            fit.bytes = std::max(fit.bytes, need.bytes());
            return;
        }
        reasons.push_back(support ? fmt::format("in slabs of {} slices it needs {}", problem.slab, need.describe())
                                  : support.why_not);
        problem.slab = 0;
    }
    if (problem.slab == 0) fit.tiles[i] = cut_into_tiles(session, algorithm, problem, fit.choices[i], fit.budget, need, reasons);
    if (fit.tiles[i]) return static_cast<void>(fit.bytes = std::max(fit.bytes, need.bytes()));
    reasons.push_back(
        "try a larger memory_limit, a device with more memory, smaller or fewer arrays (crop, select, pages of a file), or "
        "another variant");
    throw UnsupportedError(fmt::format("the job does not fit into the memory of {}", session.engine().device().name), reasons);
}

}  // namespace

MemoryPlan plan_memory(const Resolved& resolved, Session& session) {
    const Engine& engine = session.engine();
    MemoryPlan fit;
    fit.budget = budget_of(resolved.pipeline, engine);
    fit.slabs = choose_slabs(resolved, engine);
    fit.choices = choose_variants(resolved, session, fit.slabs);
    fit.tiles.resize(resolved.steps.size());
    prefer_slabs(resolved, session, fit);
    if (fits_as_a_whole(resolved, session, fit)) return fit;
    fit.spills = true;
    fit.bytes = 0;
    for (std::size_t i = 0; i < resolved.steps.size(); ++i)
        in_terms_of(resolved.pipeline, resolved.pipeline.steps[i], [&] { fit_step(resolved, session, i, fit); });
    return fit;
}

MemoryPlan plan_item(const Resolved& resolved, Session& session) {
    const Engine& engine = session.engine();
    check_item(resolved, engine);
    MemoryPlan whole;
    whole.budget = budget_of(resolved.pipeline, engine);
    whole.slabs = no_slabs(resolved, engine);
    whole.choices = choose_variants(resolved, session, whole.slabs);
    whole.tiles.resize(resolved.steps.size());
    whole.bytes = whole.arrays = resolved.array_bytes();
    return whole;
}

Call call_of(const Pipeline& job, std::size_t i) {
    const Step& step = job.steps[i];
    Call call{step.id, step.algorithm, step.parameters, step.variant, step.policy, {}, step.outputs, step.pointer};
    call.memory = job.limits.memory_limit.value_or(0);
    return call;
}

Call call_of(const Pipeline& job, const MemoryPlan& fit, std::size_t i) {
    Call call = call_of(job, i);
    if (fit.choices.empty()) return call;
    call.slab = fit.slabs.by_step[i];
    call.slab_workspace = fit.slabs.workspace;
    call.choice = &fit.choices[i];
    return call;
}

void check_limit(const PipelineLimits& limits, std::uint64_t allocated) {
    const auto& memory_limit = limits.memory_limit;
    if (!memory_limit || allocated <= *memory_limit) return;
    throw UnsupportedError(
        "the job needs more memory than it may use",
        {fmt::format("with the workspace of its steps it takes {}; memory_limit is {}", human(allocated), human(*memory_limit))});
}

}  // namespace parallax::engine
