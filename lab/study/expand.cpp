#include "study/expand.hpp"

#include "cases/inputs.hpp"
#include "job/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace parallax::engine::compare {

namespace {

using Variables = std::vector<std::pair<std::string, Json>>;

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// "$size" -> its value, at any depth.
Json fill(const Json& json, const Variables& variables, const std::string& pointer) {
    if (json.is_string() && json.get_ref<const std::string&>().starts_with("$")) {
        const std::string name = json.get<std::string>().substr(1);
        std::vector<std::string> known;
        for (const auto& [variable, value] : variables) {
            if (variable == name) return value;
            known.push_back("$" + variable);
        }
        throw ConfigError(pointer, describe(json),
                          known.empty() ? "no variable: the case has no grid" : fmt::format("one of {}", fmt::join(known, ", ")),
                          did_you_mean("$" + name, known));
    }
    if (json.is_array()) {
        Json list = Json::array();
        for (std::size_t i = 0; i < json.size(); ++i) list.push_back(fill(json[i], variables, pointer_to(pointer, i)));
        return list;
    }
    if (!json.is_object()) return json;
    Json object = Json::object();
    for (const auto& [key, value] : json.items()) object[key] = fill(value, variables, pointer_to(pointer, key));
    return object;
}

/// [2, 3] is 6; [[2, 3], [4]] is 10.
double amount(const Json& factors, const std::string& pointer) {
    if (factors.is_null() || factors.empty()) return 0;
    double product = 1, sum = 0;
    bool sums = false;
    for (std::size_t i = 0; i < factors.size(); ++i) {
        if (factors[i].is_array()) {
            sums = true;
            sum += amount(factors[i], pointer_to(pointer, i));
        } else if (factors[i].is_number()) {
            product *= factors[i].get<double>();
        } else {
            throw ConfigError(pointer_to(pointer, i), describe(factors[i]), "a number, or a \"$axis\" that is one");
        }
    }
    return sums ? sum : product;
}

Work work_of(const Json& written, const Variables& variables, const std::string& pointer) {
    if (!written.is_object()) return {};
    const Json filled = fill(written, variables, pointer);
    const auto of = [&](const std::string& key) {
        const double all = amount(filled.value(key, Json()), pointer_to(pointer, key));
        if (!std::isfinite(all))
            throw ConfigError(pointer_to(pointer, key), "a product that no number can hold", "the work of one run",
                              "state \"scale\" for larger units, and what a run really has");
        return all;
    };
    return {filled.value("unit", std::string("items/s")), filled.value("scale", 1.0), of("items"), of("bytes"), of("operations")};
}

const Algorithm* algorithm_of(const Json& step, const std::vector<Algorithm>& algorithms) {
    const std::string run =
        step.is_object() && step.contains("run") && step["run"].is_string() ? step["run"].get<std::string>() : std::string();
    const auto found = std::find_if(algorithms.begin(), algorithms.end(), [&](const Algorithm& a) { return a.name == run; });
    return found == algorithms.end() ? nullptr : &*found;
}

std::string id_of(const Json& step) {
    return step.contains("id") ? text_of(step["id"]) : step.contains("run") ? text_of(step["run"]) : std::string();
}

/// What is put out, by name: what the study asks for, or what the last step always gives.
Json outputs_of(const Point& point, const std::vector<Algorithm>& algorithms) {
    Json outputs = Json::object();
    for (const std::string& name : point.outputs) outputs[name] = nullptr;
    if (!outputs.empty()) return outputs;
    const Json& last = point.steps.back();
    const Algorithm* const algorithm = algorithm_of(last, algorithms);
    if (!algorithm) return outputs;
    for (const Port& port : algorithm->outputs) {
        if (!port.required) continue;
        const bool renamed = last.contains("out") && last["out"].is_object() && last["out"].contains(port.name);
        outputs[renamed ? text_of(last["out"][port.name]) : port.name] = nullptr;
    }
    return outputs;
}

/// Inputs that the steps can use: by name in "in", or as ports.
bool is_used(const std::string& input, const Json& steps, const std::vector<Algorithm>& algorithms) {
    for (const Json& step : steps) {
        const Algorithm* const algorithm = algorithm_of(step, algorithms);
        if (!algorithm) continue;
        const Json in = step.value("in", Json::object());
        for (const auto& [port, name] : in.items()) {
            if (name == input) return true;
        }
        if (algorithm->input(input) && !in.contains(input)) return true;
    }
    return false;
}

std::vector<Way> ways_of(const Case& c, const Json& steps, const std::vector<Algorithm>& algorithms) {
    if (!c.all_variants) return c.ways.empty() ? std::vector<Way>{{.label = "chosen"}} : c.ways;
    std::vector<Way> ways;
    if (const Algorithm* const algorithm = algorithm_of(steps.back(), algorithms)) {
        for (const Variant& variant : algorithm->variants) ways.push_back({.label = variant.name, .variant = variant.name});
    }
    return ways;
}

Point make_point(const Study& study, std::size_t index, const Json& labels, const Variables& variables,
                 const std::vector<Algorithm>& algorithms) {
    const Case& c = study.cases[index];
    Point point;
    point.case_index = index;
    point.grid = labels;
    point.id = c.id;
    for (const auto& [name, value] : variables) {
        if (!labels.contains(name)) point.variables[name] = value;
    }
    for (const auto& [axis, label] : labels.items()) point.id += fmt::format("/{}={}", axis, text_of(label));
    point.inputs = fill(c.inputs, variables, c.pointer + "/inputs");
    point.steps = fill(c.steps, variables, c.pointer + "/steps");
    point.settings = fill(c.settings, variables, c.pointer);
    point.outputs = c.outputs;
    point.work = work_of(c.work, variables, c.pointer + "/work");
    std::vector<std::string> earlier;
    for (const auto& [name, spec] : point.inputs.items()) {
        check_input_spec(spec, pointer_to(c.pointer + "/inputs", name), algorithms, earlier);
        earlier.push_back(name);
    }
    point.ways = ways_of(c, point.steps, algorithms);
    if (const Algorithm* const last = algorithm_of(point.steps.back(), algorithms)) {
        for (Way& way : point.ways) way.variant = last->present_name(std::move(way.variant));
    }
    return point;
}

/// What a variant of the study brings into the last step stands among the case's variants.
std::string pointer_of(const std::string& in_job, const Point& point, const Way& way, const Case& c) {
    const std::string last = fmt::format("/steps/{}", point.steps.size() - 1);
    for (std::size_t i = 0; i < c.ways.size(); ++i) {
        if (c.ways[i].label != way.label) continue;
        if (in_job == last + "/variant" && !way.variant.empty()) return fmt::format("/variants/{}", i);
        if (in_job.starts_with(last + "/policy") && !way.policy.empty())
            return fmt::format("/variants/{}{}", i, in_job.substr(last.size()));
    }
    return in_job;
}

/// Errors of a point's job, in the words of the study.
void check_job(const Point& point, const Way& way, const Case& c, const std::vector<Algorithm>& algorithms) {
    try {
        pipeline_of(job_of(point, way, algorithms), algorithms);
    } catch (const ConfigError& error) {
        const std::string at = way.label.empty() ? point.id : fmt::format("{}, {}", point.id, way.label);
        throw ConfigError(c.pointer + pointer_of(error.pointer, point, way, c), fmt::format("{} ({})", error.found, at),
                          error.expected, error.hint);
    }
}

void check_names(const Case& c, const Point& point, const Json& outputs) {
    const auto known = [&](const std::string& name) { return outputs.contains(name) || point.inputs.contains(name); };
    for (const std::string& name : c.keep) {
        if (!known(name))
            throw ConfigError(c.pointer + "/keep", fmt::format("\"{}\"", name), "the name of an output or an input of the case");
    }
    for (const Evaluation& e : c.evaluations) {
        for (const auto& [port, name] : e.in) {
            if (!known(name))
                throw ConfigError(c.pointer + "/evaluate", fmt::format("\"{}\" for {}", name, port),
                                  "the name of an output or an input of the case");
        }
    }
}

}  // namespace

Pipeline pipeline_of(const Json& job, const std::vector<Algorithm>& algorithms) {
    std::vector<std::string> inputs;
    for (const auto& [name, nothing] : job.at("inputs").items()) inputs.push_back(name);
    return parse_pipeline(job, algorithms, inputs);
}

Json job_of(const Point& point, const Way& way, const std::vector<Algorithm>& algorithms) {
    Json inputs = Json::object();
    for (const auto& [name, spec] : point.inputs.items()) {
        if (is_used(name, point.steps, algorithms)) inputs[name] = nullptr;
    }
    Json job{{"parallax", 1}, {"inputs", std::move(inputs)}, {"steps", point.steps}, {"outputs", outputs_of(point, algorithms)}};
    job.update(point.settings);
    Json& last = job["steps"].back();
    if (!way.variant.empty()) last["variant"] = way.variant;
    if (!way.policy.empty()) last["policy"] = way.policy;
    for (const auto& [key, value] : way.set.items()) {
        const std::string path = key.find('.') == std::string::npos ? id_of(last) + "." + key : key;
        apply_setting(job, path + "=" + value.dump(), algorithms);
    }
    return job;
}

Way reference_way(const Case& c) { return {.label = "reference", .variant = c.reference.value_or("")}; }

bool runs_on(const Point& point, const Way& way, host::Backend backend, const std::vector<Algorithm>& algorithms) {
    if (!way.backends.empty() && std::find(way.backends.begin(), way.backends.end(), backend) == way.backends.end()) return false;
    const Algorithm* const algorithm = algorithm_of(point.steps.back(), algorithms);
    const Variant* const variant = algorithm && !way.variant.empty() ? algorithm->variant(way.variant) : nullptr;
    return !variant || std::find(variant->backends.begin(), variant->backends.end(), backend) != variant->backends.end();
}

std::vector<Point> expand(const Study& study, const std::vector<Algorithm>& algorithms) {
    std::vector<Point> points;
    for (std::size_t index = 0; index < study.cases.size(); ++index) {
        const Case& c = study.cases[index];
        std::vector<std::size_t> at(c.grid.size(), 0);
        for (bool more = true; more;) {
            Json labels = Json::object();
            Variables variables;
            for (std::size_t i = 0; i < at.size(); ++i) {
                const auto& [axis, values] = c.grid[i];
                const Json& value = values[at[i]];
                labels[axis] = value.is_object() ? value["label"] : value;
                variables.emplace_back(axis, labels[axis]);
                if (!value.is_object()) continue;
                for (const auto& [name, member] : value.items()) {
                    if (name != "label") variables.emplace_back(name, member);
                }
            }
            Point point = make_point(study, index, labels, variables, algorithms);
            for (const Way& way : point.ways) check_job(point, way, c, algorithms);
            if (c.reference) check_job(point, reference_way(c), c, algorithms);
            check_names(c, point, outputs_of(point, algorithms));
            points.push_back(std::move(point));
            more = false;
            for (std::size_t i = at.size(); i-- > 0 && !more;) {   // the last axis turns fastest
                more = ++at[i] < c.grid[i].second.size();
                if (!more) at[i] = 0;
            }
        }
    }
    return points;
}

}  // namespace parallax::engine::compare
