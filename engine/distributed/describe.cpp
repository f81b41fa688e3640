// What ranks would do: who takes what, in how much memory.
#include "distributed/agree.hpp"
#include "distributed/run.hpp"
#include "distributed/threads.hpp"
#include "exec/shared.hpp"
#include "job/describe.hpp"

#include <algorithm>

namespace parallax::engine::distributed {

std::optional<Json> describe_rank(const Prepared& prepared, Engine& engine, Communicator& ranks) {
    check_divisible(prepared.job, ranks.size());
    agree(prepared, ranks);
    const Shared shared(engine, prepared.resolved, ranks);
    const std::uint64_t workspace = shared.workspace_bytes(), state = shared.builder().state_bytes();
    const Json mine{{"rank", ranks.rank()}, {"device", to_json(engine.device())}, {"share", shared.share()},
                    {"workspace_bytes", workspace}, {"state_bytes", state}, {"upper_bound_bytes", workspace + state}};
    const std::vector<std::string> texts = gather(ranks, mine.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (ranks.rank() != 0) return std::nullopt;
    Json all = Json::array();
    std::uint64_t most = 0;
    for (const std::string& text : texts) {
        all.push_back(Json::parse(text));
        most = std::max(most, all.back()["upper_bound_bytes"].get<std::uint64_t>());
    }
    return Json{
        {"device", to_json(engine.device())},
        {"arrays", describe_arrays(prepared)},
        {"steps",
         Json::array({describe_step(prepared.job.steps.front(), prepared.resolved.steps.front(), shared.choice(),
                                    shared.builder())})},
        {"ranks", std::move(all)},
        {"spills", false},
        {"upper_bound_bytes", most}};
}

Json describe_on_devices(const Prepared& prepared, const std::vector<Engine*>& engines) {
    std::optional<Json> plan;
    run_in_threads(static_cast<int>(engines.size()), [&](Communicator& ranks) {
        std::optional<Json> mine = describe_rank(prepared, *engines[static_cast<std::size_t>(ranks.rank())], ranks);
        if (mine) plan = std::move(mine);
    });
    return std::move(*plan);
}

}  // namespace parallax::engine::distributed
