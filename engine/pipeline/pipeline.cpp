#include "pipeline/pipeline.hpp"

#include "parallax/host/error.hpp"

#include <algorithm>
#include <stdexcept>

namespace parallax::engine {

namespace {

bool starts_with(const std::string& text, const std::string& start) { return text.compare(0, start.size(), start) == 0; }

/// "/inputs/hologram" of an algorithm -> "/inputs/h1" or "/steps/1/in/hologram" of the job.
std::string translate(const std::string& pointer, const Pipeline& pipeline, const Step& step) {
    if (starts_with(pointer, "/steps/")) return pointer;
    if (starts_with(pointer, "/inputs/")) {
        const std::string rest = pointer.substr(8);
        const std::size_t slash = std::min(rest.find('/'), rest.size());
        const auto source = step.inputs.find(rest.substr(0, slash));
        if (source != step.inputs.end() && !source->second.step)
            return pointer_to("/inputs", source->second.port) + rest.substr(slash);
        return step.pointer + "/in/" + rest;
    }
    if (starts_with(pointer, "/outputs/")) {
        for (const PipelineOutput& output : pipeline.outputs) {
            if (output.source.step && &pipeline.steps[*output.source.step] == &step &&
                pointer_to("/outputs", output.source.port) == pointer)
                return output.pointer;
        }
        return step.pointer + "/out/" + pointer.substr(9);
    }
    return step.pointer + pointer;
}

}  // namespace

const std::string& Step::name_of(const std::string& port) const {
    const auto named = names.find(port);
    return named == names.end() ? port : named->second;
}

const std::string& Pipeline::name_of(const Source& source) const {
    return source.step ? steps.at(*source.step).name_of(source.port) : source.port;
}

std::size_t Pipeline::input_index(const std::string& name) const {
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const PipelineInput& input) { return input.name == name; });
    if (found == inputs.end()) throw std::out_of_range("no input is called \"" + name + "\"");
    return static_cast<std::size_t>(found - inputs.begin());
}

std::map<Source, std::size_t> last_uses(const Pipeline& pipeline) {
    std::map<Source, std::size_t> last;
    for (std::size_t i = 0; i < pipeline.steps.size(); ++i)
        for (const auto& [port, source] : pipeline.steps[i].inputs) last[source] = i;
    for (const PipelineOutput& output : pipeline.outputs) last[output.source] = pipeline.steps.size();
    return last;
}

void in_terms_of(const Pipeline& pipeline, const Step& step, const std::function<void()>& work) {
    try {
        work();
    } catch (const ConfigError& error) {
        const auto said = [&](const std::string& text) { return step.parameters.in_written_keys(text); };
        const bool is_parameter = !starts_with(error.pointer, "/inputs/") && !starts_with(error.pointer, "/outputs/");
        const std::string pointer = is_parameter ? said(error.pointer) : error.pointer;
        throw ConfigError(translate(pointer, pipeline, step), said(error.found), said(error.expected), said(error.hint));
    }
}

}  // namespace parallax::engine
