// What a job would do: which variants, how much memory.
#include "job/describe.hpp"

#include "exec/host_memory.hpp"
#include "exec/step_report.hpp"
#include "job/runner.hpp"

#include <algorithm>
#include <numeric>

namespace parallax::engine {

namespace {

Json to_json(const Tiling& tiling) {
    return {
        {"axis", std::string(1, tiling.way.axis)}, {"count", tiling.count()}, {"size", tiling.own}, {"halo", tiling.way.halo}};
}

}  // namespace

Json describe_array(const std::string& name, const std::string& from, const ArrayDesc& desc) {
    return {{"name", name}, {"from", from}, {"array", desc.describe()}, {"bytes", desc.dense_bytes()}};
}

Json describe_arrays(const Prepared& prepared) {
    const Job& job = prepared.job;
    Json arrays = Json::array();
    for (std::size_t i = 0; i < job.inputs.size(); ++i) {
        arrays.push_back(describe_array(job.inputs[i].name, to_utf8(prepared.inputs[i].files.front()), prepared.inputs[i].desc));
        arrays.back()["warnings"] = prepared.inputs[i].warnings;
    }
    for (std::size_t i = 0; i < job.steps.size(); ++i)
        for (const auto& [port, desc] : prepared.resolved.steps[i].shapes)
            arrays.push_back(describe_array(job.name_of({i, port}), job.steps[i].id, desc));
    return arrays;
}

Json describe_step(const Step& step, const ResolvedStep& ready, const Choice& choice, const PlanBuilder& builder) {
    const std::vector<std::size_t> workspace = builder.workspace();
    return {{"id", step.id},
            {"run", step.algorithm->name},
            {"variant", choice.variant->name},
            {"policy", choice.policy.to_json()},
            {"policy_from", choice.policy_from},
            {"refusals", to_json(choice.refusals)},
            {"warnings", ready.warnings},
            {"slab", 0},
            {"tiles", nullptr},
            {"tile_bytes", 0},
            {"kernels", to_json(builder.built())},
            {"workspace_bytes", std::accumulate(workspace.begin(), workspace.end(), std::uint64_t{0})},
            {"state_bytes", builder.state_bytes()}};
}

namespace {

Json describe_run(const Prepared& prepared, Session& session, MemoryPlan how) {
    Engine& engine = session.engine();
    const Slabs& slabs = how.slabs;
    std::vector<Choice>& choices = how.choices;
    const Pipeline& job = prepared.resolved.pipeline;
    Json steps = Json::array();
    std::uint64_t kept = 0;
    std::vector<std::uint64_t> slots;
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        const Step& step = job.steps[i];
        const ResolvedStep& ready = prepared.resolved.steps[i];
        const Problem whole = problem_of(prepared.resolved, slabs, i);
        const std::optional<Tiling>& tiling = how.tiles[i];
        Json described;
        for (const Problem& problem : tiling ? of_tiles(whole, *tiling) : std::vector{whole}) {
            PlanMade made;
            in_terms_of(job, step, [&] { made = make_plan(engine.context(), session.queue(), problem, choices[i]); });
            const PlanBuilder& builder = *made.builder;
            session.queue().finish();
            widen(slots, builder.workspace());
            kept += builder.state_bytes();
            if (!described.is_null()) continue;   // the first stands for all
            described = describe_step(step, ready, choices[i], builder);
            described["slab"] = slabs.by_step[i];
            if (!tiling) continue;
            described["tiles"] = to_json(*tiling);
            described["tile_bytes"] = arrays_of(*step.algorithm, problem).arrays;
        }
        steps.push_back(std::move(described));
    }
    const std::uint64_t workspace = std::accumulate(slots.begin(), slots.end(), std::uint64_t{0});
    return {{"device", engine::to_json(engine.device())},
            {"arrays", describe_arrays(prepared)},
            {"steps", std::move(steps)},
            {"array_bytes", array_bytes(prepared.resolved, slabs)},
            {"workspace_bytes", workspace},
            {"state_bytes", kept},
            {"budget_bytes", how.budget.total},
            {"spills", how.spills},
            {"host_bytes", host_bytes(prepared.resolved, how, engine)},
            {"upper_bound_bytes", how.spills ? how.bytes : how.arrays + workspace + kept}};
}

}  // namespace

Json describe_plan(const Prepared& prepared, Engine& engine) {
    Session session(engine);
    MemoryPlan how = plan_memory(prepared.resolved, session);
    check_host(host_bytes(prepared.resolved, how, engine), "the job");
    return describe_run(prepared, session, std::move(how));
}

Json describe_item(const Prepared& prepared, Engine& engine) {
    Session session(engine);
    return describe_run(prepared, session, plan_item(prepared.resolved, session));
}

}  // namespace parallax::engine
