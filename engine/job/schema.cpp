#include "job/schema.hpp"

#include "io/picture/colour_map.hpp"
#include "job/keys.hpp"
#include "parallax/host/selector.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine {

namespace {

Json closed(Json properties, std::vector<std::string> required = {}) {
    Json schema{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    schema["patternProperties"]["^//"] = true;
    schema["additionalProperties"] = false;
    return schema;
}

Json any_of(std::vector<Json> choices) { return {{"anyOf", std::move(choices)}}; }
Json described(Json schema, const std::string& text) {
    schema["description"] = text;
    return schema;
}
const auto& path = *new Json{{"type", "string"}, {"minLength", 1}};
const auto& paths = *new Json(any_of({path, Json{{"type", "array"}, {"items", path}, {"minItems", 1}}}));

Json names_schema(const Json& value) {
    return Json{{"type", "object"},
                {"patternProperties", {{"^//", true}, {"^[A-Za-z_][A-Za-z0-9_-]*$", value}}},
                {"additionalProperties", false}};
}

Json step_schema(const Algorithm& algorithm) {
    Json schema = algorithm.parameters.schema();
    Json in = Json::object(), out = Json::object(), variants = Json::array();
    for (const Port& port : algorithm.inputs) {
        in[port.name] = described(port.required ? path : Json{{"type", {"string", "null"}}, {"minLength", 1}}, port.doc);
    }
    for (const Port& port : algorithm.outputs) out[port.name] = described(path, port.doc);
    for (const Variant& variant : algorithm.variants) variants.push_back(variant.name);
    variants.push_back(nullptr);
    Json properties{
        {"id", described(path, "Name of the step, by default that of its algorithm.")},
        {"run", {{"const", algorithm.name}, {"description", algorithm.summary}}},
        {"in",
         described(closed(std::move(in)), "Input of the algorithm -> name of an array; may be left out where the names agree.")},
        {"out", described(closed(std::move(out)),
                          "Output of the algorithm -> name that the array gets, by default that of the output.")},
        {"variant", {{"enum", std::move(variants)}, {"description", "How it is computed; by default the first that can."}}},
        {"policy", {{"type", "object"}, {"description", "Policies of the variant."}}}};
    properties.update(schema["properties"]);
    schema["properties"] = std::move(properties);
    schema["required"] = {"run"};
    schema["description"] = algorithm.summary;
    return schema;
}

Json spacing_schema() {
    const Json number{{"type", "number"}, {"exclusiveMinimum", 0}};
    return any_of({number, Json{{"type", "array"}, {"items", number}, {"minItems", 1}, {"maxItems", 3}}});
}

Json input_schema() {
    const Json index{{"type", "integer"}, {"minimum", 0}};
    Json raw = closed(
        {{"type",
          {{"enum",
            {"bool", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64", "c64", "c128", "mono10p", "mono12p"}}}},
         {"axes", described({{"type", "string"}, {"pattern", "^[tczyx]+$"}}, "Slowest first, for instance \"yx\".")},
         {"shape", {{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 1}}}}},
         {"offset", described(index, "Bytes before the first element.")},
         {"big_endian", {{"type", "boolean"}}}},
        {"type", "axes", "shape"});
    Json properties{
        {"file", described(path, "Relative to the job's folder, or \"NAME:path\" below --root NAME=DIR.")},
        {"files", described(paths, "A pattern with * and ?, or a list; \"combine\" makes one array of them.")},
        {"combine", {{"enum", combine_words}}},
        {"page", described(index, "One page of a stack, from 0.")},
        {"pages",
         described({{"type", "array"}, {"items", index}, {"minItems", 2}, {"maxItems", 2}},
                   "[first, end], the end left out; one page, too, keeps its axis.")},
        {"page_axis",
         described({{"enum", {"t", "z"}}},
                   "Whether pages are times or planes, instead of what the file says; a file that says nothing has planes.")},
        {"volume", described(index, "One volume of a 4-D NIfTI file, from 0.")},
        {"dataset", described(path, "Of a file that holds several arrays: which, by its name or path in the file.")},
        {"channel", described(any_of({index, path}), "One channel, by its number from 0 or its name.")},
        {"series", described(index, "Of a file that holds several images: which, from 0.")},
        {"level", described(index, "Of a pyramid: 0 the largest, the default.")},
        {"raw", described(std::move(raw), "Layout of a file without a header.")},
        {"running", described({{"type", "integer"}, {"minimum", 1}},
                              "In a series: this many neighbours, the item in their middle, combined; odd.")},
        {"slab", described({{"type", "integer"}, {"minimum", 1}},
                           "Slices in memory at a time, for steps that can work so. Left out: all, or as many as fit.")},
        {"grey", described({{"type", "boolean"}},
                           "Make luminance of colours and leave transparency out. Left out: all channels, as an axis c.")},
        {"keep_channels", described({{"type", "boolean"}}, "The opposite of \"grey\", as jobs of version 0.1 wrote it.")}};
    for (const std::string& unit : spacing_units) {
        properties["spacing_" + unit] =
            described(spacing_schema(), "Size of a pixel, instead of what the file says: a number, [x, y] or [x, y, z].");
    }
    return any_of({path, closed(std::move(properties))});
}

Json output_schema() {
    const Json pair{{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}, {"maxItems", 2}};
    const Json of = described(path, "Name of the array or record, by default that of the output.");
    const Json file = closed(
        {{"file", described(path, "Relative to --out.")},
         {"of", of},
         {"combine",
          described({{"enum", fold_words}}, "In a series: one array of all items; stack: all of them, one behind the other.")},
         {"window", described(pair, "Pictures: values that become black and white, in all frames alike.")},
         {"window_percentile", described(pair, "Pictures: the same by percentiles, for instance [1, 99].")},
         {"colour_map", described({{"enum", io::picture::colour_map_names}},
                                  "Pictures: colours for values. Left out: grey. twilight goes round, from -pi to pi.")},
         {"scale_bar", described({{"anyOf", {{{"type", "boolean"}}, {{"type", "number"}, {"exclusiveMinimum", 0}}}}},
                                 "Pictures: a bar that shows a length: true, or how long, in the unit of the spacing.")},
         {"colour_bar", described({{"type", "boolean"}}, "Pictures: a strip beside it that shows what its colours mean.")},
         {"montage", described({{"anyOf", {{{"type", "boolean"}}, {{"type", "integer"}, {"minimum", 1}, {"maximum", 10000}}}}},
                               "PNG and JPEG: all pages side by side: true, or in so many columns.")},
         {"compression", described({{"type", "integer"}, {"minimum", 0}, {"maximum", 9}},
                                   "PNG, TIFF and Zarr: 0 none, 1 fast, 9 small. Left out: 1 for PNG, else 0.")},
         {"format", described({{"enum", {"raw", "pgm", "y4m"}}}, "Frames on standard output (\"-\"): left out, as they came.")},
         {"quality", described({{"type", "integer"}, {"minimum", 1}, {"maximum", 100}}, "JPEG: left out, 90.")},
         {"bits", described({{"enum", {8, 16}}}, "PNG: bits of a pixel.")},
         {"frames_a_second", described({{"type", "number"}, {"minimum", 0.01}, {"maximum", 1000}},
                                       "MP4 and GIF: left out, by the array's times, else 10.")}},
        {"file"});
    const Json table = closed(
        {{"table",
          described(
              path,
              "A .csv file: the scalars of a record as one row, or a row for each label; in a series such rows for each item.")},
         {"of", of},
         {"times", described({{"type", "boolean"}}, "In a series: with what each item took.")}},
        {"table"});
    return any_of({path, file, table});
}

/// The device's schema comes from the host runtime, which knows no comments.
Json with_comments(Json schema) {
    if (!schema.is_structured()) return schema;
    for (Json& member : schema) member = with_comments(std::move(member));
    if (schema.is_object() && schema.contains("additionalProperties") && schema["additionalProperties"] == false) {
        schema["patternProperties"]["^//"] = true;
    }
    return schema;
}

Json for_each_schema() {
    const Json index{{"type", "integer"}, {"minimum", 0}};
    const Json source =
        any_of({paths, closed({{"files", described(paths, "Files, each an item.")},
                               {"pages", described(paths, "Stacks, each page an item.")},
                               {"volumes", described(paths, "4-D NIfTI files, each volume an item.")},
                               {"page_axis", described({{"enum", {"t", "z"}}},
                                                       "Whether pages are times or planes, instead of what the file says.")},
                               {"range", described({{"type", "array"}, {"items", index}, {"minItems", 2}, {"maxItems", 2}},
                                                   "[first, end], the end left out.")},
                               {"stride", described({{"type", "integer"}, {"minimum", 1}}, "Every n-th.")}})});
    return {{"type", "object"},
            {"properties", {{"on_error", {{"enum", {"stop", "continue"}}}}}},
            {"patternProperties", {{"^//", true}, {"^(?!on_error$)[A-Za-z_][A-Za-z0-9_-]*$", source}}},
            {"additionalProperties", false}};
}

}  // namespace

Json job_schema(const std::vector<Algorithm>& algorithms) {
    Json definitions = Json::object(), names = Json::array(), branches = Json::array();
    for (const Algorithm& algorithm : algorithms) {
        definitions["step_" + algorithm.name] = step_schema(algorithm);
        names.push_back(algorithm.name);
        branches.push_back({{"if", {{"properties", {{"run", {{"const", algorithm.name}}}}}}},
                            {"then", {{"$ref", "#/$defs/step_" + algorithm.name}}}});
    }
    const Json step{{"type", "object"},
                    {"required", {"run"}},
                    {"properties", {{"run", {{"enum", std::move(names)}}}}},
                    {"allOf", std::move(branches)}};
    definitions["device"] = with_comments(host::DeviceSelector::schema());
    Json job = closed(
        {{"$schema", path},
         {"parallax", described({{"const", 1}}, "Version of the job format.")},
         {"comment", {{"type", "string"}}},
         {"device", {{"$ref", "#/$defs/device"}}},
         {"for_each", described(for_each_schema(), "Runs the job for each file, page or volume.")},
         {"non_finite",
          described({{"enum", non_finite_words}, {"default", "propagate"}}, "What becomes of NaN and infinity in inputs.")},
         {"memory_limit", described(any_of({Json{{"type", "integer"}, {"minimum", 1}},
                                            Json{{"type", "string"},
                                                 {"pattern", "^\\s*\\d+(\\.\\d+)?\\s*(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)\\s*$"}}}),
                                    "Most device memory that the job may use, in bytes or as \"512 MiB\".")},
         {"retry", described({{"type", "boolean"}, {"default", true}},
                             "Whether a job whose device failed is run once more in a fresh context.")},
         {"step_timeout_s", described({{"type", "number"}, {"minimum", 0}, {"maximum", 1e9}, {"default", 3600}},
                                      "Seconds that the device may take for a step before it is given up; 0: no limit.")},
         {"inputs", described(names_schema(input_schema()), "Name of an array -> file.")},
         {"steps", {{"type", "array"}, {"minItems", 1}, {"items", step}}},
         {"outputs", described(names_schema(output_schema()), "Name of an array or a record -> file.")}},
        {"parallax", "steps", "outputs"});
    job["properties"]["outputs"]["minProperties"] = 1;
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", "Parallax job"},
                {"description", "Keys that begin with // are comments and may stand in any object."}};
    schema.update(job);
    schema["$defs"] = std::move(definitions);
    return schema;
}

Json starting_job(const Algorithm& algorithm) {
    // Of parameters that have no default, for nobody can guess them.
    static const auto& examples = *new Json{{"wavelength_nm", 532}, {"distance_um", 1000}};
    // Of those whose default is for a step with another array.
    static const auto& second_operand = *new Json{{"arithmetic", {{"value", 2}}}};
    const Json instead = second_operand.value(algorithm.name, Json::object());
    Json inputs = Json::object(), outputs = Json::object();
    const bool any_of_them = std::none_of(algorithm.inputs.begin(), algorithm.inputs.end(),
                                          [](const Port& p) { return p.required; });   // then the first
    for (const Port& port : algorithm.inputs) {
        if (!port.required && !(any_of_them && &port == &algorithm.inputs.front())) {
            inputs["//" + port.name] = fmt::format("optional: {}", port.doc);
            continue;
        }
        inputs["//" + port.name] = port.doc;
        // A TIFF has rows and columns, and no complex numbers.
        inputs[port.name] = port.name + (port.name == "array" || port.name == "keys" ? ".npy" : ".tif");
    }
    const bool none_required =
        std::none_of(algorithm.outputs.begin(), algorithm.outputs.end(), [](const Port& p) { return p.required; });
    bool first = true;
    for (const Port& port : algorithm.outputs) {
        const bool shown = port.required || (none_required && first);
        first = false;
        outputs["//" + port.name] = shown ? port.doc : fmt::format("optional: {}", port.doc);
        const bool is_taken = inputs.contains(port.name) && inputs[port.name] == port.name + ".npy";   // it is an input's
        if (shown)
            outputs[port.name] = (is_taken ? algorithm.name + "_" : "") + port.name +
                                 (port.kind == PortKind::record    ? ".json"
                                  : port.kind == PortKind::drawing ? ".svg"
                                                                   : ".npy");
    }
    Json step{{"id", algorithm.name}, {"run", algorithm.name}};
    const Json schemas = algorithm.parameters.schema()["properties"];
    for (const ParameterField& field : algorithm.parameters.fields()) {
        const bool required = !schemas[field.canonical_key].contains("default");
        step["//" + field.canonical_key] =
            fmt::format("{} ({}{})", field.doc, field.type, required ? "; required, and yours will differ" : "");
        step[field.canonical_key] = instead.contains(field.canonical_key) ? instead[field.canonical_key]
                                    : required                            ? examples.at(field.canonical_key)
                                                                          : schemas[field.canonical_key]["default"];
    }
    Json job{{"parallax", 1}, {"comment", algorithm.summary}};
    if (!algorithm.inputs.empty()) job["inputs"] = std::move(inputs);
    job["steps"] = Json::array({std::move(step)});
    job["outputs"] = std::move(outputs);
    return job;
}

}  // namespace parallax::engine
