#include "tune/messages.hpp"

namespace parallax::engine::tune {
namespace {

Json to_json(const TuningProblem& p) {
    return {{"name", p.name}, {"inputs", p.inputs}, {"parameters", p.parameters}, {"outputs", p.outputs}};
}

TuningProblem problem_from(const Json& json) {
    return {json.at("name").get<std::string>(), json.at("inputs"), json.at("parameters"),
            json.at("outputs").get<std::vector<std::string>>()};
}

Json to_json(const compare::Estimate& e) { return {e.median, e.low, e.high}; }
compare::Estimate estimate_from(const Json& json) {
    return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

Outcome outcome_from(const std::string& word) {
    for (const Outcome outcome : {Outcome::timed, Outcome::refused, Outcome::wrong})
        if (to_string(outcome) == word) return outcome;
    return Outcome::failed;
}

}  // namespace

Json to_json(const ProblemSet& set) {
    Json checks = Json::array();
    for (const TuningProblem& check : set.checks) checks.push_back(to_json(check));
    return {{"algorithm", set.algorithm}, {"type", set.work.type}, {"size", set.work.size},
            {"problem", to_json(set.problem)}, {"checks", std::move(checks)}, {"variants", set.variants}};
}

ProblemSet problem_set_from(const Json& json) {
    ProblemSet set{json.at("algorithm").get<std::string>(),
                   {json.at("type").get<std::string>(), json.at("size").get<std::string>()},
                   problem_from(json.at("problem")),
                   {},
                   json.at("variants").get<std::vector<std::string>>()};
    for (const Json& check : json.at("checks")) set.checks.push_back(problem_from(check));
    return set;
}

Json to_json(const Candidate& way) { return {{"variant", way.variant}, {"policy", way.policy}}; }
Candidate candidate_from(const Json& json) { return {json.at("variant").get<std::string>(), json.at("policy")}; }

Json to_json(const Measured& m) { return {{"outcome", to_string(m.outcome)}, {"seconds", m.seconds}, {"reason", m.reason}}; }
Measured measured_from(const Json& json) {
    return {outcome_from(json.at("outcome").get<std::string>()), json.at("seconds").get<double>(),
            json.at("reason").get<std::string>()};
}

Json to_json(const Duel& duel) {
    return {{"gain", to_json(duel.gain)},
            {"wall_gain", to_json(duel.wall_gain)},
            {"first_s", duel.first_s},
            {"second_s", duel.second_s}};
}
Duel duel_from(const Json& json) {
    return {estimate_from(json.at("gain")), estimate_from(json.at("wall_gain")), json.at("first_s").get<double>(),
            json.at("second_s").get<double>()};
}

}  // namespace parallax::engine::tune
