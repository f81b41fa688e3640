// Runs a prepared job on a device: read, upload once, compute, download what is wanted, write all or nothing.
#pragma once

#include "core/session.hpp"
#include "job/prepare.hpp"

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
    /// What the caller did before, such as opening the device: first among the stages.
    std::vector<Stage> before;
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();   ///< wall time counts from here
};

struct FileReport {
    std::string path;            ///< absolute
    std::uint64_t bytes = 0;
    std::string hash;            ///< xxh3-128
    std::string format;
};
struct InputReport {
    std::string name;
    std::vector<FileReport> files;
    std::string array;           ///< "u8 480 x 640 (y, x)"
};
struct StepReport {
    std::string id, algorithm, variant;
    Policy policy;
    std::vector<Refusal> refusals;
    std::vector<std::string> warnings;
    std::vector<PlanBuilder::Built> kernels;
    double plan_seconds = 0;
    std::size_t workspace_bytes = 0;
};
struct OutputReport {
    std::string name;
    FileReport file;
    std::string array;           ///< empty: a record
};

/// What was done, with all that is needed to do it again.
struct JobResult {
    std::string engine_version;
    std::string finished;        ///< UTC, ISO 8601
    Json job;                    ///< with every default spelled out
    host::DeviceInfo device;
    std::vector<InputReport> inputs;
    std::vector<StepReport> steps;
    std::vector<OutputReport> outputs;
    Json records = Json::object();   ///< that the job wrote, by name
    std::vector<Stage> stages;
    std::string retried;         ///< what failed before the run that is told here; empty: nothing did
    double wall_seconds = 0;
    std::uint64_t peak_device_bytes = 0;
};

/// Chooses the variant of every step and checks that all arrays fit. Throws ConfigError and UnsupportedError.
std::vector<Choice> choose_variants(const Prepared&, Session&);
/// Throws what the steps throw; whatever happens, outputs appear all or not at all. When the context fails, the job is
/// run once more in a fresh one, where the job allows it and the device can be opened anew (Engine::renew()).
JobResult run(const Prepared&, Engine&, const RunOptions& = {});
/// What run() would do, without running: arrays, bytes, variants, kernels. Plans are made, and so kernels compiled.
Json describe_plan(const Prepared&, Engine&);

Json to_json(const JobResult&);
Json to_json(const host::DeviceInfo&);

}  // namespace parallax::engine
