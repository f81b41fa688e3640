#include "tune/tournament.hpp"

#include "parallax/host/error.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

namespace parallax::engine::tune {
namespace {

/// Candidates that are compared with the defaults, fastest first, until one passes.
constexpr std::size_t finalists = 3;
/// What a policy may lose on the other problems of its class, and by the host's clock.
constexpr double tolerated_loss = 0.98;
/// Differences that clocks cannot tell: the driver's, of kernels, and the host's.
constexpr double least_device_s = 0.5e-6, least_wall_s = 2e-6;
/// Reasons of refusals that an entry lists.
constexpr std::size_t most_reasons = 4;
/// Processes that candidates of one search may take down.
constexpr int most_losses = 3;

double rounded(double value) { return host::leading_number(fmt::format("{:.4g}", value)).value_or(host::LeadingNumber{value, 0}).number; }
Json rounded(const compare::Estimate& e) { return {rounded(e.low), rounded(e.high)}; }

Json reasons_of(const Found& found) {
    std::set<std::string> distinct;
    for (const Tried& candidate : found.tried) {
        if (candidate.measured.outcome != Outcome::timed && distinct.size() < most_reasons)
            distinct.insert(fmt::format("{}: {}", to_string(candidate.measured.outcome), candidate.measured.reason));
    }
    return distinct;
}

}  // namespace

Tournament::Tournament(compare::DeviceWorker& worker, const ProblemSet& set, const TuneOptions& options)
    : worker_(worker), set_(set), options_(options) {}

RemoteRunner& Tournament::runner_of(std::size_t problem) {
    RemoteRunner& trial = trials_.try_emplace(problem, worker_, set_, problem, options_.limit_s).first->second;
    if (const WorkClass is = trial.work(); !(is == set_.work))
        throw Error(fmt::format("the problem \"{}\" of {} is {} {}, not {} {}: this is a fault of lab/tune",
                                problem == 0 ? set_.problem.name : set_.checks[problem - 1].name, set_.algorithm, is.type,
                                is.size, set_.work.type, set_.work.size));
    return trial;
}

std::string Tournament::objection(std::size_t problem, const Candidate& first, const Candidate& second, bool must_gain,
                                  Json& duels, Duel* figures) {
    const std::string& name = problem == 0 ? set_.problem.name : set_.checks[problem - 1].name;
    RemoteRunner& trial = runner_of(problem);
    if (!must_gain && (!trial.why_not(first.variant).empty() || !trial.why_not(second.variant).empty()))
        return {};   // jobs would not take it there
    Duel duel;
    try {
        duel = trial.duel(first, second, std::max(options_.budget.seconds / 5, 0.2), must_gain ? least_gain : 0);
    } catch (const UnsupportedError& error) {   // a job falls back on the defaults
        return must_gain ? error.what() : "";
    } catch (const CancelledError&) {
        throw;
    } catch (const Error& error) {
        return fmt::format("{}: {}", name, error.what());
    }
    if (figures != nullptr) *figures = duel;
    duels.push_back({{"problem", name},
                     {"gain", rounded(duel.gain.median)},
                     {"interval", rounded(duel.gain)},
                     {"by_host_clock", rounded(duel.wall_gain.median)}});
    const std::string said =
        fmt::format("{:.3f} times as fast [{:.3f}, {:.3f}]", duel.gain.median, duel.gain.low, duel.gain.high);
    if (!must_gain) return duel.gain.median < tolerated_loss ? fmt::format("{} at {}", said, name) : "";
    const double least = trial.times_are_of_device() ? least_device_s : least_wall_s;
    if (duel.gain.low <= least_gain || duel.first_s - duel.second_s < least) return said;
    if (duel.wall_gain.median < tolerated_loss)
        return fmt::format("{}, but {:.3f} by the host's clock", said, duel.wall_gain.median);
    return {};
}

Tournament::Finding Tournament::search(const Variant& variant, const std::vector<Json>& known,
                                       const std::function<void(int)>& tried) {
    Finding finding;
    RemoteRunner& trial = this->trial();
    if (const std::string reason = trial.why_not(variant.name); !reason.empty()) {
        finding.verdict = Verdict::refused;
        finding.reason = reason;
        return finding;
    }
    const Space space = Space::of(variant.policy);
    const auto way_of = [&](const Point& point) { return Candidate{variant.name, space.to_json(point)}; };
    std::vector<Point> starts{space.defaults()};
    for (const Json& policy : known) starts.push_back(space.from_json(policy));

    double best = std::numeric_limits<double>::infinity();
    int count = 0;
    const int losses_before = trial.losses();
    bool hopeless = false;   // what the defaults cannot do needs no tuning
    const auto stopped = [&] { return options_.cancelled && options_.cancelled(); };
    const auto given_up = [&] { return trial.losses() - losses_before >= most_losses; };
    SearchOptions how{options_.budget,
                      static_cast<std::size_t>(std::max(options_.builders, 4)),
                      [&] { return stopped() || given_up() || hopeless; },
                      {}};
    how.now = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count() - trial.aside_s();
    };
    Found found = tune::search(space, starts, [&](const std::vector<Point>& points) {
        std::vector<Candidate> ways;
        for (const Point& point : points) ways.push_back(way_of(point));
        trial.build(ways, options_.builders);
        std::vector<Measured> answers;
        for (const Candidate& way : ways) {
            if (stopped() || given_up()) break;
            answers.push_back(trial.measure(way, best));
            if (answers.back().outcome == Outcome::timed) best = std::min(best, answers.back().seconds);
            else if (count == 0) hopeless = true;
            ++count;
            if (tried) tried(count);
        }
        return answers;
    }, how);
    finding.lost = trial.take_lost();
    if (given_up()) found.ended = fmt::format("{} candidates took their process down", most_losses);
    else if (hopeless) found.ended = "the defaults do not run";

    finding.found = {{"problem", set_.problem.name},
                     {"clock", trial.times_are_of_device() ? "device" : "host"},
                     {"seconds", rounded(found.seconds)},
                     {"ended", found.ended},
                     {"candidates",
                      {{"of", space.size()},
                       {"tried", found.tried.size()},
                       {"refused", found.count(Outcome::refused)},
                       {"wrong", found.count(Outcome::wrong)},
                       {"failed", found.count(Outcome::failed)}}}};
    if (Json reasons = reasons_of(found); !reasons.empty()) finding.found["reasons"] = std::move(reasons);
    const auto defaults =
        std::find_if(found.tried.begin(), found.tried.end(), [&](const Tried& c) { return c.point == starts.front(); });
    if (defaults == found.tried.end() || defaults->measured.outcome != Outcome::timed) {
        finding.verdict =
            defaults != found.tried.end() && defaults->measured.outcome == Outcome::refused ? Verdict::refused : Verdict::failed;
        finding.reason =
            defaults == found.tried.end()
                ? found.ended
                : fmt::format("with its defaults: {}: {}", to_string(defaults->measured.outcome), defaults->measured.reason);
        return finding;
    }

    finding.verdict = Verdict::defaults;
    finding.default_s = finding.tuned_s = defaults->measured.seconds;
    finding.reason = "nothing that was tried is faster";
    const Candidate base = way_of(starts.front());
    for (const Tried& candidate : found.fastest(finalists)) {
        if (candidate.measured.seconds >= defaults->measured.seconds || found.ended == "interrupted") break;
        const Candidate way = way_of(candidate.point);
        Json duels = Json::array(), checks = Json::array();
        Duel duel;
        std::string objection = this->objection(0, base, way, true, duels, &duel);
        const bool is_slower = duel.first_s > 0 && !objection.empty();
        for (std::size_t check = 1; check <= set_.checks.size() && objection.empty(); ++check)
            objection = this->objection(check, base, way, false, checks, nullptr);
        if (!objection.empty()) {
            if (finding.default_s == finding.tuned_s && duel.first_s > 0) finding.default_s = finding.tuned_s = duel.first_s;
            finding.reason = fmt::format("{} is {}", way.policy.dump(), objection);
            if (is_slower) break;   // the others are slower still
            continue;
        }
        finding.verdict = Verdict::tuned;
        finding.reason.clear();
        finding.policy = way.policy;
        finding.default_s = duel.first_s;
        finding.tuned_s = duel.second_s;
        finding.gain = duel.gain.median;
        finding.found["interval"] = rounded(duel.gain);
        finding.found["checks"] = std::move(checks);
        break;
    }
    finding.found["gain"] = rounded(finding.gain);
    finding.found["default_ms"] = rounded(1e3 * finding.default_s);
    finding.found["tuned_ms"] = rounded(1e3 * finding.tuned_s);
    if (finding.verdict == Verdict::defaults) finding.found["nearest"] = finding.reason;
    return finding;
}

std::optional<std::string> Tournament::fastest(const std::vector<Candidate>& ways, const std::string& preferred) {
    RemoteRunner& trial = this->trial();
    const Candidate* first = nullptr;
    const Candidate* best = nullptr;
    double best_s = std::numeric_limits<double>::infinity();
    int timed = 0;
    for (const Candidate& way : ways) {
        if (!trial.why_not(way.variant).empty()) continue;
        const Measured measured = trial.measure(way, best_s);
        if (measured.outcome != Outcome::timed) continue;
        ++timed;
        if (way.variant == preferred) first = &way;
        if (measured.seconds >= best_s) continue;
        best = &way;
        best_s = measured.seconds;
    }
    if (timed < 2) return std::nullopt;
    if (first == nullptr || first == best) return best->variant;
    Json duels = Json::array();
    std::string objection = this->objection(0, *first, *best, true, duels, nullptr);
    for (std::size_t check = 1; check <= set_.checks.size() && objection.empty(); ++check)
        objection = this->objection(check, *first, *best, false, duels, nullptr);
    return objection.empty() ? best->variant : first->variant;
}

}  // namespace parallax::engine::tune
