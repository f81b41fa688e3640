// The JSON Schema of whole jobs, and a job to start from: both made from the algorithms' tables.
#pragma once

#include "core/algorithm.hpp"

#include <vector>

namespace parallax::engine {

/// JSON Schema 2020-12. configs/schema/job.schema.json is its text.
Json job_schema(const std::vector<Algorithm>&);
/// A job that runs `algorithm` with every parameter at its default, with a "//parameter" line on each.
Json starting_job(const Algorithm&);

}  // namespace parallax::engine
