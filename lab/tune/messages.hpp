// What a search and its worker process tell each other, as JSON.
#pragma once

#include "tune/problems.hpp"
#include "tune/candidate_runner.hpp"

namespace parallax::engine::tune {

Json to_json(const ProblemSet&);
ProblemSet problem_set_from(const Json&);

Json to_json(const Candidate&);
Candidate candidate_from(const Json&);

Json to_json(const Measured&);
Measured measured_from(const Json&);

Json to_json(const Duel&);
Duel duel_from(const Json&);

}  // namespace parallax::engine::tune
