#include "distributed/place.hpp"

#include "exec/memory_plan.hpp"

#include <chrono>
#include <functional>

namespace parallax::engine::distributed {
namespace {

/// Rank 0's choice in words, everywhere.
Json agree_on_choice(Communicator& ranks, const std::function<Choice()>& choose, Choice& mine) {
    if (ranks.rank() != 0) return Json::parse(broadcast(ranks, {}));
    mine = choose();
    Json chosen{{"variant", mine.variant->name}, {"policy", mine.policy.to_json()}};
    broadcast(ranks, chosen.dump());
    return chosen;
}

}  // namespace

Place::Place(Engine& engine, const Prepared& prepared, Communicator& ranks)
    : session(engine), transfers(session.context().create_queue()) {
    for (host::Queue* queue : {&session.queue(), transfers.get()})
        queue->set_limit(std::chrono::duration<double>(prepared.resolved.pipeline.step_timeout_s));
    const auto start = std::chrono::steady_clock::now();
    Problem problem = prepared.resolved.steps.front().problem;
    problem.ranks = ranks.size();
    const Step& step = prepared.resolved.pipeline.steps.front();
    const auto choose = [&](const std::string& variant, const Json& policy) {
        return session.choose(*step.algorithm, problem, variant, policy, step.pointer);
    };
    in_terms_of(prepared.resolved.pipeline, step, [&] {
        const Json chosen = agree_on_choice(ranks, [&] { return choose(step.variant, step.policy); }, choice);
        all_or_none(ranks, [&] {
            if (ranks.rank() != 0) choice = choose(chosen["variant"].get<std::string>(), chosen["policy"]);
            builder = std::make_unique<PlanBuilder>(session.context(), session.queue());
            part = choice.variant->part(*builder, problem, choice.policy, ranks.rank());
        });
    });
    plan_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Place::~Place() {
    for (host::Queue* queue : {transfers.get(), &session.queue()}) {
        try {
            queue->finish();
        } catch (const std::exception&) {   // whoever waited for the command that failed has been told
        }
    }
}

std::size_t Place::workspace_bytes() const {
    std::size_t bytes = 0;
    for (const std::size_t slot : builder->slots()) bytes += slot;
    return bytes;
}

void Place::allocate() {
    const auto start = std::chrono::steady_clock::now();
    for (const std::size_t bytes : builder->slots()) workspace.push_back(session.context().allocate(bytes));
    plan_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace parallax::engine::distributed
