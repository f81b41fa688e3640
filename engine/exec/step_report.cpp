#include "exec/step_report.hpp"

namespace parallax::engine {

StepReport report_of(const std::string& id, const Algorithm& algorithm, const CallResult& about, std::int64_t tiles) {
    StepReport report;
    report.id = id;
    report.algorithm = algorithm.name;
    report.variant = about.variant;
    report.policy = about.policy;
    report.policy_from = about.policy_from;
    report.refusals = about.refusals;
    report.warnings = about.warnings;
    report.kernels = about.built;
    report.plan_seconds = about.plan_seconds;
    report.workspace_bytes = about.workspace_bytes;
    report.tiles = tiles;
    return report;
}

StepReport report_of(const Step& step, const CallResult& about, std::int64_t tiles) {
    return report_of(step.id, *step.algorithm, about, tiles);
}

Json to_json(const std::vector<Refusal>& refusals) {
    Json list = Json::array();
    for (const Refusal& refusal : refusals) list.push_back({{"variant", refusal.variant}, {"reason", refusal.reason}});
    return list;
}

Json to_json(const std::vector<PlanBuilder::Built>& kernels) {
    Json list = Json::array();
    for (const PlanBuilder::Built& built : kernels) {
        list.push_back({{"file", built.file},
                        {"kernel", built.kernel},
                        {"hash", built.hash},
                        {"local_memory", built.local_memory},
                        {"max_work_group", built.max_work_group},
                        {"origin", built.origin},
                        {"seconds", built.seconds}});
    }
    return list;
}

Json to_json(const StepReport& step) {
    return {{"id", step.id},
            {"run", step.algorithm},
            {"variant", step.variant},
            {"policy", step.policy.to_json()},
            {"policy_from", step.policy_from},
            {"refusals", to_json(step.refusals)},
            {"warnings", step.warnings},
            {"kernels", to_json(step.kernels)},
            {"plan_seconds", step.plan_seconds},
            {"workspace_bytes", step.workspace_bytes},
            {"tiles", step.tiles}};
}

}  // namespace parallax::engine
