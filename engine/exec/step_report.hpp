// What was done for a step, with all that is needed to do it again. The one place where such a report is made.
#pragma once

#include "core/session.hpp"
#include "pipeline/pipeline.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::engine {

struct StepReport {
    std::string id, algorithm, variant;
    Policy policy;
    std::string policy_from;     ///< "job", "default", or where it was tuned
    std::vector<Refusal> refusals;
    std::vector<std::string> warnings;
    std::vector<PlanBuilder::Built> kernels;
    double plan_seconds = 0;
    std::size_t workspace_bytes = 0;
    std::int64_t tiles = 1;      ///< that the step was cut into
};

/// `about` without outputs and records.
StepReport report_of(const std::string& id, const Algorithm&, const CallResult& about, std::int64_t tiles = 1);
StepReport report_of(const Step&, const CallResult& about, std::int64_t tiles = 1);
Json to_json(const StepReport&);
Json to_json(const std::vector<Refusal>&);
Json to_json(const std::vector<PlanBuilder::Built>&);

}  // namespace parallax::engine
