// A user's own job as a study.
#include "job/keys.hpp"
#include "study/study.hpp"
#include "series/items.hpp"
#include "series/neighbours.hpp"

#include <algorithm>

namespace parallax::engine::compare {

namespace {

/// An input as one item has it: its file, page or volume instead of placeholders.
Json of_item(const InputSpec& input) {
    Json json = input.written.is_object() ? input.written : Json::object();
    for (const char* key : {"running", "combine"}) json.erase(key);
    if (input.globs) {
        json["files"] = input.files;
        json["combine"] = input.combine;
    } else {
        json["file"] = input.files.front();
    }
    if (input.read.pages) {
        for (const char* key : {"page", "pages"}) json.erase(key);
        const auto [first, end] = *input.read.pages;
        if (input.read.keep_page_axis) json["pages"] = {first, end};
        else json["page"] = first;
        if (input.read.page_axis != '\0') json["page_axis"] = std::string(1, input.read.page_axis);
    }
    if (input.read.volume) json["volume"] = *input.read.volume;
    return json;
}

/// Inputs of the first item, by name: what it reads, with its neighbours where an input is combined with them.
Json inputs_of_first(const Job& series, const Locations& where) {
    const series::Items items = series::find_items(series, where);
    const Job first = series::job_of(series, items, 0);
    Json inputs = Json::object();
    for (std::size_t i = 0; i < first.inputs.size(); ++i) {
        const InputSpec& input = first.inputs[i];
        Json& json = inputs[input.name];
        json = input.each ? of_item(input) : input.written;
        if (input.running == 0) continue;
        const auto [begin, end] = series::taken_around(0, input.running, items.size());
        Json frames = Json::array();
        for (std::size_t n = begin; n < end; ++n) frames.push_back(of_item(series::job_of(series, items, n).inputs[i]));
        json = {{"frames", std::move(frames)}, {"combine", input.combine}};
    }
    return inputs;
}

Json inputs_of(const Job& job, const Locations& where) {
    if (job.for_each) return inputs_of_first(job, where);
    Json inputs = Json::object();
    for (const InputSpec& input : job.inputs) inputs[input.name] = input.written;
    return inputs;
}

}  // namespace

Json study_of_job(const Json& job, const std::vector<Algorithm>& algorithms, const Locations& where) {
    const Job parsed = parse_job(job, algorithms);   // its errors speak of the job as it was written
    Json outputs = Json::array();
    for (const OutputSpec& output : parsed.outputs) {
        if (!output.source.step) continue;   // an input that is put out, combined, say: no device has work with it
        if (std::find(outputs.begin(), outputs.end(), output.of) == outputs.end()) outputs.push_back(output.of);
    }
    Json one{{"id", "job"},
             {"inputs", inputs_of(parsed, where)},
             {"steps", job["steps"]},
             {"outputs", std::move(outputs)},
             {"tolerance", 1e-4}};
    for (const std::string& key : keys_of_cases)
        if (job.contains(key)) one[key] = job[key];
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
