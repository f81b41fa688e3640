// What the self-test computes: small problems of each algorithm, with every element type, operation and kind of size.
#pragma once

#include "parallax/host/json.hpp"

#include <string>
#include <vector>

namespace parallax::engine::selftest {

/// One computation. `inputs` and `parameters` are written as those of a study.
struct SmallProblem {
    std::string algorithm;
    std::string name;                      ///< "u8, 61 x 83, radius 3": what distinguishes it from the algorithm's others
    Json inputs;                           ///< port -> rule of cases/inputs.hpp; names of no port are for later rules alone
    Json parameters;
    std::vector<std::string> outputs;
};

/// The sections "selftest" of problems/problems.hpp, in the order of the registry. Each algorithm has at least one: a test sees
/// to it. `cover`: each type, operation and size of an algorithm occurs; `product`: each with each.
enum class Extent { cover, product };
const std::vector<SmallProblem>& problems(Extent);

}  // namespace parallax::engine::selftest
