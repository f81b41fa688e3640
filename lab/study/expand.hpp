// Study -> points and ways: each case at each combination of its grid, each way of computing it, as a job.
#pragma once

#include "study/study.hpp"

#include <string>
#include <vector>

namespace parallax::engine::compare {

/// A case with every "$axis" filled in.
struct Point {
    std::size_t case_index = 0;
    std::string id;                        ///< "D2Q9/size=256"
    Json grid = Json::object();            ///< axis -> value, or its label
    Json variables = Json::object();       ///< every other name that the grid's values bind
    Json inputs = Json::object();          ///< how each is made
    Json steps = Json::array();
    Json settings = Json::object();        ///< of its job: keys_of_cases
    std::vector<std::string> outputs;
    Work work;
    std::vector<Way> ways;
};

/// Throws ConfigError, its pointer in the study, for whatever would be found wrong with any job of the study, devices aside.
std::vector<Point> expand(const Study&, const std::vector<Algorithm>&);

/// The job of a point: its inputs are names whose arrays the caller has, its outputs names of what is wanted. No file is named.
Json job_of(const Point&, const Way&, const std::vector<Algorithm>&);
/// What such a job computes. Throws ConfigError.
Pipeline pipeline_of(const Json& job, const std::vector<Algorithm>&);
/// The way of the oracle: the case's reference variant for the last step, nothing set.
Way reference_way(const Case&);
/// Whether a way can be tried on a backend at all (it may still refuse a problem).
bool runs_on(const Point&, const Way&, host::Backend, const std::vector<Algorithm>&);

}  // namespace parallax::engine::compare
