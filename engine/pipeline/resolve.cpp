#include "pipeline/resolve.hpp"

#include <fmt/format.h>

#include <iterator>

#include "parallax/host/error.hpp"
#include "pipeline/place.hpp"

namespace parallax::engine {

namespace {

/// Runs infer(). A step that refuses an array for its channels, as it would take one of them, says what makes one of them.
ArrayDescs infer(const Pipeline& pipeline, const Step& step, const Problem& problem) {
    try {
        return step.algorithm->infer(problem);
    } catch (const ConfigError& error) {
        for (const auto& [port, desc] : problem.inputs) {
            if (!desc.find('c')) continue;
            Problem one = problem;
            std::erase_if(one.inputs.at(port).axes, [](const Axis& axis) { return axis.name == 'c'; });
            one.inputs.at(port) = one.inputs.at(port).to_dense();
            try {
                step.algorithm->infer(one);
            } catch (const ConfigError&) {   // it is not the channels
                continue;
            }
            const std::string name = pipeline.name_of(step.inputs.at(port));
            throw UnsupportedError(
                fmt::format("step \"{}\" takes one channel, and \"{}\" is {}", step.id, name, desc.describe()),
                {step.inputs.at(port).step
                     ? std::string("\"grey\": true in the input that it comes from makes luminance of colours")
                     : fmt::format("\"{}\": {{\"file\": ..., \"grey\": true}} makes luminance of colours", name),
                 R"({"run": "select", "axis": "c", "index": 0} before it takes one channel)"});
        }
        throw;
    }
}

/// Two that say how large their pixels are, and say it differently.
std::vector<std::string> unlike_inputs(const ArrayDescs& inputs) {
    std::vector<std::string> all;
    for (auto first = inputs.begin(); first != inputs.end(); ++first) {
        for (auto second = std::next(first); second != inputs.end(); ++second) {
            const std::string how = unlike_pixels(first->second, second->second);
            if (!how.empty())
                all.push_back(
                    fmt::format("\"{}\" and \"{}\" are taken pixel by pixel, and {}", first->first, second->first, how));
        }
    }
    return all;
}

}  // namespace

const ArrayDesc& Resolved::desc(const Source& source) const {
    if (source.step) return steps.at(*source.step).shapes.at(source.port);
    return inputs.at(pipeline.input_index(source.port)).desc;
}

std::uint64_t Resolved::array_bytes() const {
    std::uint64_t bytes = 0;
    for (const ResolvedInput& input : inputs) bytes += input.desc.dense_bytes();
    for (const ResolvedStep& step : steps)
        for (const auto& [name, desc] : step.shapes) bytes += desc.dense_bytes();
    return bytes;
}

Resolved resolve(Pipeline pipeline, std::vector<ResolvedInput> inputs) {
    Resolved resolved{std::move(pipeline), std::move(inputs), {}};
    for (const Step& step : resolved.pipeline.steps) {
        ResolvedStep next;
        next.problem.parameters = step.parameters;
        next.problem.outputs = step.outputs;
        for (const auto& [port, source] : step.inputs) next.problem.inputs.emplace(port, resolved.desc(source));
        next.warnings = unlike_inputs(next.problem.inputs);
        in_terms_of(resolved.pipeline, step, [&] {
            next.shapes = infer(resolved.pipeline, step, next.problem);
            if (!step.algorithm->warnings) return;
            for (std::string& warning : step.algorithm->warnings(next.problem))
                next.warnings.push_back(step.parameters.in_written_keys(std::move(warning)));
        });
        resolved.steps.push_back(std::move(next));
    }
    return resolved;
}

}  // namespace parallax::engine
