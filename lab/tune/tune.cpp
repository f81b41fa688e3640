#include "tune/tune.hpp"

#include "core/clock.hpp"
#include "job/report.hpp"
#include "parallax/host/error.hpp"
#include "support/platform.hpp"
#include "tune/tournament.hpp"
#include "tune/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace parallax::engine::tune {
namespace {

bool named(const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

void check_names(const std::vector<std::string>& asked, const std::vector<std::string>& known, const char* option,
                 const char* expected) {
    for (const std::string& name : asked) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw ConfigError(option, fmt::format("\"{}\"", name), fmt::format("{}: {}", expected, fmt::join(known, ", ")),
                              did_you_mean(name, known));
    }
}

void add_name(std::vector<std::string>& names, const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

const std::vector<ProblemSet>& sets_of(const TuneOptions& options) { return options.own ? *options.own : problem_sets(); }

void check(const Registry& registry, const TuneOptions& options) {
    std::vector<std::string> variants, types, algorithms;
    for (const std::string& name : options.algorithms) registry.get(name, "ALGORITHM");
    for (const ProblemSet& set : sets_of(options)) add_name(algorithms, set.algorithm);
    if (options.own) check_names(options.algorithms, algorithms, "ALGORITHM", "an algorithm of what is given");
    for (const Algorithm& algorithm : registry.algorithms()) {
        if (!named(options.algorithms, algorithm.name)) continue;
        for (const Variant& variant : algorithm.variants) add_name(variants, variant.name);
    }
    for (const ProblemSet& set : sets_of(options)) {
        if (named(options.algorithms, set.algorithm)) add_name(types, set.work.type);
    }
    check_names(options.variants, variants, "--variant", "a variant of what is tuned");
    if (!types.empty()) check_names(options.types, types, "--type", "a type that it is tuned in");
    check_names(options.sizes, size_classes(), "--size", "a class of sizes");
}

bool runs_on(const Variant& variant, host::Backend backend) {
    return std::find(variant.backends.begin(), variant.backends.end(), backend) != variant.backends.end();
}

bool is_fresh(const TunedPolicy& entry, const host::DeviceInfo& device) {
    return entry.found.value("driver", "") == device.driver && entry.found.value("engine", "") == PARALLAX_VERSION;
}

/// Variants that may be called the fastest: others trade accuracy, or are another's.
bool may_be_best(const Variant& variant) { return variant.role == Role::best || variant.role == Role::baseline; }

class Tuner {
public:
    Tuner(const host::DeviceInfo& device, const Registry& registry, const TuneOptions& options)
        : device_(device),
          registry_(registry),
          options_(options),
          tuning_(Tuning::load(registry.algorithms())),
          files_(options.out, registry.algorithms()),
          own_(TunedDevice::of(device)) {
        files_.require_writable();
    }

    Tuned run() {
        const std::vector<Task> tasks = tasks_of(device_, registry_, options_);
        if (std::any_of(tasks.begin(), tasks.end(), [](const Task& t) { return !t.present; })) files_.make_folder();
        for (std::size_t i = 0; i < tasks.size() && tuned_.ended.empty(); ++i) {
            const Task& task = tasks[i];
            if (!tournament_ || set_ != task.set || worker_->given_up()) open(*task.set);
            work_on(task, static_cast<double>(i), static_cast<double>(tasks.size()));
            const bool last = i + 1 == tasks.size() || tasks[i + 1].set != task.set;
            if (last && tuned_.ended.empty()) crown();
            if (options_.cancelled && options_.cancelled()) tuned_.ended = "interrupted";
        }
        return std::move(tuned_);
    }

private:
    void open(const ProblemSet& set) {
        tournament_.reset();
        if (!worker_ || worker_->given_up())
            worker_ = std::make_unique<compare::DeviceWorker>(
                engine::to_json(device_), compare::WorkerOptions{options_.worker, {}, {}, {}, false, options_.cancelled});
        tournament_ = std::make_unique<Tournament>(*worker_, set, options_);
        set_ = &set;
        searched_ = 0;
    }

    Json provenance(Json found) const {
        found["date"] = utc_now().substr(0, 10);
        found["driver"] = device_.driver;
        found["engine"] = PARALLAX_VERSION;
        return found;
    }

    void work_on(const Task& task, double done, double total) {
        const std::string what =
            fmt::format("{} {} {} {}", task.algorithm->name, task.variant->name, task.set->work.type, task.set->work.size);
        Result result;
        result.task = task;
        if (task.present) return;
        if (options_.progress) options_.progress(what, done / total);
        try {
            std::vector<Json> known;
            if (const auto match = tuning_.policy(task.algorithm->name, task.variant->name, device_, task.set->work))
                known.push_back(match->entry->policy);
            Tournament::Finding finding = tournament_->search(*task.variant, known, [&](int tried) {
                if (options_.progress) options_.progress(fmt::format("{}, {} tried", what, tried), done / total);
            });
            if (finding.found.value("ended", "") == "interrupted") return;   // half a search says little: it is done again
            keep(task, finding);
            result.verdict = finding.verdict;
            result.reason = std::move(finding.reason);
            result.policy = std::move(finding.policy);
            result.default_s = finding.default_s;
            result.tuned_s = finding.tuned_s;
            result.gain = finding.gain;
            result.lost = std::move(finding.lost);
        } catch (const CancelledError&) {
            return;
        } catch (const std::exception& error) {
            result.reason = error.what();
        }
        tuned_.results.push_back(std::move(result));
    }

    void keep(const Task& task, const Tournament::Finding& finding) {
        if (finding.verdict != Verdict::tuned && finding.verdict != Verdict::defaults) return;
        files_.put(task.algorithm->name,
                   {own_, task.set->work, task.variant->name, finding.policy, false, provenance(finding.found)});
        ++searched_;
    }

    /// Whether variants of the set have entries, and none is called the fastest: a run was interrupted before that.
    bool is_without_fastest() const {
        bool any = false, best = false;
        for (const Variant& variant : registry_.get(set_->algorithm).variants) {
            const TunedPolicy* const entry = files_.find(set_->algorithm, own_, set_->work, variant.name);
            any = any || entry != nullptr;
            best = best || (entry != nullptr && entry->best && is_fresh(*entry, device_));
        }
        return any && !best;
    }

    /// Among the variants of a set, once all of them have their policies.
    void crown() {
        if (!tournament_ || (searched_ == 0 && !is_without_fastest()) || !set_->variants.empty()) return;
        std::optional<std::string> fastest;
        try {
            fastest = fastest_variant();
        } catch (const Error&) {   // the worker was lost under what ran before, or the device: nothing is called the fastest
            tournament_.reset();
        }
        if (!fastest) return;
        if (files_.find(set_->algorithm, own_, set_->work, *fastest) == nullptr) {   // nothing to tune, but the fastest
            const Json found{{"gain", 1}, {"problem", set_->problem.name}, {"ended", "no search"}};
            files_.put(set_->algorithm, {own_, set_->work, *fastest, Json::object(), false, provenance(found)});
        }
        files_.crown(set_->algorithm, own_, set_->work, *fastest);
        for (Result& result : tuned_.results) {
            if (result.task.set == set_) result.best = result.task.variant->name == *fastest;
        }
    }

    std::optional<std::string> fastest_variant() {
        const Algorithm& algorithm = registry_.get(set_->algorithm);
        const auto is_ours = [&](const Variant& variant) {
            return runs_on(variant, device_.backend) && variant.role != Role::peer;
        };
        std::vector<Candidate> ways;
        for (const Variant& variant : algorithm.variants) {
            const bool has_failed = std::any_of(tuned_.results.begin(), tuned_.results.end(), [&](const Result& r) {
                return r.task.set == set_ && r.task.variant == &variant && r.verdict == Verdict::failed;
            });
            if (!is_ours(variant) || !may_be_best(variant) || has_failed) continue;
            const TunedPolicy* const entry = files_.find(algorithm.name, own_, set_->work, variant.name);
            const Json policy = entry != nullptr ? entry->policy : Json::object();
            ways.push_back(
                {variant.name, variant.policy.empty() ? Json::object() : Policy::parse(variant.policy, policy, "").to_json()});
        }
        if (ways.size() < 2) return std::nullopt;
        const auto preferred = std::find_if(algorithm.variants.begin(), algorithm.variants.end(), [&](const Variant& v) {
            return is_ours(v) && tournament_->trial().why_not(v.name).empty();
        });
        return tournament_->fastest(ways, preferred == algorithm.variants.end() ? std::string() : preferred->name);
    }

    const host::DeviceInfo& device_;
    const Registry& registry_;
    const TuneOptions& options_;
    const Tuning tuning_;
    Files files_;
    TunedDevice own_;
    std::unique_ptr<compare::DeviceWorker> worker_;
    std::unique_ptr<Tournament> tournament_;
    const ProblemSet* set_ = nullptr;
    int searched_ = 0;           ///< of the contest
    Tuned tuned_;
};

}  // namespace

std::string_view to_string(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::tuned: return "tuned";
        case Verdict::defaults: return "defaults";
        case Verdict::refused: return "refused";
        case Verdict::failed: return "failed";
    }
    return "?";
}

std::vector<Task> tasks_of(const host::DeviceInfo& device, const Registry& registry, const TuneOptions& options) {
    check(registry, options);
    const Files files(options.out, registry.algorithms());
    const TunedDevice own = TunedDevice::of(device);
    const std::vector<ProblemSet>& sets = sets_of(options);
    std::vector<Task> tasks;
    for (const std::string size : {"medium", "large", "small"}) {   // what matters most first, should the run be cut short
        for (const ProblemSet& set : sets) {
            const bool wanted = set.work.size == size && named(options.sizes, size) && named(options.algorithms, set.algorithm) &&
                                (set.work.type.empty() || named(options.types, set.work.type));
            if (!wanted) continue;
            const Algorithm& algorithm = registry.get(set.algorithm);
            for (const Variant& variant : algorithm.variants) {
                const bool other = std::any_of(sets.begin(), sets.end(), [&](const ProblemSet& s) {
                    return s.algorithm == set.algorithm && s.work == set.work && !s.variants.empty() &&
                           named(s.variants, variant.name);
                });
                if (set.variants.empty() ? other : !named(set.variants, variant.name)) continue;
                if (!runs_on(variant, device.backend) || !named(options.variants, variant.name) ||
                    Space::of(variant.policy).fields.empty())
                    continue;
                if (std::find(options.roles.begin(), options.roles.end(), variant.role) == options.roles.end()) continue;
                const TunedPolicy* const entry = files.find(set.algorithm, own, set.work, variant.name);
                const bool is_present = entry != nullptr && is_fresh(*entry, device) &&
                                        (!options.own || entry->found.value("problem", "") == set.problem.name);
                tasks.push_back({&algorithm, &variant, &set, !options.again && is_present});
            }
        }
    }
    return tasks;
}

void require_writable(const TuneOptions& options) { Files(options.out, {}).require_writable(); }

Tuned run(const host::DeviceInfo& device, const Registry& registry, const TuneOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    Tuned tuned = Tuner(device, registry, options).run();
    tuned.seconds = seconds_since(start);
    return tuned;
}

Json to_json(const Tuned& tuned, const host::DeviceInfo& device) {
    Json results = Json::array();
    for (const Result& r : tuned.results)
        results.push_back({{"algorithm", r.task.algorithm->name},
                           {"variant", r.task.variant->name},
                           {"work", {{"type", r.task.set->work.type}, {"size", r.task.set->work.size}}},
                           {"problem", r.task.set->problem.name},
                           {"verdict", to_string(r.verdict)},
                           {"reason", r.reason},
                           {"default_s", r.default_s},
                           {"tuned_s", r.tuned_s},
                           {"gain", r.gain},
                           {"policy", r.policy},
                           {"best", r.best},
                           {"lost", r.lost}});
    return {{"device", engine::to_json(device)},
            {"seconds", tuned.seconds},
            {"ended", tuned.ended},
            {"results", std::move(results)}};
}

void require_policies(const host::DeviceInfo& device) {
    if (device.backend == host::Backend::native)
        throw ConfigError("--device", device.name, "an OpenCL or CUDA device", "the native device has no policies to tune");
}

int builders_here() {
    constexpr int most = 8;   // more gain little, and on the processor that is tuned they take what is measured
    return std::min(host::platform::processors(), most);
}

}  // namespace parallax::engine::tune
