// One problem on one device: candidates run it, are held against the reference, and only then timed.
#pragma once

#include "timing/bench.hpp"
#include "timing/statistics.hpp"
#include "core/session.hpp"
#include "tune/problems.hpp"
#include "tune/search.hpp"

#include <memory>
#include <optional>
#include <string>

namespace parallax::engine::tune {

/// A variant with a policy.
struct Candidate {
    std::string variant;
    Json policy = Json::object();
};

/// How a second way compares with a first, from runs in turn.
struct Duel {
    compare::Estimate gain;           ///< time of the first / time of the second, with its 95% interval
    compare::Estimate wall_gain;      ///< the same by the host's clock, launches and gaps included
    double first_s = 0, second_s = 0; ///< medians
};

class CandidateRunner {
public:
    /// Makes the inputs on `judge`, an engine of the native device, and puts them on `device`. The set outlives this, as do both
    /// engines.
    CandidateRunner(Engine& device, Engine& judge, const ProblemSet& set, const TuningProblem& problem);
    ~CandidateRunner();

    const TuningProblem& problem() const noexcept { return problem_; }
    WorkClass work() const;
    /// Empty, or why the variant cannot run this problem here at all.
    std::string why_not(const std::string& variant);

    /// Computes what candidates are held against, if it is not there yet.
    void make_reference() { reference(); }
    /// Compiles the programs of several ways side by side, so that measure() finds them. Errors are left to measure().
    void build(const std::vector<Candidate>&, int threads);
    /// Runs, compares the result with the reference, and times it, shortly where it is much slower than `best_s`. Throws
    /// DeviceError only where the device is lost.
    Measured measure(const Candidate&, double best_s);
    /// Runs both in turn, each of several times with other memory for everything. With `least_gain` it goes on, for three times
    /// as long at most, while that lies within the interval below the median. Throws what a run throws; Error where a result is
    /// not the reference's.
    Duel duel(const Candidate& first, const Candidate& second, double budget_s, double least_gain = 0);

    /// Whether times are the driver's, of kernels alone, or the host's.
    bool times_are_of_device() const noexcept { return of_device_.value_or(true); }

private:
    struct Runner;
    struct Reference;
    std::unique_ptr<Runner> start(const Candidate&);
    const Reference& reference();
    void verify(Runner&, const std::string& variant);
    double seconds_of(const compare::Sample&);
    bool is_lost();

    Engine& engine_;
    Engine& judge_;
    const ProblemSet& set_;
    const TuningProblem& problem_;
    const Algorithm& algorithm_;
    compare::HostArrays host_;
    compare::BoundInputs inputs_;
    std::unique_ptr<Reference> reference_;
    compare::HostArrays verified_;    ///< the last arrays that agreed: what has the same bytes agrees too
    std::optional<bool> of_device_;   ///< as the first sample had it
};

}  // namespace parallax::engine::tune
