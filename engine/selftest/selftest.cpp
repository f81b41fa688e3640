#include "selftest/selftest.hpp"

#include "compare/inputs.hpp"
#include "selftest/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

Outputs compute(Engine& engine, const SmallProblem& problem, const std::string& variant, const HostArrays& inputs) {
    Session session(engine);
    Call call;
    call.algorithm = &engine.registry().get(problem.algorithm);
    call.parameters = call.algorithm->parameters.parse(problem.parameters, "");
    call.variant = variant;
    call.outputs = problem.outputs;
    for (const auto& [port, array] : inputs) call.inputs.emplace(port, session.upload(array));
    const CallResult result = session.run(call);
    Outputs outputs;
    for (const auto& [port, array] : result.outputs) outputs.arrays.emplace(port, session.download(array));
    outputs.records = result.records;
    return outputs;
}

HostArrays make_inputs(Engine& judge, const SmallProblem& problem) {
    Session session(judge);
    HostArrays made;
    for (const auto& [port, rule] : problem.inputs.items()) made[port] = compare::make_input(port, rule, session, made, {});
    return made;
}

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

std::string reason_of(const UnsupportedError& error) { return error.reasons.empty() ? error.what() : fmt::format("{}", fmt::join(error.reasons, "; ")); }

Row run_row(Engine& engine, const SmallProblem& problem, const Variant& variant, const HostArrays& inputs, const Outputs& reference) {
    Row row{problem.algorithm, problem.name, variant.name, variant.role == Role::peer, Outcome::failed, {}, {}, false, 0};
    const auto start = std::chrono::steady_clock::now();
    try {
        const Outputs outputs = compute(engine, problem, variant.name, inputs);
        row.agreement = agreement_between(outputs, reference, tolerance_of(problem.algorithm, variant.name));
        row.ran = true;
        row.outcome = row.agreement.agrees ? Outcome::pass : Outcome::failed;
        row.reason = row.agreement.why_not;
    } catch (const UnsupportedError& error) {
        row.outcome = Outcome::refused;
        row.reason = reason_of(error);
    } catch (const DeviceError& error) {
        row.reason = error.what();
        engine.renew();   // where the context is lost the variants after this one get another
    } catch (const std::exception& error) {
        row.reason = error.what();
    }
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return row;
}

Row failed_row(const std::string& algorithm, const std::string& problem, std::string reason) {
    return {algorithm, problem, "reference", false, Outcome::failed, std::move(reason), {}, false, 0};
}

/// A library that ran nothing is not there: its refusals say only that. One that ran something refuses for a reason.
void leave_out_absent(std::vector<Row>& rows) {
    std::set<std::string> present;
    for (const Row& row : rows)
        if (row.peer && row.outcome != Outcome::refused) present.insert(row.variant);
    std::erase_if(rows, [&](const Row& row) { return row.peer && row.outcome == Outcome::refused && present.count(row.variant) == 0; });
}

bool is_for(const Variant& variant, host::Backend backend, const SmallProblem& problem) {
    if (!problem.variants.empty() && std::find(problem.variants.begin(), problem.variants.end(), variant.name) == problem.variants.end()) return false;
    return std::find(variant.backends.begin(), variant.backends.end(), backend) != variant.backends.end();
}

}  // namespace

std::string_view to_string(Outcome outcome) noexcept {
    switch (outcome) {
        case Outcome::pass: return "pass";
        case Outcome::refused: return "refuse";
        case Outcome::failed: return "fail";
    }
    return "?";
}

Json Row::to_json() const {
    Json json{{"algorithm", algorithm}, {"problem", problem}, {"variant", variant}, {"peer", peer}, {"outcome", to_string(outcome)}, {"seconds", seconds}};
    if (!reason.empty()) json["reason"] = reason;
    if (ran) json["agreement"] = agreement.to_json();
    return json;
}

std::vector<Row> run(Engine& engine, Engine& judge, const std::vector<std::string>& algorithms, const Progress& progress) {
    for (const std::string& name : algorithms) engine.registry().get(name, "--algorithm");
    std::vector<const Algorithm*> chosen;
    for (const Algorithm& algorithm : engine.registry().algorithms()) {
        if (algorithms.empty() || std::find(algorithms.begin(), algorithms.end(), algorithm.name) != algorithms.end()) chosen.push_back(&algorithm);
    }
    std::vector<Row> rows;
    double done = 0;
    for (const Algorithm* const algorithm : chosen) {
        bool any = false;
        for (const SmallProblem& problem : problems()) {
            if (problem.algorithm != algorithm->name) continue;
            any = true;
            HostArrays inputs;
            Outputs reference;
            try {
                inputs = make_inputs(judge, problem);
                reference = compute(judge, problem, "reference", inputs);
            } catch (const std::exception& error) {
                rows.push_back(failed_row(problem.algorithm, problem.name, error.what()));
                continue;
            }
            for (const Variant& variant : algorithm->variants) {
                if (!is_for(variant, engine.device().backend, problem)) continue;
                if (progress) progress(algorithm->name + " " + variant.name, done / static_cast<double>(chosen.size()));
                rows.push_back(run_row(engine, problem, variant, inputs, reference));
            }
        }
        if (!any) rows.push_back(failed_row(algorithm->name, "", "the self-test has no problem for it: engine/selftest/problems.cpp lists them"));
        ++done;
    }
    leave_out_absent(rows);
    return rows;
}

bool passed(const std::vector<Row>& rows) {
    const auto with = [&rows](Outcome outcome) { return std::any_of(rows.begin(), rows.end(), [outcome](const Row& row) { return row.outcome == outcome; }); };
    return with(Outcome::pass) && !with(Outcome::failed);
}

}  // namespace parallax::engine::selftest
