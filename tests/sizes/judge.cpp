#include "judge.hpp"

#include "compare/agreement.hpp"
#include "selftest/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace parallax::tests::sizes {

namespace {

using namespace engine;

constexpr double patience = 10;  // seconds that a reference may take

std::string first_lines(const std::string& text) {
    std::string flat = text.substr(0, 600);
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    return flat;
}

/// Sums of reals end in other digits in another order.
compare::Tolerance tolerance_of(const Draw& draw, const std::string& variant) {
    compare::Tolerance tolerance = selftest::tolerance_of(draw.algorithm, variant);
    if (draw.algorithm == "scan") tolerance.relative = 1e-5;
    return tolerance;
}

/// Where reals are rounded at last, one that is within the tolerance may fall on the other side.
compare::Tolerance of_array(compare::Tolerance tolerance, const Draw& draw, ElementType type) {
    constexpr std::array rounding{"diffusion_aos", "diffusion_lb", "hologram_simulate"};
    const double largest = type == ElementType::u8 ? 255 : type == ElementType::u16 ? 65535 : 0;
    if (largest > 0 && std::find(rounding.begin(), rounding.end(), draw.algorithm) != rounding.end())
        tolerance.levels = 1 + std::floor(tolerance.relative * largest);
    return tolerance;
}

/// A library of transforms that a device may not have; the reference has none to choose from.
bool names_a_library(const Draw& draw) { return draw.parameters.value("fft", "auto") != "auto"; }

Draw without_library(Draw draw) {
    draw.parameters.erase("fft");
    return draw;
}

}  // namespace

struct Judge::Outputs {
    std::map<std::string, HostArray> arrays;
    Json records = Json::object();
    std::string variant;
};

Judge::Outputs Judge::compute(Engine& engine, const Draw& draw, const std::string& variant, const Json& policy) {
    const auto start = std::chrono::steady_clock::now();
    Session session(engine);
    Call call;
    call.algorithm = &engine.registry().get(draw.algorithm);
    call.parameters = call.algorithm->parameters.parse(draw.parameters, "");
    call.variant = variant;
    call.policy = policy;
    call.outputs = draw.outputs;
    for (const auto& [port, input] : draw.inputs.items()) call.inputs.emplace(port, session.upload(make_array(input)));
    const CallResult result = session.run(call);
    Outputs outputs;
    outputs.variant = result.variant;
    outputs.records = result.records;
    for (const auto& [port, array] : result.outputs) outputs.arrays.emplace(port, session.download(array));
    if (&engine == &reference_) {
        double& pace = pace_[draw.algorithm + " " + variant];
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        pace = std::max(pace, seconds / static_cast<double>(draw.elements() + 10000));
    }
    return outputs;
}

bool Judge::is_affordable(const Draw& draw, const std::string& variant, double seconds) const {
    const auto pace = pace_.find(draw.algorithm + " " + variant);
    const double elements = static_cast<double>(draw.elements() + 10000);
    return pace == pace_.end() ? elements < 1 << 17 : pace->second * elements < seconds;
}

Judge::Outputs Judge::expected(const Draw& draw, const std::string& ran, std::string& against) {
    const Algorithm& algorithm = reference_.registry().get(draw.algorithm);
    against = "reference";
    if (is_affordable(draw, "reference", patience)) return compute(reference_, draw, "reference", Json::object());
    if (algorithm.variant("threaded") != nullptr && ran != "threaded") {
        against = "threaded";
        return compute(reference_, draw, "threaded", Json::object());
    }
    for (const Variant& variant : algorithm.variants) {
        if (variant.name == ran || variant.role == Role::peer || variant.name == "reference") continue;
        try {
            Outputs outputs = compute(engine_, draw, variant.name, Json::object());
            against = variant.name + " of the device";
            return outputs;
        } catch (const UnsupportedError&) {  // the next one
        } catch (const ConfigError&) {
        }
    }
    return compute(reference_, draw, "reference", Json::object());  // however long it takes
}

/// What the rule for shapes let pass and the reference refuses as a wrong request, too.
bool Judge::is_no_problem(const Draw& draw) {
    try {
        compute(reference_, without_library(draw), "reference", Json::object());
        return false;
    } catch (const ConfigError&) {
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

Result Judge::run(const Draw& draw) {
    Result result;
    const bool asked = !draw.variant.empty() || names_a_library(draw);
    Outputs outputs;
    try {
        outputs = compute(engine_, draw, draw.variant, draw.policy);
    } catch (const UnsupportedError& error) {
        result.verdict = asked ? Verdict::refused : Verdict::failed;
        result.reason = first_lines(error.what());
    } catch (const ConfigError& error) {
        result.verdict = !draw.policy.empty() ? Verdict::refused : is_no_problem(draw) ? Verdict::no_problem : Verdict::failed;
        result.reason = first_lines(error.what());
    } catch (const std::exception& error) {
        result.verdict = Verdict::failed;
        result.reason = first_lines(error.what());
        engine_.renew();
    }
    if (!result.reason.empty()) return result;
    result.variant = outputs.variant;
    try {
        const Outputs right = expected(without_library(draw), outputs.variant, result.against);
        compare::Tolerance tolerance = tolerance_of(draw, outputs.variant);
        if (result.against != "reference") tolerance.relative *= 2;  // both may be off
        compare::Agreement all;
        for (const auto& [port, array] : right.arrays) {
            const auto made = outputs.arrays.find(port);
            if (made == outputs.arrays.end()) throw Error(port + ": nothing came out");
            compare::merge_into(all, compare::compare_arrays(made->second, array, of_array(tolerance, draw, array.desc.type), port));
        }
        for (const auto& [port, record] : right.records.items())
            compare::merge_into(all, compare::compare_records(outputs.records.value(port, Json()), record, tolerance, port));
        if (all.agrees) return result;
        result.reason = fmt::format("{} differs from {}: {}", outputs.variant, result.against, first_lines(all.why_not));
    } catch (const std::exception& error) {
        result.reason = fmt::format("{} ran, the other did not: {}", outputs.variant, first_lines(error.what()));
    }
    result.verdict = Verdict::failed;
    return result;
}

}  // namespace parallax::tests::sizes
