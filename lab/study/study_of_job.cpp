// A user's own job as a study.
#include "study/study.hpp"
#include "series/items.hpp"

#include <algorithm>

namespace parallax::engine::compare {

namespace {

/// An input as the item has it: its file, page or volume instead of placeholders.
Json written(const InputSpec& input) {
    if (!input.each) return input.written;
    Json json = input.written.is_object() ? input.written : Json::object();
    for (const char* key : {"running", "combine"}) json.erase(key);   // neighbours change no shape
    if (input.globs) {
        json["files"] = input.files;
        json["combine"] = input.combine;
    } else {
        json["file"] = input.files.front();
    }
    if (input.read.pages) {
        json.erase("page");
        json["pages"] = {input.read.pages->first, input.read.pages->second};
        if (input.read.page_axis != '\0') json["page_axis"] = std::string(1, input.read.page_axis);
    }
    if (input.read.volume) json["volume"] = *input.read.volume;
    return json;
}

}  // namespace

Json study_of_job(const Json& job, const std::vector<Algorithm>& algorithms, const Locations& where) {
    Job parsed = parse_job(job, algorithms);   // its errors speak of the job as it was written
    if (parsed.for_each) parsed = series::job_of(parsed, series::find_items(parsed, where), 0);
    Json inputs = Json::object(), outputs = Json::array();
    for (const InputSpec& input : parsed.inputs) inputs[input.name] = written(input);
    for (const OutputSpec& output : parsed.outputs) {
        if (std::find(outputs.begin(), outputs.end(), output.of) == outputs.end()) outputs.push_back(output.of);
    }
    Json one{{"id", "job"},
             {"inputs", std::move(inputs)},
             {"steps", job["steps"]},
             {"outputs", std::move(outputs)},
             {"tolerance", 1e-4}};
    for (const StepSpec& step : parsed.steps) {
        if (!step.variant.empty()) one["reference"] = nullptr;   // a named variant may not exist on the host
    }
    return {{"parallax_study", 1},
            {"title", parsed.comment.empty() ? "A job on every device" : parsed.comment},
            {"devices", "all"},
            {"ranked_by", "end_to_end"},
            {"cases", Json::array({std::move(one)})},
            {"report",
             Json::array(
                 {{{"kind", "bar"}, {"title", "From end to end"}, {"x", "device"}, {"y", "end_to_end_ms"}, {"series", "variant"}},
                  {{"kind", "stages"}, {"title", "Where the time goes"}}})}};
}

}  // namespace parallax::engine::compare
