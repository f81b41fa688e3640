#include "modes/run.hpp"

#include "job/runner.hpp"
#include "parallax/host/enumerate.hpp"

#include <fmt/format.h>


namespace parallax::engine {

namespace {

series::RunSeriesOptions of_series(const RunJobOptions& options) {
    series::RunSeriesOptions how = options.series;
    how.cancelled = options.cancelled;
    how.along = options.along;
    if (!how.progress && options.progress) {
        how.progress = [tell = options.progress](const series::Progress& items) {
            const std::size_t over = items.finished + items.failed;
            tell(fmt::format("{} of {}", over, items.total),
                 items.total > 0 ? static_cast<double>(over) / static_cast<double>(items.total) : 1.0);
        };
    }
    return how;
}

}  // namespace

std::vector<std::unique_ptr<Engine>> open_devices(const Job& job, const Registry& registry,
                                                  std::shared_ptr<host::ProgramCache> cache, const MemoryLimits& limits) {
    const auto devices = job.device.select_all(host::enumerate(job.device));
    if (devices.size() > 1 && !job.for_each) distributed::check_divisible(job, static_cast<int>(devices.size()));
    std::vector<std::unique_ptr<Engine>> engines;
    for (const auto& device : devices)
        engines.push_back(std::make_unique<Engine>(*device, registry, host::ContextOptions{cache}, limits));
    return engines;
}

std::vector<Engine*> pointers(const std::vector<std::unique_ptr<Engine>>& engines) {
    std::vector<Engine*> all;
    for (const auto& engine : engines) all.push_back(engine.get());
    return all;
}

JobOutcome run(const PreparedJob& job, const std::vector<Engine*>& engines, const RunJobOptions& options) {
    JobOutcome outcome;
    if (job.series() != nullptr) {
        outcome.series = series::run(*job.series(), engines, of_series(options));
        return outcome;
    }
    if (engines.size() == 1) outcome.job = run(job.prepared(), *engines.front(), options);
    else outcome.job = distributed::run_on_devices(job.prepared(), engines, options);
    return outcome;
}

Json describe_plan(const PreparedJob& job, const std::vector<Engine*>& engines, const RunJobOptions& options) {
    if (job.series() != nullptr) return series::describe_series(*job.series(), engines, of_series(options));
    return engines.size() > 1 ? distributed::describe_on_devices(job.prepared(), engines)
                              : describe_plan(job.prepared(), *engines.front());
}

}  // namespace parallax::engine
