#include "judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "agreement/agreement.hpp"
#include "problems/problems.hpp"
#include "settle.hpp"

namespace parallax::tests::sizes {

namespace {

using namespace engine;

constexpr double patience = 10;  // seconds that a reference may take

std::string first_lines(const std::string& text) {
    std::string flat = text.substr(0, 600);
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    return flat;
}

/// Where reals are rounded at last, which tolerances of a level tell, one that is within them may fall on the other side.
compare::Tolerance of_array(compare::Tolerance tolerance, ElementType type) {
    const double largest = type == ElementType::u8 ? 255 : type == ElementType::u16 ? 65535 : 0;
    if (largest > 0 && tolerance.levels > 0)
        tolerance.levels = 1 + std::floor(tolerance.relative * largest);
    return tolerance;
}

/// A library of transforms that a device may not have; the reference has none to choose from.
bool names_a_library(const Draw& draw) { return draw.parameters.value("fft", "auto") != "auto"; }

Draw without_library(Draw draw) {
    draw.parameters.erase("fft");
    return draw;
}

/// What a device without double precision has no variant for.
bool needs_doubles(const Draw& draw) {
    return draw.parameters.value("type", "") == "f64" ||
           std::any_of(draw.inputs.begin(), draw.inputs.end(),
                       [](const Json& input) { return input["type"] == "f64" || input["type"] == "c128"; });
}

Draw with_output(Draw draw, const std::string& output) {
    if (std::find(draw.outputs.begin(), draw.outputs.end(), output) == draw.outputs.end()) draw.outputs.push_back(output);
    return draw;
}

bool wants(const Draw& draw, const std::string& output) {
    return std::find(draw.outputs.begin(), draw.outputs.end(), output) != draw.outputs.end();
}

bool searches_carrier(const Draw& draw) {
    if (draw.algorithm != "hologram") return false;
    const Json order = draw.parameters.value("off_axis", Json());
    return order == "auto" || (order.is_object() && order.value("x", 0.0) == 0 && order.value("y", 0.0) == 0);
}

bool compares_planes(const Draw& draw) {
    return draw.algorithm == "hologram" && !draw.parameters.value("autofocus", Json()).is_null();
}

}  // namespace

struct Judge::Outputs {
    std::map<std::string, HostArray> arrays;
    Json records = Json::object();
    std::string variant;
};

namespace {

void fill(Session& session, const DeviceArray& array, const HostArray& from) {
    session.queue().write(array.buffer, 0, from.data(), from.desc.dense_bytes()).wait();
}

Call call_of(Session& session, const Draw& draw, const std::string& variant, const Json& policy) {
    Call call;
    call.algorithm = &session.engine().registry().get(draw.algorithm);
    call.parameters = call.algorithm->parameters.parse(draw.parameters, "");
    call.variant = variant;
    call.policy = policy;
    call.outputs = draw.outputs;
    for (const auto& [port, input] : draw.inputs.items()) call.inputs.emplace(port, session.upload(make_array(input)));
    return call;
}

/// The third run, into arrays that hold nothing like its results after two runs on black images. Where these have no answer, or
/// leave the driver nothing to replay, it is a run like any other.
CallResult replay(Session& session, const Call& call) {
    session.replay(Replay::everywhere);
    std::map<std::string, HostArray> inputs;
    for (const auto& [port, array] : call.inputs) {
        inputs.emplace(port, session.download(array));
        fill(session, array, HostArray::make(array.desc.to_dense()));
    }
    std::map<std::string, DeviceArray, std::less<>> into;
    try {
        into = session.run(call).outputs;
        session.run(call, into);
    } catch (const Error&) {
    }
    for (const auto& [port, array] : call.inputs) fill(session, array, inputs.at(port));
    for (const auto& [port, array] : into) {
        HostArray other = HostArray::make(array.desc.to_dense());
        std::memset(other.data(), 0xA5, other.desc.dense_bytes());
        fill(session, array, other);
    }
    return session.run(call, into);
}

}  // namespace

Judge::Outputs Judge::compute(Engine& engine, const Draw& draw, const std::string& variant, const Json& policy) {
    const auto start = std::chrono::steady_clock::now();
    Session session(engine);
    if (!draw.before.is_null() && &engine != &reference_) {
        try {
            session.run(call_of(session, Draw::parse(draw.before), variant, policy));
        } catch (const Error&) {   // it is judged where it is drawn
        }
    }
    const Call call = call_of(session, draw, variant, policy);
    const CallResult result = draw.replayed && &engine != &reference_ ? replay(session, call) : session.run(call);
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

/// The outputs by the carrier that was found, as stated: a thousandth of a pixel turns every phase. The record by a search.
Judge::Outputs Judge::expected_by_carrier(Draw draw, const Outputs& made, std::string& against) {
    Draw search = draw;
    search.outputs = {"carrier"};
    const Outputs searched = expected(search, made.variant, against);
    const Json found = made.records.value("carrier", Json::object());
    draw.parameters["off_axis"] = {{"x", found.at("x")}, {"y", found.at("y")}, {"radius", found.at("radius")}};
    Outputs right = expected(draw, made.variant, against);
    right.records["carrier"] = searched.records.at("carrier");
    return right;
}

/// Puts right what may differ without being wrong. True where another plane was chosen that is as good.
bool Judge::settle(const Draw& draw, const Outputs& right, double tolerance, Outputs& made) {
    if (draw.algorithm == "metrics" && wants(draw, "metrics"))
        settle_metrics(made.records["metrics"], right.records.at("metrics"));
    if (draw.algorithm != "hologram") return false;
    if (searches_carrier(draw)) settle_carrier(made.records["carrier"], right.records.at("carrier"));
    if (wants(draw, "phase") && made.arrays.count("phase") > 0)
        settle_phase(made.arrays.at("phase"), right.arrays.at("phase"), right.arrays.at("amplitude"), tolerance);
    return compares_planes(draw) && settle_focus(made.records["focus"], right.records.at("focus"), tolerance);
}

Result Judge::run(const Draw& drawn) {
    Draw draw = drawn;
    if (searches_carrier(draw)) draw = with_output(draw, "carrier");
    if (compares_planes(draw)) draw = with_output(draw, "focus");
    Result result;
    const bool has_doubles = engine_.device().backend == host::Backend::native || engine_.context().capabilities().fp64;
    const bool asked = !draw.variant.empty() || names_a_library(draw) || (needs_doubles(draw) && !has_doubles);
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
        const Draw plain = without_library(wants(draw, "phase") ? with_output(draw, "amplitude") : draw);
        const Outputs right = searches_carrier(draw) ? expected_by_carrier(plain, outputs, result.against)
                                                     : expected(plain, outputs.variant, result.against);
        compare::Tolerance tolerance = problems::tolerance_of(draw.algorithm, outputs.variant);
        if (result.against != "reference") tolerance.relative *= 2;  // both may be off
        if (settle(draw, right, tolerance.relative, outputs) && draw.parameters.value("planes", "all") == "best") {
            draw.parameters["planes"] = "all";  // of two that are as good each would put out its own
            return run(draw);
        }
        compare::Agreement all;
        for (const auto& [port, array] : right.arrays) {
            if (!wants(draw, port)) continue;
            const auto made = outputs.arrays.find(port);
            if (made == outputs.arrays.end()) throw Error(port + ": nothing came out");
            compare::merge_into(all,
                                compare::compare_arrays(made->second, array, of_array(tolerance, array.desc.type), port));
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
