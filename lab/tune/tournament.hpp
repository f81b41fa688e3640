// All variants of one algorithm and class of work on one device: the fastest policy of each, and the fastest of them.
#pragma once

#include "tune/remote_runner.hpp"
#include "tune/tune.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::tune {

class Tournament {
public:
    /// All of these outlive it.
    Tournament(compare::DeviceWorker&, const ProblemSet&, const TuneOptions&);

    /// What a search came to. `found` is an entry's provenance, without date and device.
    struct Finding {
        Verdict verdict = Verdict::failed;
        std::string reason;
        Json policy = Json::object();       ///< empty: the defaults
        double default_s = 0, tuned_s = 0, gain = 1;
        Json found = Json::object();
        std::vector<std::string> lost;      ///< candidates that took their process down, and how
    };
    /// From the defaults and from `known` policies. `tried` is told how many candidates there were. Candidates that take their
    /// process down have failed; after three of them the search ends with what it has. Throws CancelledError where the worker was
    /// ended on request.
    Finding search(const Variant&, const std::vector<Json>& known, const std::function<void(int)>& tried);

    /// Name of the fastest variant, each with its policy; none where fewer than two run. Where `preferred`, which jobs take
    /// otherwise, is among them it must be beaten as clearly as defaults are.
    std::optional<std::string> fastest(const std::vector<Candidate>&, const std::string& preferred);

    /// Of the problem that is searched with.
    RemoteRunner& trial() { return runner_of(0); }

private:
    RemoteRunner& runner_of(std::size_t problem);
    /// Empty, or why the second is not to take the place of the first on this problem (0: the set's, n: check n - 1); `duels`
    /// gets the figures.
    std::string objection(std::size_t problem, const Candidate& first, const Candidate& second, bool must_gain, Json& duels,
                          Duel* figures);

    compare::DeviceWorker& worker_;
    const ProblemSet& set_;
    const TuneOptions& options_;
    std::map<std::size_t, RemoteRunner> trials_;
};

}  // namespace parallax::engine::tune
