// What the self-test computes: a small problem or two for each algorithm, and how closely every variant must meet the reference.
#pragma once

#include "compare/agreement.hpp"
#include "parallax/host/json.hpp"

#include <string>
#include <vector>

namespace parallax::engine::selftest {

/// One computation. `inputs` and `parameters` are written as those of a study.
struct SmallProblem {
    std::string algorithm;
    std::string name;                      ///< "c2c 32 x 64": what distinguishes it from the algorithm's others
    Json inputs;                           ///< port -> rule of compare/inputs.hpp
    Json parameters;
    std::vector<std::string> outputs;
    std::vector<std::string> variants = {};   ///< only these, which another problem does not suit; empty: all
};

/// In the order of the registry. Each algorithm has at least one: a test sees to it.
const std::vector<SmallProblem>& problems();

/// How far a result may be from the reference: of the largest magnitude for reals, in levels for integers.
/// What computes with fewer bits than the others by design (diffusion_lb "half") has a row of its own.
compare::Tolerance tolerance_of(const std::string& algorithm, const std::string& variant);

}  // namespace parallax::engine::selftest
