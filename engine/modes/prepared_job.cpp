#include "modes/prepared_job.hpp"

#include "io/transaction.hpp"
#include "parallax/host/error.hpp"

#include <utility>

namespace parallax::engine {

namespace {

using Either = std::variant<Prepared, series::PreparedSeries>;

Either prepare_either(Job job, const Locations& where, const series::SeriesOptions& how) {
    check_names(how.manifest, "--manifest");
    io::look_again();
    if (job.for_each) return series::prepare_series(std::move(job), where, how);
    Prepared prepared = prepare(std::move(job), where, how.overwrite);
    check_places(prepared);
    return prepared;
}

}  // namespace

void refuse_without_series(const Job& job, const AskedOfSeries& asked) {
    if (job.for_each) return;
    const auto refuse = [](const char* option, const char* hint) {
        throw ConfigError(option, option, "a job with for_each", hint);
    };
    if (asked.resume) refuse("--resume", "run it again with --overwrite: a job without for_each is done in one piece");
    if (asked.shard) refuse("--shard", "a job without for_each is done in one piece");
    if (asked.watch) refuse("--watch", "it is for files that come: \"for_each\": {\"frame\": \"folder/*.tif\"}");
    if (asked.trace) refuse("--trace", "--report has the times of one job");
    if (asked.manifest) refuse("--manifest", "a job without for_each is done in one piece, and nothing of it is remembered");
}

PreparedJob::PreparedJob(Job job, const Locations& where, const series::SeriesOptions& how)
    : prepared_(prepare_either(std::move(job), where, how)) {}

const Prepared& PreparedJob::prepared() const noexcept {
    return series() != nullptr ? series()->sample : *std::get_if<Prepared>(&prepared_);
}

std::vector<std::string> PreparedJob::warnings() const {
    std::vector<std::string> all = prepared().warnings();
    if (series() != nullptr) all.insert(all.begin(), series()->items.warnings.begin(), series()->items.warnings.end());
    return all;
}

const Job& PreparedJob::job() const noexcept { return series() != nullptr ? series()->job : prepared().job; }

}  // namespace parallax::engine
