// JSON -> Study.
#include "study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "cases/inputs.hpp"
#include "job/keys.hpp"
#include "job/load.hpp"
#include "job/schema.hpp"
#include "study/claims.hpp"
#include "study/report_items.hpp"
#include "support/json_reader.hpp"
#include "support/text.hpp"

namespace parallax::engine::compare {

namespace {

const auto& study_keys =
    *new std::vector<std::string>{"$schema", "parallax_study", "title",  "source", "about",  "devices",  "sampling",
                                  "cases",   "report",         "claims", "quick",  "prices", "ranked_by"};
const auto& case_keys =
    *new std::vector<std::string>{"id",           "grid",           "quick",     "inputs",    "steps",    "non_finite",
                                  "memory_limit", "step_timeout_s", "outputs",   "reference", "tolerance", "variants",
                                  "work",         "evaluate",       "keep",      "frames",    "frames_a_second"};
const auto& sampling_keys = *new std::vector<std::string>{"warmups",    "samples",  "end_to_end",     "rounds",      "least_s",
                                                          "budget_s",   "limit_s",  "row_limit_s",    "sustained_s", "cold",
                                                          "cold_cache", "energy_s", "fresh_processes"};
const auto& way_keys = *new std::vector<std::string>{"label", "variant", "policy", "set", "backends", "tolerance"};
const auto& work_keys = *new std::vector<std::string>{"unit", "scale", "items", "bytes", "operations"};
const auto& evaluation_keys = *new std::vector<std::string>{"name", "run", "in", "parameters"};

Sampling read_sampling(const Json& value, const std::string& pointer) {
    const JsonObject f(JsonValue(value, pointer), "an object such as {\"samples\": 30}", sampling_keys);
    Sampling s;
    s.warmups = f.integer("warmups", s.warmups, 0, 1000);
    s.samples = f.integer("samples", s.samples, 1, 100000);
    s.end_to_end = f.integer("end_to_end", s.samples, 1, 100000);
    s.rounds = f.integer("rounds", s.rounds, 1, 1000);
    s.least_s = f.number("least_s", s.least_s, 0, 86400);
    s.budget_s = f.number("budget_s", s.budget_s, 0, 86400);
    s.limit_s = f.number("limit_s", s.limit_s, 0.1, 86400);
    s.row_limit_s = f.number("row_limit_s", s.row_limit_s, 0.001, 86400);
    s.sustained_s = f.number("sustained_s", s.sustained_s, 0, 86400);
    s.cold = f.flag("cold", s.cold);
    s.energy_s = f.number("energy_s", s.energy_s, 0, 86400);
    s.cold_cache = f.flag("cold_cache", s.cold_cache);
    s.fresh_processes = f.flag("fresh_processes", s.fresh_processes);
    s.rounds = std::min(s.rounds, s.samples);
    if (s.fresh_processes && s.rounds > 100)
        throw ConfigError(pointer + "/rounds", std::to_string(s.rounds), "at most 100 where each is a process of its own");
    return s;
}

std::vector<DeviceChoice> read_devices(const JsonValue& value) {
    if (value.json() == "all") return {{Json(), ""}};
    const char* const form = "\"all\", or a list of rules such as [{\"type\": \"gpu\"}]";
    const auto rules = value.list(form);
    if (rules.empty()) value.refuse(form);
    std::vector<DeviceChoice> choices;
    for (const JsonValue& one : rules) {
        const JsonObject rule(one, "a rule such as {\"type\": \"gpu\"}");
        DeviceChoice choice{without_comments(one.json()), ""};
        if (rule.contains("label")) {
            if (!rule.at("label").json().is_string()) rule.at("label").refuse("a text");
            choice.label = rule.at("label").json().get<std::string>();
            choice.rule.erase("label");
        }
        host::DeviceSelector::parse(choice.rule, one.pointer());
        choices.push_back(std::move(choice));
    }
    return choices;
}

Way read_way(const Json& value, const std::string& pointer) {
    if (value.is_string()) return {.label = value.get<std::string>(), .variant = value.get<std::string>()};
    const JsonObject f(JsonValue(value, pointer), "the name of a variant, or an object such as {\"variant\": \"fused\"}",
                       way_keys);
    Way way;
    way.variant = f.has("variant") ? f.text("variant") : "";
    way.label = f.text("label", way.variant);
    if (way.label.empty()) throw ConfigError(pointer, "neither \"label\" nor \"variant\"", "one of the two");
    way.policy = f.object("policy");
    way.set = f.object("set");
    for (const std::string& word : f.texts("backends")) {
        const host::Backend all[] = {host::Backend::opencl, host::Backend::cuda, host::Backend::native};
        const auto* const found =
            std::find_if(std::begin(all), std::end(all), [&](host::Backend b) { return to_string(b) == word; });
        if (found == std::end(all))
            throw ConfigError(f.pointer("backends"), fmt::format("\"{}\"", word), "opencl | cuda | native",
                              did_you_mean(word, {"opencl", "cuda", "native"}));
        way.backends.push_back(*found);
    }
    if (f.has("tolerance")) way.tolerance = f.at("tolerance").json();
    return way;
}

Evaluation read_evaluation(const Json& value, const std::string& pointer, const std::vector<Algorithm>& algorithms) {
    const JsonObject f(
        JsonValue(value, pointer),
        R"(an object such as {"name": "quality", "run": "metrics", "in": {"image": "image", "reference": "clean"}})",
        evaluation_keys);
    Evaluation e{f.at("name").name(), f.text("run"), f.object("parameters"), {}};
    const auto algorithm =
        std::find_if(algorithms.begin(), algorithms.end(), [&](const Algorithm& a) { return a.name == e.algorithm; });
    if (algorithm == algorithms.end())
        throw ConfigError(f.pointer("run"), fmt::format("\"{}\"", e.algorithm), "the name of an algorithm");
    algorithm->parameters.parse(e.parameters, f.pointer("parameters"));
    for (const auto& [port, name] : f.object("in").items()) {
        if (!algorithm->input(port))
            throw ConfigError(pointer_to(f.pointer("in"), port), fmt::format("\"{}\"", port), "an input of " + e.algorithm);
        if (!name.is_string()) throw ConfigError(pointer_to(f.pointer("in"), port), describe(name), "the name of an array");
        e.in.emplace(port, name.get<std::string>());
    }
    return e;
}

/// An amount with its currency: "31000 EUR". "31 000 EUR" and "31.000 EUR" would be 31 of something.
void check_price(const JsonValue& price) {
    const std::string expected = "an amount with its currency, such as \"31000 EUR\"", written = price.text(expected);
    double amount = 0;
    const char *const begin = written.data(), *const over = begin + written.size();
    const auto [end, error] = std::from_chars(begin, over, amount);
    const bool has_currency = end + 1 < over && *end == ' ';
    if (error != std::errc() || !(amount > 0) || !std::isfinite(amount) || !has_currency) price.refuse(expected);
    if (host::is_digit(end[1]) || (end - begin > 4 && end[-4] == '.')) price.refuse(expected + ", with nothing between its digits");
}

/// Lays "quick" objects over what they stand in, or takes them away.
Json apply_quick(Json json, bool quick) {
    const auto apply = [quick](Json& object) {
        if (!object.is_object() || !object.contains("quick")) return;
        const Json patch = object["quick"];
        object.erase("quick");
        if (quick && patch.is_object()) object.merge_patch(patch);
    };
    apply(json);
    if (json.is_object() && json.contains("cases") && json["cases"].is_array()) {
        for (Json& one : json["cases"]) apply(one);
    }
    return json;
}

Case read_case(const Json& value, const std::string& pointer, const std::vector<Algorithm>& algorithms) {
    const JsonObject f(JsonValue(value, pointer), R"(a case such as {"id": "sort", "inputs": ..., "steps": [{"run": "sort"}]})",
                       case_keys);
    Case c;
    c.pointer = pointer;
    c.id = check_name(f.text("id"), f.pointer("id"));
    constexpr int most_points = 10000;   // each has its inputs and a row for each way and device
    double points = 1;
    for (const auto& [axis, values] : f.object("grid").items()) {
        if (is_comment(axis)) continue;
        const std::string here = pointer_to(f.pointer("grid"), axis);
        check_name(axis, here);
        if (!values.is_array() || values.empty()) throw ConfigError(here, describe(values), "a list of values");
        std::set<std::string> names;   // of two points of one name the second would pass for measured
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool good = values[i].is_primitive() || (values[i].is_object() && values[i].contains("label"));
            if (!good)
                throw ConfigError(pointer_to(here, i), describe(values[i]),
                                  R"(a number, a text, or {"label": ..., "name": value, ...})");
            const Json& name = values[i].is_object() ? values[i]["label"] : values[i];
            if (!names.insert(name.is_string() ? name.get<std::string>() : name.dump()).second)
                throw ConfigError(pointer_to(here, i), fmt::format("{} a second time", describe(name)), "each value once, or a label of its own");
        }
        c.grid.emplace_back(axis, values);
        points *= static_cast<double>(values.size());
        if (points > most_points)
            throw ConfigError(f.pointer("grid"), fmt::format("{:.0f} points or more", points), fmt::format("at most {}", most_points),
                              "give an axis fewer values, or make several studies of it");
    }
    c.inputs = without_comments(f.object("inputs"));
    for (const auto& [name, spec] : c.inputs.items()) check_name(name, pointer_to(f.pointer("inputs"), name));
    c.steps = without_comments(f.list("steps"));
    if (c.steps.empty()) throw ConfigError(pointer, "no steps", R"("steps": a list such as [{"run": "fft"}])");
    for (const std::string& key : keys_of_cases)
        if (f.has(key)) c.settings[key] = f.at(key).json();
    c.outputs = f.texts("outputs");
    if (!value.contains("reference")) c.reference = "reference";
    else if (!value["reference"].is_null()) c.reference = f.text("reference");
    c.reference_stated = value.contains("reference");
    if (f.has("tolerance")) c.tolerance = f.at("tolerance").json();
    const Json variants = value.value("variants", Json());
    if (variants == "all") {
        c.all_variants = true;
    } else if (!variants.is_null()) {
        if (!variants.is_array() || variants.empty())
            throw ConfigError(f.pointer("variants"), describe(variants), "\"all\", or a list of variants");
        std::set<std::string> labels;
        for (std::size_t i = 0; i < variants.size(); ++i) {
            c.ways.push_back(read_way(variants[i], pointer_to(f.pointer("variants"), i)));
            if (!labels.insert(c.ways.back().label).second)
                throw ConfigError(pointer_to(f.pointer("variants"), i),
                                  fmt::format("the label \"{}\" a second time", c.ways.back().label), "a label of its own");
        }
    }
    if (f.has("work")) {
        const JsonObject work(f.at("work"), R"(an object such as {"unit": "GB/s", "scale": 1e9, "items": ["$size", 4]})",
                              work_keys);
        work.text("unit", "items/s");
        work.number("scale", 1, 1e-300, 1e300);
        work.list("items");
        work.list("bytes");
        work.list("operations");
        c.work = f.at("work").json();
    }
    const Json evaluations = f.list("evaluate");
    for (std::size_t i = 0; i < evaluations.size(); ++i)
        c.evaluations.push_back(read_evaluation(evaluations[i], pointer_to(f.pointer("evaluate"), i), algorithms));
    c.keep = f.texts("keep");
    f.number("frames", 1, 1e-300, 1e300);
    f.number("frames_a_second", 1, 1e-300, 1e300);
    return c;
}

}  // namespace

void add_prices(Json& study, const std::vector<std::string>& written) {
    for (const std::string& one : written) {
        const std::size_t equals = one.find('=');
        if (equals == 0 || equals == std::string::npos)
            throw ConfigError("--price", "\"" + one + "\"",
                              "a part of a device's name and what it costs, such as \"H200=31000 EUR\"");
        const Json price = one.substr(equals + 1);
        check_price(JsonValue(price, "--price"));
        study["prices"][one.substr(0, equals)] = price;
    }
}

void check_prices(const std::vector<std::string>& written, const std::vector<std::pair<std::string, std::string>>& devices) {
    for (const std::string& one : written) {
        const std::string name = one.substr(0, one.find('='));
        std::vector<std::string> labels;
        bool is_there = false;
        for (const auto& [label, hardware] : devices) {
            is_there = is_there || host::lower(label + " " + hardware).find(host::lower(name)) != std::string::npos;
            labels.push_back(label);
        }
        if (!is_there)
            throw ConfigError("--price", fmt::format("\"{}\", which is part of no device's name", name),
                              fmt::format("a part of one of these: {}", fmt::join(labels, "; ")));
    }
}

Study parse_study(const Json& json, const std::vector<Algorithm>& algorithms, bool quick) {
    if (!json.is_object())
        throw ConfigError("", describe(json), R"(a study: {"parallax_study": 1, "title": ..., "cases": [...]})");
    const Json whole = apply_quick(json, quick);
    const JsonObject f(JsonValue(whole, ""), "a study", study_keys);
    if (!f.has("parallax_study"))
        throw ConfigError("/parallax_study", "nothing", "1, the version of the study format", "add \"parallax_study\": 1");
    if (f.at("parallax_study").json() != 1) f.at("parallax_study").refuse("1, the version that this program reads");
    Study study;
    study.quick = quick;
    study.written = without_comments(whole);
    study.title = f.text("title");
    study.source = f.has("source") ? f.text("source") : "";
    study.about = f.has("about") ? f.text("about") : "";
    study.devices = f.has("devices") ? read_devices(f.at("devices")) : std::vector<DeviceChoice>{{Json(), ""}};
    study.sampling = read_sampling(f.object("sampling"), "/sampling");
    const Json cases = f.list("cases");
    if (cases.empty()) throw ConfigError("/cases", "no case", "a list with at least one case");
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        study.cases.push_back(read_case(cases[i], pointer_to("/cases", i), algorithms));
        const std::string& id = study.cases.back().id;
        if (std::find(ids.begin(), ids.end(), id) != ids.end())
            throw ConfigError(pointer_to("/cases", i) + "/id", fmt::format("the id \"{}\" a second time", id),
                              "an id of its own");
        ids.push_back(id);
    }
    f.word("ranked_by", {"device", "end_to_end"}, "device");
    for (const auto& [name, price] :
         JsonObject(JsonValue(f.object("prices"), "/prices"), R"(an object such as {"H200": "31000 EUR"})").members())
        check_price(price);
    study.report = without_comments(f.list("report"));
    check_report_items(study.report, "/report", ids);
    check_claims(f.list("claims"), "/claims");
    return study;
}

Json study_schema(const std::vector<Algorithm>& algorithms) {
    const Json text{{"type", "string"}, {"minLength", 1}}, number{{"type", "number"}};
    const Json texts{{"anyOf", {text, Json{{"type", "array"}, {"items", text}}}}};
    const auto closed = [](Json properties, std::vector<std::string> required = {}) {
        Json schema{{"type", "object"},
                    {"properties", std::move(properties)},
                    {"patternProperties", {{"^//", true}}},
                    {"additionalProperties", false}};
        if (!required.empty()) schema["required"] = std::move(required);
        return schema;
    };
    const auto described = [](Json schema, const char* what) {
        schema["description"] = what;
        return schema;
    };
    Json names = Json::array();
    for (const Algorithm& algorithm : algorithms) names.push_back(algorithm.name);
    const Json factors{{"type", "array"},
                       {"items", {{"anyOf", {number, text, Json{{"type", "array"}, {"items", {{"anyOf", {number, text}}}}}}}}}};
    const Json of_job = job_schema(algorithms).at("properties");
    Json way =
        closed({{"label", described(text, "Name in the report, by default the variant's.")},
                {"variant", described(text, "Of the last step; left out: what the engine chooses.")},
                {"policy", {{"type", "object"}}},
                {"set", described({{"type", "object"}}, "Changes of parameters: \"key\" of the last step, or \"step.key\".")},
                {"backends", described(texts, "opencl, cuda, native: where it runs; left out: wherever the variant does.")},
                {"tolerance", described({{"anyOf", {number, Json{{"type", "object"}}}}}, "Instead of the case's.")}});
    Json sampling = closed(
        {{"warmups", {{"type", "integer"}, {"minimum", 0}, {"default", 3}}},
         {"samples", {{"type", "integer"}, {"minimum", 1}, {"default", 30}}},
         {"end_to_end",
          described({{"type", "integer"}, {"minimum", 1}}, "Samples from host memory to host memory; by default as many.")},
         {"rounds", described({{"type", "integer"}, {"minimum", 1}, {"default", 5}}, "Turns in which the devices alternate.")},
         {"least_s", described({{"type", "number"}, {"default", 0.1}},
                               "Short runs get more samples, up to ten times as many, until they have taken this long.")},
         {"budget_s", described({{"type", "number"}, {"default", 2}},
                                "Most seconds for the samples of a row, and as much again from end to end.")},
         {"limit_s", described({{"type", "number"}, {"default", 120}}, "A worker that does not answer for so long is ended.")},
         {"row_limit_s",
          described({{"type", "number"}, {"default", 60}},
                    "A row of which one run is expected to take longer, by its work and the point before, is left out.")},
         {"sustained_s",
          described({{"type", "number"}, {"default", 0}}, "Runs each row from end to end without pause for so long.")},
         {"energy_s", described({{"type", "number"}, {"default", 0}},
                                "Measures joules a run for so long, where the device or the processor tells: NVML, RAPL.")},
         {"fresh_processes", described({{"type", "boolean"}, {"default", false}},
                                       "Each round in a process of its own, so that intervals hold what processes differ by.")},
         {"cold_cache",
          described(
              {{"type", "boolean"}, {"default", false}},
              "Takes each sample of the device's time after a copy that leaves nothing of the row's arrays in its caches.")},
         {"cold",
          described({{"type", "boolean"}, {"default", false}}, "Compile with empty caches, and once more from a full one.")}});
    Json step{{"type", "object"},
              {"properties", {{"run", {{"enum", std::move(names)}}}}},
              {"required", {"run"}},
              {"description", "As in a job; \"$axis\" stands for a value of the grid."}};
    Json one = closed(
        {{"id", text},
         {"grid", described({{"type", "object"}},
                            "Axis -> list of values, or of {\"label\": ..., \"name\": value}; every combination is a point.")},
         {"quick", described({{"type", "object"}}, "Laid over the case by --quick.")},
         {"inputs", described({{"type", "object"}, {"additionalProperties", input_spec_schema()}},
                              "Name -> how it is made, or a file as in a job.")},
         {"steps", {{"type", "array"}, {"items", std::move(step)}, {"minItems", 1}}},
         {"non_finite", of_job.at("non_finite")},
         {"memory_limit", of_job.at("memory_limit")},
         {"step_timeout_s", of_job.at("step_timeout_s")},
         {"outputs", described(texts, "What is held against the reference; by default the required outputs of the last step.")},
         {"reference",
          described({{"type", {"string", "null"}}, {"default", "reference"}},
                    "Variant of the native device that is the oracle; null: results are compared with nothing. Left out: "
                    "reference, and for inputs above 4 MB threaded where there is one; rows say which.")},
         {"tolerance", described({{"anyOf", {number, Json{{"type", "object"}}}}},
                                 "Largest error as a part of the largest magnitude (default 1e-5; integers are exact), or "
                                 "{\"relative\": ..., \"levels\": ...}, or one for each output.")},
         {"variants",
          described(
              {{"anyOf", {Json{{"const", "all"}}, Json{{"type", "array"}, {"items", {{"anyOf", {text, std::move(way)}}}}}}}},
              "Left out: what the engine chooses.")},
         {"work",
          described(
              closed({{"unit", text}, {"scale", number}, {"items", factors}, {"bytes", factors}, {"operations", factors}}),
              "Factors whose product is the work of a run; lists in the list are added. bytes: the least that crosses memory; "
              "operations: of arithmetic, for the roofline.")},
         {"evaluate",
          described({{"type", "array"},
                     {"items",
                      closed({{"name", text}, {"run", text}, {"in", {{"type", "object"}}}, {"parameters", {{"type", "object"}}}},
                             {"name", "run"})}},
                    "Algorithms that judge the results, run on the host.")},
         {"keep", described(texts, "Images that the report shows.")},
         {"frames", described(number, "Frames that one run computes, by default 1: a series of 64 has 64.")},
         {"frames_a_second", described(number, "What the instrument gives: the report says who keeps up, and by how much.")}},
        {"id", "steps"});
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", "Parallax study"},
                {"description", "Keys that begin with // are comments."}};
    schema.update(closed(
        {{"$schema", text},
         {"parallax_study", {{"const", 1}}},
         {"title", text},
         {"source", described(text, "The paper whose experiment is repeated.")},
         {"about", text},
         {"devices",
          described(
              {{"anyOf", {Json{{"const", "all"}}, Json{{"type", "array"}, {"items", {{"type", "object"}}}, {"minItems", 1}}}}},
              "Rules as in a job; every device that one admits. With a \"label\" a device may stand in the list again.")},
         {"sampling", std::move(sampling)},
         {"cases", {{"type", "array"}, {"items", std::move(one)}, {"minItems", 1}}},
         {"report", described(report_items_schema(), "Tables and figures.")},
         {"claims", claims_schema()},
         {"ranked_by",
          described({{"enum", {"device", "end_to_end"}}},
                    "By which time devices are ranked: their own, or from host memory to host memory. By default their "
                    "own, but where rows are run without pause.")},
         {"prices",
          described({{"type", "object"}, {"additionalProperties", text}},
                    "Part of a device's name -> what it costs, such as \"31000 EUR\": shown with it, and speed by price.")},
         {"quick", described({{"type", "object"}}, "Laid over the study by --quick.")}},
        {"parallax_study", "title", "cases"}));
    return schema;
}

}  // namespace parallax::engine::compare
