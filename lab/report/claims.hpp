// What the paper says that a study repeats, held against what was measured here: a sentence each.
#pragma once

#include <string>
#include <vector>

#include "parallax/host/json.hpp"

namespace parallax::engine::compare {

/// "Zhou, Yan and Huang 2014: ... Here: 863 times as fast [860 to 866] (...): more than that." Of a claim about times the last
/// point of each case counts at which both sides were timed; of one about values every row.
std::vector<std::string> claims_in_words(const Json& report);

}   // namespace parallax::engine::compare
