#include "exec/shared.hpp"

#include "core/clock.hpp"
#include "exec/memory_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace parallax::engine {

namespace {

using Clock = std::chrono::steady_clock;

/// Rank 0's choice in words, everywhere.
Json agree_on_choice(distributed::Communicator& ranks, const std::function<Choice()>& choose, Choice& mine) {
    if (ranks.rank() != 0) return Json::parse(broadcast(ranks, {}));
    mine = choose();
    Json chosen{{"variant", mine.variant->name}, {"policy", mine.policy.to_json()}};
    broadcast(ranks, chosen.dump());
    return chosen;
}

/// That choice made by another rank, whose device may lack it.
Choice follow(int rank, const Step& step, const Json& chosen,
              const std::function<Choice(const std::string&, const Json&)>& choose) {
    const auto variant = chosen.at("variant").get<std::string>();
    try {
        return choose(variant, chosen.at("policy"));
    } catch (const UnsupportedError& error) {
        std::vector<std::string> reasons = error.reasons;
        reasons.push_back(step.variant.empty()
                              ? "rank 0 chose it for its own device, and all compute by one: give every rank a device of the "
                                "same kind, or name with \"variant\" one that all of them have"
                              : "the job names it, and rank 0's device has it: give every rank a device of the same kind, or "
                                "name another that all of them have");
        throw UnsupportedError(fmt::format("rank {} cannot compute as rank 0 does, by {} variant \"{}\"", rank,
                                           step.algorithm->name, variant),
                               std::move(reasons));
    }
}

bool can_be_shared(const Step& step) {
    const auto& variants = step.algorithm->variants;
    return std::any_of(variants.begin(), variants.end(), [](const Variant& v) { return static_cast<bool>(v.part); });
}

}  // namespace

void check_divisible(const Pipeline& pipeline, int ranks) {
    const auto refuse = [&](std::string why, bool alone) {
        std::vector<std::string> reasons{std::move(why)};
        if (alone)
            reasons.push_back("leave the job to one device; many such jobs go to several devices and machines as a series "
                              "(for_each, --shard i/n)");
        throw UnsupportedError(fmt::format("{} devices cannot do this job together", ranks), std::move(reasons));
    };
    for (const Step& step : pipeline.steps)
        if (!can_be_shared(step))
            refuse(fmt::format("step \"{}\": {} needs its input as a whole", step.id, step.algorithm->name), true);
    if (pipeline.steps.size() != 1)
        refuse(fmt::format("it has {} steps, and step \"{}\" needs all of what the one before makes", pipeline.steps.size(),
                           pipeline.steps.back().id),
               true);
    const Step& step = pipeline.steps.front();
    if (step.inputs.size() != 1 || pipeline.inputs.size() != 1)
        refuse(fmt::format("step \"{}\" has {} inputs, and one is what they can share", step.id, step.inputs.size()), true);
    for (const PipelineOutput& output : pipeline.outputs)
        if (!output.source.step) refuse(fmt::format("output \"{}\" is an input as it was", output.name), false);
}

Shared::Shared(Engine& engine, const Resolved& resolved, distributed::Communicator& ranks)
    : engine_(engine), resolved_(resolved), ranks_(ranks), session_(engine), transfers_(session_.context().create_queue()) {
    for (host::Queue* queue : {&session_.queue(), transfers_.get()})
        queue->set_limit(std::chrono::duration<double>(resolved.pipeline.limits.step_timeout_s));
    const auto start = Clock::now();
    Problem problem = resolved.steps.front().problem;
    problem.ranks = ranks.size();
    const Step& step = resolved.pipeline.steps.front();
    const auto choose = [&](const std::string& variant, const Json& policy) {
        return session_.choose(*step.algorithm, problem, variant, policy, step.pointer);
    };
    in_terms_of(resolved.pipeline, step, [&] {
        const Json chosen = agree_on_choice(ranks, [&] { return choose(step.variant, step.policy); }, choice_);
        all_or_none(ranks, [&] {
            if (ranks.rank() != 0) choice_ = follow(ranks.rank(), step, chosen, choose);
            builder_ = std::make_unique<PlanBuilder>(session_.context(), session_.queue());
            part_ = choice_.variant->part(*builder_, problem, choice_.policy, ranks.rank());
        });
    });
    plan_seconds_ = seconds_since(start);
}

Shared::~Shared() {
    for (host::Queue* queue : {transfers_.get(), &session_.queue()}) {
        try {
            queue->finish();
        } catch (const std::exception&) {   // whoever waited for the command that failed has been told
        }
    }
}

std::size_t Shared::workspace_bytes() const {
    std::size_t bytes = 0;
    for (const std::size_t slot : builder_->slots()) bytes += slot;
    return bytes;
}

void Shared::allocate() {
    const auto start = Clock::now();
    for (const std::size_t bytes : builder_->slots()) workspace_.push_back(session_.context().allocate(bytes));
    plan_seconds_ += seconds_since(start);
    check_limit(resolved_.pipeline.limits, session_.context().allocated());
}

distributed::PartResult Shared::compute(DeviceWork& work) {
    const Step& step = resolved_.pipeline.steps.front();
    allocate();
    work.profiler.add(step.id, StageKind::compile, plan_seconds_);
    work.begin("compute " + step.id);
    Execution execution(session_.queue(), work.profiler, workspace_);
    if (cancelled_) execution.cancel_when(cancelled_);
    distributed::PartRun run{step.id,       session_.context(), execution,      *transfers_,
                             work.profiler, ranks_,             work.slices(0), work.advance};
    distributed::PartResult made = part_->run(run);
    for (const auto& [port, record] : made.records.items()) work.records.emplace(Source{0, port}, record);
    work.begin("computed " + step.id);
    return made;
}

Executed Shared::executed() const {
    CallResult about;
    about.variant = choice_.variant->name;
    about.policy = choice_.policy;
    about.policy_from = choice_.policy_from;
    about.refusals = choice_.refusals;
    about.warnings = resolved_.steps.front().warnings;
    about.built = builder_->built();
    about.plan_seconds = plan_seconds_;
    about.workspace_bytes = workspace_bytes();
    return {{report_of(resolved_.pipeline.steps.front(), about)}, engine_.context().allocated()};
}

}  // namespace parallax::engine
