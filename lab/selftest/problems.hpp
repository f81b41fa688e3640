// What the self-test computes: small problems of each algorithm, with every element type, operation and kind of size, and how closely
// every variant must meet the reference.
#pragma once

#include "agreement/agreement.hpp"
#include "parallax/host/json.hpp"

#include <string>
#include <vector>

namespace parallax::engine::selftest {

/// One computation. `inputs` and `parameters` are written as those of a study.
struct SmallProblem {
    std::string algorithm;
    std::string name;                      ///< "u8, 61 x 83, radius 3": what distinguishes it from the algorithm's others
    Json inputs;                           ///< port -> rule of compare/inputs.hpp; names of no port are for later rules alone
    Json parameters;
    std::vector<std::string> outputs;
};

/// In the order of the registry. Each algorithm has at least one: a test sees to it. `cover`: each type, operation and size of an
/// algorithm occurs; `product`: each with each.
enum class Extent { cover, product };
const std::vector<SmallProblem>& problems(Extent);

/// How far a result may be from the reference: of the largest magnitude for reals, in levels for integers.
/// What computes with fewer bits than the others by design (diffusion_lb "half") has a row of its own.
compare::Tolerance tolerance_of(const std::string& algorithm, const std::string& variant);

}  // namespace parallax::engine::selftest
