// A trial in a worker process, as the search sees it: a candidate that crashes or hangs its driver is one that failed, and what
// comes after it runs in a new process, which is told the problem anew.
#pragma once

#include "workers/device_worker.hpp"
#include "tune/candidate_runner.hpp"

#include <string>
#include <utility>
#include <vector>

namespace parallax::engine::tune {

/// The process or its device was lost under a candidate.
class CandidateLost : public Error {
public:
    using Error::Error;
};

class RemoteRunner {
public:
    /// `index` 0 is the set's problem, n its check n - 1. The worker and the set outlive this. A request that takes longer than
    /// `limit_s`, beside the time that it is told to take, counts as hung.
    RemoteRunner(compare::DeviceWorker& worker, const ProblemSet& set, std::size_t index, double limit_s);

    /// Of the arrays that were made. Throws Error where they cannot be made.
    WorkClass work();
    /// Empty, or why the variant cannot run this problem there at all.
    std::string why_not(const std::string& variant);
    /// Compiles side by side what measure() would compile alone. What goes wrong is left to measure().
    void build(const std::vector<Candidate>&, int threads);
    /// As CandidateRunner::measure(); a candidate that takes its process down has `failed`, and says how.
    Measured measure(const Candidate&, double best_s);
    /// As CandidateRunner::duel(). Throws CandidateLost, and Error with the worker's words.
    Duel duel(const Candidate& first, const Candidate& second, double budget_s, double least_gain = 0);

    bool times_are_of_device() const noexcept { return of_device_; }
    /// Processes that candidates have taken down.
    int losses() const noexcept { return losses_; }
    /// Seconds that went into these and into references, which is no time of a search.
    double aside_s() const noexcept { return aside_s_; }
    /// What measure() has lost since it was last asked: "{policy}, hung: ...".
    std::vector<std::string> take_lost() { return std::exchange(lost_, {}); }

private:
    void require_problem();
    void require_reference();
    Json ask(Json request, double limit_s);
    /// The same, for what a candidate does.
    Json try_out(Json request, double limit_s);

    compare::DeviceWorker& worker_;
    const ProblemSet& set_;
    std::size_t index_;
    double limit_s_;
    int problem_in_ = 0, reference_in_ = 0;   ///< the process that has them
    WorkClass work_;
    bool of_device_ = true;
    int losses_ = 0;
    double aside_s_ = 0;
    std::vector<std::string> lost_;
};

}  // namespace parallax::engine::tune
