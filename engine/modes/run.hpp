// Runs a job in its mode: the one place that chooses.
#pragma once

#include "distributed/run.hpp"
#include "modes/prepared_job.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine {

/// The devices that a job asks for, each with an engine. Throws UnsupportedError where none of them fits, or where so many cannot
/// share the job.
std::vector<std::unique_ptr<Engine>> open_devices(const Job&, const Registry&, std::shared_ptr<host::ProgramCache>,
                                                  const MemoryLimits& = {});

struct RunJobOptions : RunOptions {
    /// For a series; without a progress of its own the one above hears of items as stages. `cancelled` and `along` are those above.
    series::RunSeriesOptions series = {};
};

/// What was done; one of the two.
struct JobOutcome {
    std::optional<JobResult> job;
    std::optional<series::SeriesResult> series;

    /// Everything is done that was asked for: of a series every item that this process has, and all that could come.
    bool is_whole() const noexcept { return !series || (series->failed.empty() && !series->stopped && series->gone.empty()); }
};

/// On all of these: the items of a series, or the parts of one problem, go to several; else there is one. Throws what run() and
/// series::run() throw.
JobOutcome run(const PreparedJob&, const std::vector<Engine*>&, const RunJobOptions&);
/// What run() would do.
Json describe_plan(const PreparedJob&, const std::vector<Engine*>&, const RunJobOptions& = {});

std::vector<Engine*> pointers(const std::vector<std::unique_ptr<Engine>>&);

}  // namespace parallax::engine
