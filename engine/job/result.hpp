// What is told of a job that has been done, in the one place that puts it together.
#pragma once

#include "exec/execute.hpp"
#include "job/runner.hpp"
#include "job/work.hpp"

namespace parallax::engine {

/// Of work that has been computed and written.
JobResult result_of(Work&, const Engine&, Executed, const RunOptions&);

}  // namespace parallax::engine
