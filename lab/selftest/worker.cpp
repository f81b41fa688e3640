#include "selftest/worker.hpp"

#include "cases/inputs.hpp"
#include "workers/worker_protocol.hpp"
#include "core/clock.hpp"
#include "core/verdicts.hpp"
#include "parallax/host/enumerate.hpp"
#include "problems/problems.hpp"
#include "selftest/problems.hpp"
#include "selftest/row.hpp"
#include "peers/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>

namespace parallax::engine::selftest {

namespace {

using compare::Agreement;
using compare::HostArrays;

/// What came out, on the host.
struct Outputs {
    HostArrays arrays;
    Json records = Json::object();
};

/// What may differ is the tolerance's; that something is missing is never within it.
Agreement agreement_between(const Outputs& result, const Outputs& reference, const compare::Tolerance& tolerance) {
    Agreement all;
    const auto missing = [&all](const std::string& name) {
        Agreement none;
        none.agrees = none.exact = false;
        none.why_not = name + ": nothing came out";
        merge_into(all, none);
    };
    for (const auto& [port, expected] : reference.arrays) {
        const auto made = result.arrays.find(port);
        if (made == result.arrays.end()) missing(port);
        else merge_into(all, compare_arrays(made->second, expected, tolerance, port));
    }
    for (const auto& [port, expected] : reference.records.items()) {
        if (!result.records.contains(port)) missing(port);
        else merge_into(all, compare_records(result.records[port], expected, tolerance, port));
    }
    return all;
}

std::string reason_of(const UnsupportedError& error) {
    return error.reasons.empty() ? error.what() : fmt::format("{}", fmt::join(error.reasons, "; "));
}

class Worker {
public:
    Json answer(const Json& request) {
        const std::string what = request.at("do").get<std::string>();
        if (what == "open") return open(request);
        const Extent extent = request.at("extent") == "product" ? Extent::product : Extent::cover;
        if (what == "tasks") return {{"tasks", tasks(request.at("algorithm").get<std::string>(), extent)}};
        if (what == "row")
            return row(problems(extent).at(request.at("problem").get<std::size_t>()), request.at("variant").get<std::string>())
                .to_json();
        throw Error("a self-test's worker was asked to \"" + what + "\": this is a fault of the engine");
    }

private:
    /// The problem that was asked about last, with what the reference makes of it.
    struct Posed {
        const SmallProblem* problem = nullptr;
        Parameters parameters;
        HostArrays inputs;
        std::optional<Outputs> reference;
        std::string type;
    };

    Json open(const Json& request) {
        ignore_verdicts();
        const auto device = compare::find_device(request.at("device"));
        engine_ = std::make_unique<Engine>(*device, registry_with_peers(), host::ContextOptions{host::ProgramCache::open()});
        judge_ = std::make_unique<Engine>(*host::native_device(), engine_->registry());
        return {{"device", device->info().name}};
    }

    Problem problem_of(const Posed& posed) const {
        Problem problem{{}, posed.parameters, posed.problem->outputs};
        for (const auto& [port, array] : posed.inputs) problem.inputs.emplace(port, array.desc);
        return problem;
    }

    Posed pose(const SmallProblem& problem) {
        Posed posed;
        posed.problem = &problem;
        const Algorithm& algorithm = engine_->registry().get(problem.algorithm);
        posed.parameters = algorithm.parameters.parse(problem.parameters, "");
        Session session(*judge_);
        for (const auto& [port, rule] : problem.inputs.items())
            posed.inputs[port] = compare::make_input(port, rule, session, posed.inputs, {});
        std::erase_if(posed.inputs, [&](const auto& made) { return algorithm.input(made.first) == nullptr; });
        posed.type = WorkClass::of(algorithm, problem_of(posed)).type;
        return posed;
    }

    /// Each problem by the variant that a job would get. Where not each variant runs each problem, the others run one that they
    /// take, each another, so that together they see many.
    Json tasks(const std::string& name, Extent extent) {
        const Algorithm& algorithm = engine_->registry().get(name);
        struct Own {
            std::size_t index;
            Problem problem;
            std::string type;
        };
        std::vector<Own> own;
        const std::vector<SmallProblem>& all = problems(extent);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].algorithm != name) continue;
            const Posed posed = pose(all[i]);
            own.push_back({i, problem_of(posed), posed.type});
        }
        Session session(*engine_);
        const auto chosen_for = [&](const Problem& problem, const std::string& wanted) {
            try {
                return session.choose(algorithm, problem, wanted, Json::object(), "").variant->name;
            } catch (const UnsupportedError&) {
                return std::string();
            }
        };
        Json list = Json::array();
        std::set<std::string> seen;
        const auto add = [&](const Own& one, const std::string& variant) {
            list.push_back({{"problem", one.index}, {"variant", variant}, {"type", one.type}});
            seen.insert(variant);
        };
        if (extent == Extent::cover)
            for (const Own& one : own)
                if (const std::string variant = chosen_for(one.problem, ""); !variant.empty()) add(one, variant);
        std::size_t turn = 0;
        for (const Variant& variant : algorithm.variants) {
            if (std::find(variant.backends.begin(), variant.backends.end(), engine_->device().backend) ==
                    variant.backends.end() ||
                own.empty())
                continue;
            if (extent == Extent::product) {
                for (const Own& one : own) add(one, variant.name);
            } else if (seen.count(variant.name) == 0) {
                std::size_t at = turn++ % own.size();
                for (std::size_t i = 0; i < own.size() && chosen_for(own[at].problem, variant.name).empty(); ++i)
                    at = (at + 1) % own.size();
                add(own[at], variant.name);
            }
        }
        return list;
    }

    Outputs compute(Engine& engine, const std::string& variant) {
        Session session(engine);
        Call call;
        call.algorithm = &engine.registry().get(posed_.problem->algorithm);
        call.parameters = posed_.parameters;
        call.variant = variant;
        call.outputs = posed_.problem->outputs;
        for (const auto& [port, array] : posed_.inputs) call.inputs.emplace(port, session.upload(array));
        const CallResult result = session.run(call);
        Outputs outputs;
        for (const auto& [port, array] : result.outputs) outputs.arrays.emplace(port, session.download(array));
        outputs.records = result.records;
        return outputs;
    }

    Row row(const SmallProblem& problem, const std::string& variant) {
        if (posed_.problem != &problem) posed_ = pose(problem);
        if (!posed_.reference) posed_.reference = compute(*judge_, std::string(oracle));
        const bool peer = engine_->registry().get(problem.algorithm).variant(variant)->role == Role::peer;
        Row row{problem.algorithm, problem.name, variant, posed_.type, peer, Outcome::failed, {}, {}, 0};
        const auto start = std::chrono::steady_clock::now();
        try {
            const Outputs outputs = compute(*engine_, variant);
            const Agreement agreement =
                agreement_between(outputs, *posed_.reference, problems::tolerance_of(problem.algorithm, variant));
            row.outcome = agreement.agrees ? Outcome::pass : Outcome::failed;
            row.reason = agreement.why_not;
            row.agreement = agreement.to_json();
        } catch (const UnsupportedError& error) {
            row.outcome = Outcome::refused;
            row.reason = reason_of(error);
        } catch (const DeviceError& error) {
            row.reason = error.what();
            engine_->renew();   // where the context is lost the variants after this one get another
        } catch (const std::exception& error) {
            row.reason = error.what();
        }
        row.seconds = seconds_since(start);
        return row;
    }

    std::unique_ptr<Engine> engine_, judge_;
    Posed posed_;
};

}  // namespace

std::function<Json(const Json&)> make_worker() {
    return [worker = std::make_shared<Worker>()](const Json& request) { return worker->answer(request); };
}

int serve() { return compare::serve_requests(make_worker()); }

}  // namespace parallax::engine::selftest
