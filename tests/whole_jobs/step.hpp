// One step by itself, on arrays in memory: by the engine's choice on a device, and by the reference on the native one.
#pragma once

#include "core/session.hpp"

#include <map>
#include <string>
#include <vector>

namespace parallax::tests::whole_jobs {

struct StepResult {
    std::map<std::string, HostArray> arrays;
    Json records = Json::object();
    std::string variant;
};

struct StepCall {
    const engine::Algorithm* algorithm = nullptr;
    Json parameters = Json::object();
    std::map<std::string, HostArray> inputs;
    std::vector<std::string> outputs;
};

/// Throws what Session::run() throws. An empty variant: the engine's choice.
StepResult compute(engine::Engine&, const StepCall&, const std::string& variant);

struct Opinion {
    std::string why_not;      ///< empty: they agree
    std::string not_judged;   ///< why some of it has no one answer
};

/// Holds what a device made against the reference's, within the tolerance of the self-test. `reference`: of the native device.
Opinion judge(engine::Engine& reference, const StepCall&, StepResult made);

}  // namespace parallax::tests::whole_jobs
