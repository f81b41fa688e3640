#include "tune/remote_runner.hpp"

#include "core/clock.hpp"
#include "tune/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace parallax::engine::tune {
namespace {

/// Inputs and references are made on the host, which may be slow at it but does not hang.
constexpr double patience_s = 900;
/// Rounds of a duel that is undecided (trial.cpp) take up to this many budgets.
constexpr double longest_duel = 3;

bool is_refusal(const std::string& kind) { return kind == "unsupported" || kind == "config"; }

}  // namespace

RemoteRunner::RemoteRunner(compare::DeviceWorker& worker, const ProblemSet& set, std::size_t index, double limit_s)
    : worker_(worker), set_(set), index_(index), limit_s_(limit_s) {}

Json RemoteRunner::ask(Json request, double limit_s) {
    request["problem"] = index_;
    Json answer = worker_.ask(request, limit_s);
    if (!answer.contains("error")) return answer;
    const std::string kind = answer["error"].value("kind", std::string()),
                      message = answer["error"].value("message", std::string());
    if (kind == "device") throw CandidateLost("the device was lost: " + message);
    if (is_refusal(kind)) throw UnsupportedError(message, {});
    throw Error(message);
}

void RemoteRunner::require_problem() {
    if (worker_.is_open() && problem_in_ == worker_.starts()) return;
    const Json made = ask({{"do", "problem"}, {"set", to_json(set_)}}, std::max(patience_s, limit_s_));
    work_ = {made.at("type").get<std::string>(), made.at("size").get<std::string>()};
    problem_in_ = worker_.starts();
}

void RemoteRunner::require_reference() {
    const auto start = std::chrono::steady_clock::now();
    try {
        require_problem();
        if (reference_in_ == problem_in_) return;
        ask({{"do", "reference"}}, std::max(patience_s, limit_s_));
    } catch (...) {
        aside_s_ += seconds_since(start);
        throw;
    }
    reference_in_ = problem_in_;
    aside_s_ += seconds_since(start);
}

Json RemoteRunner::try_out(Json request, double limit_s) {
    const auto start = std::chrono::steady_clock::now();
    const auto lose = [&](const std::string& how) -> CandidateLost {
        ++losses_;
        aside_s_ += seconds_since(start);
        return CandidateLost(how);
    };
    try {
        return ask(std::move(request), limit_s);
    } catch (const compare::WorkerLost& lost) {
        throw lose(fmt::format("{}: {}", lost.outcome, lost.what()));
    } catch (const CandidateLost& lost) {
        throw lose(lost.what());
    }
}

WorkClass RemoteRunner::work() {
    require_problem();
    return work_;
}

std::string RemoteRunner::why_not(const std::string& variant) {
    require_problem();
    return ask({{"do", "why_not"}, {"variant", variant}}, limit_s_).at("reason").get<std::string>();
}

void RemoteRunner::build(const std::vector<Candidate>& ways, int threads) {
    if (threads < 2 || ways.size() < 2) return;
    Json list = Json::array();
    for (const Candidate& way : ways) list.push_back(tune::to_json(way));
    require_reference();
    try {
        try_out({{"do", "build"}, {"ways", std::move(list)}, {"threads", threads}}, limit_s_);
    } catch (const CandidateLost&) {
        --losses_;   // nobody knows of which candidate: measure() meets it again, alone
    }
}

Measured RemoteRunner::measure(const Candidate& way, double best_s) {
    Json request{{"do", "measure"}, {"way", tune::to_json(way)}};
    if (std::isfinite(best_s)) request["best_s"] = best_s;
    require_reference();
    try {
        const Json answer = try_out(std::move(request), limit_s_);
        of_device_ = answer.at("clock") == "device";
        return measured_from(answer);
    } catch (const CandidateLost& lost) {
        lost_.push_back(fmt::format("{}, {}", way.policy.dump(), lost.what()));
        return {Outcome::failed, 0, lost_.back()};
    } catch (const UnsupportedError&) {
        throw;
    } catch (const CancelledError&) {
        throw;
    } catch (const Error& error) {
        return {Outcome::failed, 0, error.what()};
    }
}

Duel RemoteRunner::duel(const Candidate& first, const Candidate& second, double budget_s, double least_gain) {
    require_reference();
    return duel_from(try_out({{"do", "duel"},
                              {"first", tune::to_json(first)},
                              {"second", tune::to_json(second)},
                              {"budget_s", budget_s},
                              {"least_gain", least_gain}},
                             limit_s_ + longest_duel * budget_s));
}

}  // namespace parallax::engine::tune
