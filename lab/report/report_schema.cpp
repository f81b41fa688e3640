// report.json as JSON Schema: what readers may rely on, and what check_report() holds a file against.
#include "report/report.hpp"

namespace parallax::engine::compare {

namespace {

Json described(Json schema, const char* what) {
    schema["description"] = what;
    return schema;
}

Json object_of(Json properties, std::vector<std::string> required = {}) {
    Json schema{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
}

Json map_of(Json values) { return {{"type", "object"}, {"additionalProperties", std::move(values)}}; }
Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

}  // namespace

Json report_schema() {
    const Json text{{"type", "string"}}, number{{"type", "number"}}, flag{{"type", "boolean"}}, any_object{{"type", "object"}},
        index{{"type", "integer"}, {"minimum", 0}}, maybe{{"type", Json::array({"number", "null"})}};
    const Json seconds = list_of(list_of({{"type", Json::array({"number", "null"})}, {"minimum", 0}, {"maximum", 1e9}}));
    const Json rounds = described(seconds, "A list a round of seconds; null where the driver does not tell.");
    const Json named_rounds = map_of(rounds);
    const Json estimate = object_of({{"median", number},
                                     {"low", number},
                                     {"high", number},
                                     {"confidence", described(number, "Of the interval; missing: 0.95. 0: of one process.")}},
                                    {"median", "low", "high"});

    const Json study = described(
        object_of({{"title", text},
                   {"ranked_by", {{"type", "string"}, {"enum", {"device", "end_to_end"}}}},
                   {"prices", map_of(text)},
                   {"cases", list_of(object_of({{"id", text}, {"frames", number}, {"frames_a_second", number}}, {"id"}))},
                   {"claims", list_of(object_of({{"says", text}}, {"says"}))},
                   {"report", list_of(object_of({{"kind", text}, {"title", text}}, {"kind", "title"}))}},
                  {"cases"}),
        "As it was run (study.schema.json), after --quick.");
    const Json device =
        object_of({{"label", described(text, "Its name in this report.")},
                   {"machine", described(index, "In a report of several: which of them it is in; missing: the first.")},
                   {"info", object_of({{"name", text},
                                       {"backend", text},
                                       {"type", text},
                                       {"vendor", text},
                                       {"platform", text},
                                       {"driver", text},
                                       {"global_memory", number}},
                                      {"name", "backend", "platform", "driver"})}},
                  {"label", "info"});
    const Json session = object_of(
        {{"started", text},
         {"environment", described(any_object, "Processor, system, engine, compiler, power and clock settings.")},
         {"rates",
          described(
              map_of({{"type", Json::array({"object", "null"})}}),
              "By a device's label: copy_gbs, peak_gflops, upload_gbs, download_gbs, launch_us; where a study counts operations "
              "also peak_f64_gflops, peak_i32_gops, read_gbs by bytes, local_gbs and latencies.")},
         {"probed", map_of({{"type", Json::array({"object", "null"})}})},
         {"budget", described(object_of({{"minutes", number}, {"took_s", number}, {"left_out", list_of(text)}}),
                              "Of a study in so many minutes: what there was no time for.")},
         {"problems", described(map_of(text), "By label: why a device could not be opened.")}},
        {"rates"});
    const Json samples = object_of(
        {{"device", described(rounds, "Sum of the kernels' event times.")},
         {"wall", described(rounds, "From the first launch to the end of the last.")},
         {"stages", named_rounds},
         {"fresh_processes", described(flag, "Each round was a process of its own.")},
         {"end_to_end", described(named_rounds, "wall, upload, run, download, device: from host memory to host memory.")}});
    const Json agreement =
        object_of({{"agrees", flag}, {"exact", flag}, {"max_error", number}, {"relative", number}, {"why_not", text}});
    const Json row = object_of(
        {{"id", text},
         {"case", text},
         {"grid", described(any_object, "Axis -> value, or its label.")},
         {"variables", any_object},
         {"way", described(text, "Label of the variant in the study.")},
         {"device", described(index, "In the list of devices.")},
         {"session", described(index, "In the list of sessions.")},
         {"outcome",
          described(text, "ok, refused, disagrees, failed, crashed, hung, no reference, too long, left out, not run.")},
         {"reason", described(text, "Of every outcome but ok.")},
         {"work", object_of({{"unit", text}, {"scale", number}, {"items", number}, {"bytes", number}, {"operations", number}},
                            {"scale", "items", "bytes"})},
         {"variant", described(text, "That ran.")},
         {"steps",
          described(list_of(object_of({{"run", text}, {"variant", text}}, {"run", "variant"})), "What ran, step by step.")},
         {"policy", described(any_object, "By which it ran.")},
         {"policy_from",
          described(text, "given, default, or the entry of a tuning file; missing where the variant has no policy.")},
         {"reference", described(text, "Variant of the native device that the result was held against.")},
         {"agreement", described(agreement, "With the reference.")},
         {"hashes", described(map_of(text), "XXH3 of each output array.")},
         {"records", any_object},
         {"evaluations", any_object},
         {"kernels", list_of(any_object)},
         {"memory", object_of({{"allocated", number}, {"workspace", number}}, {"allocated"})},
         {"compile", object_of({{"first_s", number}, {"cold", flag}, {"cached_s", number}}, {"first_s"})},
         {"sustained",
          object_of({{"runs_a_second", number}, {"median_s", number}, {"p95_s", number}, {"p99_s", number}, {"p999_s", number}},
                    {"runs_a_second", "p99_s"})},
         {"energy",
          described(
              object_of({{"source", text},
                         {"seconds", number},
                         {"runs", number},
                         {"idle_watts", number},
                         {"watts", maybe},
                         {"counter_joules", maybe},
                         {"integrated_joules", maybe}}),
              "Of a run from end to end, what the device draws idle taken off: by its counter, and by its power added up.")},
         {"samples", samples},
         {"times", described(map_of(estimate), "Medians with intervals, in seconds; derived.")},
         {"stages", described(map_of(estimate), "The same by stage; derived.")},
         {"metrics", described(map_of(number), "Derived.")}},
        {"id", "case", "grid", "way", "device", "session", "outcome", "work"});
    Json schema{
        {"$schema", "https://json-schema.org/draft/2020-12/schema"},
        {"title", "Parallax comparison"},
        {"description", "report.json of parallax compare. Other keys may come; what is derived is made anew from the samples."}};
    schema.update(
        object_of({{"parallax_comparison", described({{"const", 1}}, "Version of the format.")},
                   {"study", study},
                   {"quick", flag},
                   {"collected", described(index, "Of how many reports parallax results made it, which takes it for none of a machine.")},
                   {"devices", list_of(device)},
                   {"sessions", list_of(session)},
                   {"rows", list_of(row)},
                   {"answer", described(any_object, "Case by device: how many times as fast one is as another; derived.")},
                   {"pairs", described(list_of(any_object), "Ratios that the study asks for; derived.")},
                   {"summary", described(list_of(text), "Derived.")}},
                  {"parallax_comparison", "study", "devices", "sessions", "rows"}));
    return schema;
}

}  // namespace parallax::engine::compare
