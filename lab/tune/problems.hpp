// What is computed while policies are searched: for each algorithm, element type and size a problem to be fast at, and others of
// the same class that a policy must not slow down.
#pragma once

#include "core/algorithm.hpp"
#include "core/tuning.hpp"

#include <string>
#include <vector>

namespace parallax::engine::tune {

/// One computation. `inputs` are written as those of a study, `parameters` as those of a job's step.
struct TuningProblem {
    std::string name;                        ///< "2048 x 2048, radius 2"
    Json inputs = Json::object();   ///< port -> rule of cases/inputs.hpp, or {"saved": folder, "name": NAME} of cases/saved.hpp
    Json parameters = Json::object();
    std::vector<std::string> outputs;        ///< empty: the required ones
};

/// All of one algorithm and class of work.
struct ProblemSet {
    std::string algorithm;
    WorkClass work;
    TuningProblem problem;                   ///< what is searched with
    std::vector<TuningProblem> checks;       ///< smaller, larger, with other parameters: a policy that is slower there is none
    std::vector<std::string> variants;       ///< only these, which another set does not suit; empty: all the others
};

/// The sections "tuning" of problems/problems.hpp, in the order of the registry. Two sets of an algorithm and class differ in
/// their variants.
const std::vector<ProblemSet>& problem_sets();

/// "small", "medium", "large": the sizes of WorkClass.
const std::vector<std::string>& size_classes();

}  // namespace parallax::engine::tune
