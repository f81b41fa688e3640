// A job: inputs, steps, outputs; as JSON (docs/jobs.md) or built in code.
#pragma once

#include "parallax/engine.hpp"
#include "parallax/event.hpp"
#include "parallax/export.hpp"
#include "parallax/held.hpp"

#include <functional>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

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
    const Impl& impl() const { return *impl_; }

private:
    detail::Held<std::unique_ptr<Impl>> impl_;
};

/// Where a job's files are, and how the caller follows it.
struct JobOptions {
    std::string folder = ".";                          ///< what relative inputs are relative to
    std::map<std::string, std::string> roots = {};     ///< "NAME:path" in a job
    std::string out = ".";                             ///< what outputs are below
    bool overwrite = false;
    /// Inputs below `folder` and the roots alone, links followed: for jobs of strangers.
    bool confined = false;
    /// Outputs are on the disk, and so are their folders, before they are told as done. false: they outlast the end of the
    /// process, and perhaps no power cut.
    bool sync = true;
    /// The stage that begins ("12 of 300" in a series), and the share that is done, 0 to 1. Called by one thread at a time; must
    /// not throw.
    std::function<void(const std::string& stage, double done)> progress = {};
    /// A single job throws CancelledError. A series finishes the items in flight and returns its report, in which "stopped" is
    /// true: `resume` does the rest.
    CancelToken cancel = CancelToken::none();

    // Of a series, a job with for_each (docs/series.md).
    std::string manifest = {};                         ///< folder that remembers what is done; empty: "job.series" below `out`
    bool resume = false;                               ///< goes on with what the manifest has
    std::size_t shard = 1, shards = 1;                 ///< the items of one of several processes that share a manifest
    int readers = 0, writers = 0;                      ///< threads; 0: by the processor
    int in_flight = 3;                                 ///< items on a device at once, fewer where its memory is short
    std::string trace = {};                            ///< a file for who did what when, for ui.perfetto.dev

    /// Processes that mpirun or srun started do the job together (parallax::run() only): each calls with the same job, and the
    /// first has the report, the others an empty one. MPI is begun and ended here unless the process has begun it. What is wrong
    /// before the work begins is thrown in every process; should one fail later, MPI ends them all, since the others would wait
    /// for ever.
    bool ranks = false;
};

/// Runs a job as `parallax run` does, on the devices that it asks for (all of "use"), which are opened for it; `device` of the
/// engine's options replaces what the job says. What is returned and thrown is that of Engine::run().
///
/// Example: every hologram of a folder, on all GPUs
///   parallax::run(Job::load("series.json"), {.folder = "run7", .out = "results"}, {.device = "all"});
PARALLAX_API std::string run(const Job&, const JobOptions&, const EngineOptions&);
PARALLAX_API std::string run(const Job&, const JobOptions& = {});
/// The same on engines that are there: several share the items of a series, or the parts of one problem.
PARALLAX_API std::string run(const Job&, const std::vector<Engine>&, const JobOptions& = {});

}  // namespace parallax
