// A job: inputs, steps, outputs; as JSON (docs/jobs.md) or built in code.
#pragma once

#include "parallax/event.hpp"
#include "parallax/export.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace parallax {

/// Names of a step's own, where they are not those of its algorithm's inputs and outputs.
struct StepOptions {
    std::string id = {};                            ///< empty: the algorithm's name
    std::map<std::string, std::string> in = {};     ///< input of the algorithm -> name of an array
    std::map<std::string, std::string> out = {};    ///< output of the algorithm -> name of an array
    std::string variant = {};
};

/// Example:
///   Job job;
///   job.input("hologram", "frame.tif")
///      .step(HologramParameters{.distance_um = 1000})
///      .output("amplitude", "amplitude.png");
///   engine.run(job);
class PARALLAX_API Job {
public:
    Job();
    ~Job();
    Job(const Job&);
    Job& operator=(const Job&);
    Job(Job&&) noexcept;
    Job& operator=(Job&&) noexcept;

    /// Strict JSON: no key twice, at most 64 levels. Throws ConfigError with line and column. Names, units and values are
    /// looked at when the job is run.
    static Job parse(const std::string& json);
    static Job load(const std::string& file);

    Job& input(const std::string& name, const std::string& file);
    /// `parameters` is the JSON of a step's parameters: {"distance_um": 1000}.
    Job& step(const std::string& algorithm, const std::string& parameters = "{}", const StepOptions& = {});
    /// A struct of parallax/algorithms.hpp.
    template <class P>
        requires requires { P::algorithm; }
    Job& step(const P& parameters, const StepOptions& options = {}) {
        return step(P::algorithm, parameters.json(), options);
    }
    Job& output(const std::string& name, const std::string& file);
    /// An array or a record that Session::run hands over in memory.
    Job& output(const std::string& name);
    /// "recon.distance_um=900", as the command line's --set. Throws ConfigError for a step or a key that does not exist.
    Job& set(const std::string& setting);

    std::string json() const;

    struct Impl;
    const Impl& impl() const noexcept { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

/// Where a job's files are, and how the caller follows it.
struct JobOptions {
    std::string folder = ".";                          ///< what relative inputs are relative to
    std::map<std::string, std::string> roots = {};     ///< "NAME:path" in a job
    std::string out = ".";                             ///< what outputs are below
    bool overwrite = false;
    /// The stage that begins, and the share that is done, 0 to 1. Called by the thread that runs the job; must not throw.
    std::function<void(const std::string& stage, double done)> progress = {};
    CancelToken cancel = {};
};

}  // namespace parallax
