#include "step.hpp"

#include "agreement/agreement.hpp"
#include "problems/problems.hpp"
#include "sizes/settle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace parallax::tests::whole_jobs {

namespace {

using namespace engine;

bool wants(const StepCall& call, const std::string& port) {
    return std::find(call.outputs.begin(), call.outputs.end(), port) != call.outputs.end();
}

bool is_hologram(const StepCall& call) { return call.algorithm->name == "hologram"; }

bool searches_carrier(const StepCall& call) {
    return call.algorithm->finding && call.algorithm->finding->needed(call.algorithm->parameters.parse(call.parameters, ""));
}

/// Reals that are rounded at last may fall on the other side, as in the test of sizes.
compare::Tolerance of_array(compare::Tolerance tolerance, ElementType type) {
    const double largest = type == ElementType::u8 ? 255 : type == ElementType::u16 ? 65535 : 0;
    if (largest > 0 && tolerance.levels > 0) tolerance.levels = 1 + std::floor(tolerance.relative * largest);
    return tolerance;
}

/// The reference's answer; of a carrier that was searched that of the carrier which was found.
StepResult expected(Engine& reference, StepCall call, const StepResult& made) {
    call.parameters.erase("fft");   // a library that the reference has none to choose from
    if (wants(call, "phase") && !wants(call, "amplitude")) call.outputs.emplace_back("amplitude");
    if (!searches_carrier(call)) return compute(reference, call, "reference");
    StepCall search = call;
    search.outputs = {call.algorithm->finding->record};
    const Json found = compute(reference, search, "reference").records;
    call.parameters = call.algorithm->finding->fix(call.parameters, made.records.at(search.outputs.front()));
    StepResult right = compute(reference, call, "reference");
    right.records[search.outputs.front()] = found.at(search.outputs.front());
    return right;
}

HostArray copy_of(const HostArray& array) {
    HostArray copy = HostArray::make(array.desc);
    std::memcpy(copy.data(), array.data(), array.desc.dense_bytes());
    return copy;
}

/// Real inputs half a digit off, up and down by turns.
template <class T>
void nudge(HostArray& array, std::int64_t parts) {
    T* const values = array.as<T>();
    for (std::int64_t i = 0; i < array.desc.count() * parts; ++i)
        values[i] *= static_cast<T>((i * 7 / 5) % 2 == 0 ? 1 + 6e-8 : 1 - 6e-8);
}

/// Whether the problem magnifies what floats round: the reference's own answer to inputs half a digit off is a quarter of the
/// tolerance away. Where many steps of a diffusion amplify, no two ways of rounding agree.
bool is_loose(Engine& reference, StepCall call, const StepResult& made, const StepResult& right, compare::Tolerance tolerance) {
    bool nudged = false;
    for (auto& [port, array] : call.inputs) {
        const ElementType type = array.desc.type;
        if (!is_floating(type) && !is_complex(type)) continue;
        array = copy_of(array);
        const int parts = is_complex(type) ? 2 : 1;
        if (bytes_of(type) / static_cast<std::size_t>(parts) == sizeof(float)) nudge<float>(array, parts);
        else nudge<double>(array, parts);
        nudged = true;
    }
    if (!nudged) return false;
    const StepResult other = expected(reference, call, made);
    tolerance.relative /= 4;
    for (const auto& [port, array] : right.arrays) {
        if (!is_floating(array.desc.type) && !is_complex(array.desc.type)) continue;
        if (!compare::compare_arrays(other.arrays.at(port), array, tolerance, port).agrees) return true;
    }
    return false;
}

}  // namespace

StepResult compute(Engine& engine, const StepCall& step, const std::string& variant) {
    Session session(engine);
    Call call;
    call.algorithm = &engine.registry().get(step.algorithm->name);
    call.parameters = call.algorithm->parameters.parse(step.parameters, "");
    call.variant = variant;
    call.outputs = step.outputs;
    for (const auto& [port, array] : step.inputs) call.inputs.emplace(port, session.upload(array));
    const CallResult result = session.run(call);
    StepResult made;
    made.variant = result.variant;
    made.records = result.records;
    for (const auto& [port, array] : result.outputs) made.arrays.emplace(port, session.download(array));
    return made;
}

Opinion judge(Engine& reference, const StepCall& call, StepResult made) {
    const StepResult right = expected(reference, call, made);
    const compare::Tolerance tolerance = problems::tolerance_of(call.algorithm->name, made.variant);
    Opinion opinion;
    bool other_plane = false;
    if (call.algorithm->name == "metrics" && wants(call, "metrics"))
        sizes::settle_metrics(made.records["metrics"], right.records.at("metrics"));
    if (is_hologram(call)) {
        if (searches_carrier(call)) sizes::settle_carrier(made.records["carrier"], right.records.at("carrier"));
        if (wants(call, "phase")) {
            made.arrays.at("phase") = copy_of(made.arrays.at("phase"));   // the caller's stays as it was made
            sizes::settle_phase(made.arrays.at("phase"), right.arrays.at("phase"), right.arrays.at("amplitude"),
                                tolerance.relative);
        }
        if (wants(call, "focus"))
            other_plane = sizes::settle_focus(made.records["focus"], right.records.at("focus"), tolerance.relative) &&
                          call.parameters.value("planes", "all") == "best";
    }
    if (other_plane) opinion.not_judged = "another plane that is as good";
    compare::Agreement all;
    for (const auto& [port, array] : right.arrays) {
        if (!wants(call, port) || other_plane) continue;
        if (!made.arrays.contains(port)) return {fmt::format("{}: nothing came out", port), {}};
        compare::merge_into(
            all, compare::compare_arrays(made.arrays.at(port), array, of_array(tolerance, array.desc.type), port));
    }
    for (const auto& [port, record] : right.records.items())
        compare::merge_into(all, compare::compare_records(made.records.value(port, Json()), record, tolerance, port));
    if (!all.agrees && is_loose(reference, call, made, right, tolerance))
        opinion.not_judged = "half a digit of the input changes it as much";
    else if (!all.agrees)
        opinion.why_not = fmt::format("{} differs from the reference: {}", made.variant, all.why_not);
    return opinion;
}

}  // namespace parallax::tests::whole_jobs
