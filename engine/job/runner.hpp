// Runs a prepared job on a device: read, upload once, compute, download what is wanted, write all or nothing.
#pragma once

#include "core/session.hpp"
#include "job/prepare.hpp"
#include "job/report.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace parallax::engine {

struct RunOptions {
    /// Called with the name of the stage that begins and the share of the work that is done, 0 to 1.
    std::function<void(const std::string& stage, double done)> progress;
    /// Asked between stages; true ends the run with an Error, and no output is left.
    std::function<bool()> cancelled;
    Along along;   ///< may be empty
    /// What the caller did before, such as opening the device: first among the stages.
    std::vector<Stage> before;
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();   ///< wall time counts from here
};

/// Throws what the steps throw; whatever happens, outputs appear all or not at all. When the context fails, the job is
/// run once more in a fresh one, where the job allows it and the device can be opened anew (Engine::renew()).
JobResult run(const Prepared&, Engine&, const RunOptions& = {});
/// What run() would do, without running: arrays, bytes, variants, kernels. Plans are made, and so kernels compiled.
Json describe_plan(const Prepared&, Engine&);
/// The same of an item of a series or a frame of a stream, which goes through the device as a whole beside others.
Json describe_item(const Prepared&, Engine&);

}  // namespace parallax::engine
