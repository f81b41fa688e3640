// What an algorithm is tried with: engine/algorithms/<name>/problems.json. The self-test, the tuner, the simulator
// (tools/simulate.py), the tests of tiles and those of sizes read it there; docs/adding-an-algorithm.md says what its keys mean.
#pragma once

#include "agreement/agreement.hpp"
#include "parallax/host/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::engine::problems {

/// Those that have such a file, in the order of their names, which is the registry's.
const std::vector<std::string>& algorithms();
/// The rows of a section ("selftest", "tuning", "tiles", "simulate"); an empty array where the file has none.
const Json& rows(const std::string& algorithm, const char* section);
/// What a test of sizes must know ("sizes"); an empty object where there is nothing.
const Json& sizes(const std::string& algorithm);

/// An input's rule as studies write it (cases/inputs.hpp), of a rule for any element type and shape: what it leaves out is put
/// in, and of a range for each kind of number the one for this type is taken. "random" and "blocks" alone stand for the usual
/// ranges.
Json input_rule(const Json& written, const std::string& type, const std::vector<std::int64_t>& shape);

/// How far a result may be from the reference: of the largest magnitude for reals, in levels for integers. Nothing written:
/// exact. A variant that computes with fewer bits by design (diffusion_lb "half") may have a tolerance of its own.
compare::Tolerance tolerance_of(const std::string& algorithm, const std::string& variant);

}  // namespace parallax::engine::problems
