#include "tune/candidate_runner.hpp"

#include "agreement/agreement.hpp"
#include "cases/saved.hpp"
#include "core/clock.hpp"
#include "core/threads.hpp"
#include "job/job.hpp"
#include "job/paths.hpp"
#include "problems/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace parallax::engine::tune {

using compare::HostArrays;

namespace {

using Clock = std::chrono::steady_clock;

/// A candidate is left after three runs where it is slower than the best by this.
constexpr double hopeless = 1.3;
constexpr double quick_budget_s = 0.05;
constexpr int quick_samples = 12;

constexpr int duel_rounds = 6, most_rounds = 18;
constexpr int duel_samples = 10;

/// What does not agree with the reference.
class WrongResult : public Error {
public:
    using Error::Error;
};

bool same_bytes(const HostArray& a, const HostArray& b) {
    return a.desc.describe() == b.desc.describe() && std::memcmp(a.data(), b.data(), a.desc.dense_bytes()) == 0;
}

/// The one step of a problem, done in a certain way.
Pipeline pipeline_of(const Registry& registry, const TuningProblem& problem, const Algorithm& algorithm, const Candidate& way) {
    Json step = problem.parameters, outputs = Json::array();
    step["run"] = algorithm.name;
    step["variant"] = way.variant;
    if (!way.policy.empty()) step["policy"] = way.policy;
    for (const Port& port : algorithm.outputs) {
        const bool wanted = problem.outputs.empty()
                                ? port.required
                                : std::find(problem.outputs.begin(), problem.outputs.end(), port.name) != problem.outputs.end();
        if (wanted) outputs.push_back(port.name);
    }
    std::vector<std::string> inputs;
    for (const auto& [port, rule] : problem.inputs.items()) inputs.push_back(port);
    return parse_pipeline({{"parallax", 1}, {"steps", Json::array({std::move(step)})}, {"outputs", std::move(outputs)}},
                          registry.algorithms(), inputs);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string reason_of(const UnsupportedError& error) {
    return error.reasons.empty() ? first_line(error.what()) : fmt::format("{}", fmt::join(error.reasons, "; "));
}

}  // namespace

/// A way that has run once. A session of its own: nothing of one candidate is left for the next.
struct CandidateRunner::Runner {
    Pipeline pipeline;
    std::unique_ptr<compare::Bench> bench;
};

struct CandidateRunner::Reference {
    HostArrays arrays;
    Json records;
};

CandidateRunner::CandidateRunner(Engine& device, Engine& judge, const ProblemSet& set, const TuningProblem& problem)
    : engine_(device), judge_(judge), set_(set), problem_(problem), algorithm_(device.registry().get(set.algorithm)) {
    Session making(judge_);
    for (const auto& [port, rule] : problem_.inputs.items()) {
        if (rule.contains("saved"))
            host_[port] = compare::fetch_array(path_from(rule["saved"].get<std::string>()), rule["name"].get<std::string>());
        else host_[port] = compare::make_input(port, rule, making, host_, {});
    }
    Session session(engine_);
    inputs_ = compare::bind_inputs(host_, session);
}

CandidateRunner::~CandidateRunner() = default;

WorkClass CandidateRunner::work() const {
    Problem problem{{}, algorithm_.parameters.parse(problem_.parameters, ""), problem_.outputs};
    for (const auto& [port, array] : host_) problem.inputs.emplace(port, array.desc);
    return WorkClass::of(algorithm_, problem);
}

std::string CandidateRunner::why_not(const std::string& variant) {
    try {
        Session session(engine_);
        const Pipeline pipeline = pipeline_of(engine_.registry(), problem_, algorithm_, {variant, {}});
        Problem problem{{}, pipeline.steps.front().parameters, pipeline.steps.front().outputs};
        for (const auto& [port, array] : host_) problem.inputs.emplace(port, array.desc);
        session.choose(algorithm_, problem, variant, Json::object(), "");
        return {};
    } catch (const UnsupportedError& error) {
        return reason_of(error);
    }
}

void CandidateRunner::build(const std::vector<Candidate>& ways, int threads) {
    if (std::min(ways.size(), static_cast<std::size_t>(std::max(threads, 1))) < 2) return;   // measure() builds just as well
    const std::shared_ptr<host::Context> context = engine_.shared_context();
    parallel_parts(static_cast<std::int64_t>(ways.size()), threads, [&](std::int64_t i) {
        const Candidate& way = ways[static_cast<std::size_t>(i)];
        try {
            const Pipeline pipeline = pipeline_of(engine_.registry(), problem_, algorithm_, way);
            const Step& step = pipeline.steps.front();
            Problem problem{{}, step.parameters, step.outputs};
            for (const auto& [port, array] : host_) problem.inputs.emplace(port, array.desc);
            Choice choice{algorithm_.variant(way.variant), {}, "job", false, {}};
            choice.policy = Policy::parse(choice.variant->policy, way.policy, "");
            const std::unique_ptr<host::Queue> queue = context->create_queue();
            const PlanMade made = make_plan(*context, *queue, problem, choice);
            queue->finish();   // constants may still be on their way
        } catch (const std::exception&) {   // measure() meets it again, and says so
        }
    });
}

bool CandidateRunner::is_lost() {
    if (!engine_.shared_context()->failure().empty()) return true;
    try {   // not every driver says so: what worked before must work again
        Session session(engine_);
        session.upload(HostArray::make(ArrayDesc::dense(ElementType::u8, {{'n', 16}})));
        return false;
    } catch (const DeviceError&) {
        return true;
    }
}

std::unique_ptr<CandidateRunner::Runner> CandidateRunner::start(const Candidate& way) {
    auto runner = std::make_unique<Runner>();
    runner->pipeline = pipeline_of(engine_.registry(), problem_, algorithm_, way);
    runner->bench = std::make_unique<compare::Bench>(engine_, runner->pipeline, inputs_);
    runner->bench->first();
    return runner;
}

const CandidateRunner::Reference& CandidateRunner::reference() {
    if (reference_) return *reference_;
    const char* const oracle = algorithm_.variant("threaded") != nullptr ? "threaded" : "reference";
    const Pipeline pipeline = pipeline_of(judge_.registry(), problem_, algorithm_, {oracle, {}});
    Session session(judge_);
    const compare::BoundInputs inputs = compare::bind_inputs(host_, session);
    compare::Bench bench(judge_, pipeline, inputs);
    bench.first();
    reference_ = std::make_unique<Reference>(Reference{bench.arrays(), bench.records()});
    return *reference_;
}

void CandidateRunner::verify(Runner& runner, const std::string& variant) {
    const Reference& expected = reference();
    const compare::Tolerance tolerance = problems::tolerance_of(set_.algorithm, variant);
    HostArrays made = runner.bench->arrays();
    const Json records = runner.bench->records();
    compare::Agreement all;
    bool compared = false;
    for (const auto& [name, reference] : expected.arrays) {
        const auto array = made.find(name);
        if (array == made.end()) throw WrongResult(name + ": nothing came out");
        if (same_bytes(array->second, reference)) continue;
        const auto before = verified_.find(name);
        if (before != verified_.end() && same_bytes(array->second, before->second)) continue;
        merge_into(all, compare_arrays(array->second, reference, tolerance, name));
        compared = true;
    }
    for (const auto& [name, record] : expected.records.items()) {
        if (!records.contains(name)) throw WrongResult(name + ": nothing came out");
        merge_into(all, compare_records(records[name], record, tolerance, name));
    }
    if (!all.agrees) throw WrongResult(all.why_not);
    if (compared) verified_ = std::move(made);
}

double CandidateRunner::seconds_of(const compare::Sample& sample) {
    if (!of_device_) of_device_ = sample.device > 0;
    return *of_device_ && sample.device > 0 ? sample.device : sample.wall;
}

Measured CandidateRunner::measure(const Candidate& way, double best_s) {
    try {
        const std::unique_ptr<Runner> runner = start(way);
        verify(*runner, way.variant);
        Measured measured{Outcome::timed, seconds_of(runner->bench->run()), {}};
        const auto began = Clock::now();
        for (int i = 1; i < quick_samples; ++i) {
            if (i >= 3 && (measured.seconds > hopeless * best_s || seconds_since(began) > quick_budget_s)) break;
            measured.seconds = std::min(measured.seconds, seconds_of(runner->bench->run()));
        }
        return measured;
    } catch (const UnsupportedError& error) {
        return {Outcome::refused, 0, reason_of(error)};
    } catch (const ConfigError& error) {
        return {Outcome::refused, 0, first_line(error.what())};
    } catch (const WrongResult& error) {
        return {Outcome::wrong, 0, error.what()};
    } catch (const BuildError& error) {
        return {Outcome::failed, 0, first_line(error.what())};
    } catch (const DeviceError& error) {
        if (is_lost()) throw;
        return {Outcome::failed, 0, first_line(error.what())};
    }
}

Duel CandidateRunner::duel(const Candidate& first, const Candidate& second, double budget_s, double least_gain) {
    const Candidate* const ways[2] = {&first, &second};
    compare::Rounds times[2], walls[2];
    std::unique_ptr<Runner> before[2];   // held while the next are made: memory that is given back would be had again
    const auto began = Clock::now();
    int samples = duel_samples;
    const auto undecided = [&] {
        const compare::Estimate gain = compare::estimate_ratio(times[0], times[1]);
        return gain.low <= least_gain && gain.median > least_gain;
    };
    for (int round = 0; round < duel_rounds || (round < most_rounds && least_gain > 0 && undecided()); ++round) {
        std::unique_ptr<Runner> runners[2];
        for (const int i : {round % 2, 1 - round % 2}) {
            runners[i] = start(*ways[i]);
            if (round == 0) verify(*runners[i], ways[i]->variant);
            runners[i]->bench->run();
        }
        std::vector<double> here[2], wall_here[2];
        const auto sampling = Clock::now();
        for (int k = 0; k < samples; ++k) {
            for (const int i : {k % 2, 1 - k % 2}) {
                const compare::Sample sample = runners[i]->bench->run();
                here[i].push_back(seconds_of(sample));
                wall_here[i].push_back(sample.wall);
            }
            const double left = budget_s * (round + 1) / duel_rounds - seconds_since(began);
            if (k >= 1 && left < 0) break;
        }
        if (round == 0) {   // so many that all rounds fit the budget
            const double one = seconds_since(sampling) / static_cast<double>(here[0].size());
            samples = std::clamp(static_cast<int>(budget_s / duel_rounds / std::max(one, 1e-9)), 2, duel_samples);
        }
        for (int i = 0; i < 2; ++i) {
            times[i].push_back(std::move(here[i]));
            walls[i].push_back(std::move(wall_here[i]));
            before[i] = std::move(runners[i]);
        }
    }
    return {compare::estimate_ratio(times[0], times[1]), compare::estimate_ratio(walls[0], walls[1]),
            compare::estimate(times[0]).median, compare::estimate(times[1]).median};
}

}  // namespace parallax::engine::tune
