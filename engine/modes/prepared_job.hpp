// A job in the mode that it asks for: alone, item by item (for_each), or shared by several devices or processes. Who has a job
// need not know which.
//
//   const PreparedJob job(parse_job(json, registry.algorithms()), where, {.overwrite = true});
//   const auto engines = open_devices(job.job(), registry, cache);
//   const JobOutcome done = run(job, engines, {});
#pragma once

#include "job/prepare.hpp"
#include "series/series.hpp"

#include <string>
#include <variant>
#include <vector>

namespace parallax::engine {

/// What only a series has.
struct AskedOfSeries {
    bool resume = false, shard = false, watch = false, trace = false, manifest = false;
};

/// Throws ConfigError where some of it is asked of another job.
void refuse_without_series(const Job&, const AskedOfSeries&);

class PreparedJob {
public:
    /// Throws what prepare() and series::prepare_series() throw.
    PreparedJob(Job, const Locations&, const series::SeriesOptions&);

    /// Null: it is done in one piece.
    const series::PreparedSeries* series() const noexcept { return std::get_if<series::PreparedSeries>(&prepared_); }
    /// In one piece; of a series its first item.
    const Prepared& prepared() const noexcept;
    const Job& job() const noexcept;
    std::vector<std::string> warnings() const;

private:
    std::variant<Prepared, series::PreparedSeries> prepared_;
};

}  // namespace parallax::engine
