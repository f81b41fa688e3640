// What a user's own job or study computes, at its sizes, as problems to tune with.
#pragma once

#include "study/expand.hpp"
#include "core/session.hpp"
#include "job/paths.hpp"
#include "tune/problems.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace parallax::engine::tune {

struct OwnWork {
    const compare::Study& study;
    const std::vector<compare::Point>& points;   ///< of expand()
    Locations where;                             ///< of inputs that are files
    std::string name;                            ///< "my_job.json", in the names of problems
};

/// A set for each algorithm and class of work among the steps: the problem with the largest input is what is searched with, some
/// of the others are its checks. A step or a case that names variants has those tuned alone.
///
/// Inputs are made or read, and what steps hand on is computed, on `judge`, an engine of the native device, and kept in `folder`,
/// which must outlive the sets. An empty folder: shapes alone, enough to list what would be tuned. Throws what reading and
/// computing throw.
std::vector<ProblemSet> problem_sets_of(const OwnWork&, Engine& judge, const std::filesystem::path& folder,
                                        const std::function<void(const std::string&)>& progress);

}  // namespace parallax::engine::tune
