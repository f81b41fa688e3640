#include "modes/prepared_job.hpp"

#include "parallax/host/error.hpp"

#include <utility>

namespace parallax::engine {

namespace {

using Either = std::variant<Prepared, series::PreparedSeries>;

Either prepare_either(Job job, const Locations& where, const series::SeriesOptions& how) {
    if (job.for_each) return series::prepare_series(std::move(job), where, how);
    if (how.resume)
        throw ConfigError("--resume", "--resume", "a job with for_each", "run it again with --overwrite: a job without for_each is done in one piece");
    if (how.shard.count > 1) throw ConfigError("--shard", "--shard", "a job with for_each", "a job without for_each is done in one piece");
    return prepare(std::move(job), where, how.overwrite);
}

}  // namespace

PreparedJob::PreparedJob(Job job, const Locations& where, const series::SeriesOptions& how) : prepared_(prepare_either(std::move(job), where, how)) {}

const Prepared& PreparedJob::prepared() const noexcept { return series() != nullptr ? series()->sample : *std::get_if<Prepared>(&prepared_); }

const Job& PreparedJob::job() const noexcept { return series() != nullptr ? series()->job : prepared().job; }

}  // namespace parallax::engine
