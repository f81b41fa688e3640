// Job -> JSON with everything spelled out.
#include "job/job.hpp"
#include "job/keys.hpp"

namespace parallax::engine {

namespace {

Json to_json(const StepSpec& step, const Job& job) {
    Json json{{"id", step.id}, {"run", step.algorithm->name}};
    Json in = Json::object(), out = Json::object();
    for (const Port& port : step.algorithm->inputs) {
        if (const auto source = step.inputs.find(port.name); source != step.inputs.end())
            in[port.name] = job.name_of(source->second);
        else in[port.name] = nullptr;
    }
    for (const auto& [port, name] : step.names) out[port] = name;
    if (!in.empty()) json["in"] = std::move(in);
    if (!out.empty()) json["out"] = std::move(out);
    json["variant"] = step.variant.empty() ? Json(nullptr) : Json(step.variant);
    json["policy"] = step.policy;
    json.update(step.parameters.to_json());
    return json;
}

}  // namespace

Json to_json(const Job& job) {
    Json json{{"parallax", 1}};
    if (!job.comment.empty()) json["comment"] = job.comment;
    json["device"] = job.device.to_json();
    if (job.for_each) json["for_each"] = job.for_each->written;
    json["non_finite"] = non_finite_words[static_cast<std::size_t>(job.non_finite)];
    if (job.limits.memory_limit) json["memory_limit"] = *job.limits.memory_limit;
    json["retry"] = job.retry;
    json["step_timeout_s"] = job.limits.step_timeout_s;
    Json inputs = Json::object(), steps = Json::array(), outputs = Json::object();
    for (const InputSpec& input : job.inputs) inputs[input.name] = input.written;
    for (const StepSpec& step : job.steps) steps.push_back(to_json(step, job));
    for (const OutputSpec& output : job.outputs) outputs[output.name] = output.written;
    if (!inputs.empty()) json["inputs"] = std::move(inputs);
    json["steps"] = std::move(steps);
    json["outputs"] = std::move(outputs);
    return json;
}

}  // namespace parallax::engine
