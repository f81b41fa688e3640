// All variants of one algorithm and class of work on one device: the fastest policy of each, and the fastest of them.
#pragma once

#include "tune/trial.hpp"
#include "tune/tune.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::tune {

class Contest {
public:
    Contest(Engine& device, Engine& judge, const ProblemSet&, const TuneOptions&);

    /// What a search came to. `found` is an entry's provenance, without date and device.
    struct Finding {
        Verdict verdict = Verdict::failed;
        std::string reason;
        Json policy = Json::object();       ///< empty: the defaults
        double default_s = 0, tuned_s = 0, gain = 1;
        Json found = Json::object();
    };
    /// From the defaults and from `known` policies. `tried` is told how many candidates there were. Throws DeviceError where the
    /// device is lost; at() then says by what.
    Finding search(const Variant&, const std::vector<Json>& known, const std::function<void(int)>& tried);
    /// The policy that was running last.
    const Json& at() const noexcept { return at_; }

    /// Name of the fastest variant, each with its policy; none where fewer than two run. Where `preferred`, which jobs take otherwise, is
    /// among them it must be beaten as clearly as defaults are.
    std::optional<std::string> fastest(const std::vector<Way>&, const std::string& preferred);

    /// Of the problem that is searched with.
    Trial& trial() { return trial_of(set_.problem); }

private:
    Trial& trial_of(const TuningProblem&);
    /// Empty, or why the second is not to take the place of the first on this problem; `duels` gets the figures.
    std::string objection(const TuningProblem&, const Way& first, const Way& second, bool must_gain, Json& duels, Duel* figures);

    Engine& device_;
    Engine& judge_;
    const ProblemSet& set_;
    const TuneOptions& options_;
    std::map<const TuningProblem*, std::unique_ptr<Trial>> trials_;
    Json at_ = Json::object();
};

}  // namespace parallax::engine::tune
