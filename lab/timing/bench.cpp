#include "timing/bench.hpp"

#include "exec/memory_plan.hpp"

#include "core/clock.hpp"
#include "parallax/host/in_flight.hpp"

#include <chrono>
#include <cstring>
#include <utility>

namespace parallax::engine::compare {

namespace {

using Clock = std::chrono::steady_clock;

/// Memory that the device reaches fast, as an array.
HostArray pinned_array(host::Context& context, const ArrayDesc& desc) {
    if (desc.dense_bytes() == 0) return HostArray::make(desc);
    const std::shared_ptr<host::PinnedMemory> memory = context.allocate_pinned(desc.dense_bytes());
    return {desc.to_dense(), {}, std::shared_ptr<std::byte[]>(memory, memory->bytes().data())};
}

void add_stages(const std::vector<Stage>& stages, const std::string& path, Sample& sample, bool& measured) {
    for (const Stage& stage : stages) {
        const std::string name = path.empty() ? stage.name : path + "/" + stage.name;
        if (!stage.children.empty()) {
            add_stages(stage.children, name, sample, measured);
        } else if (stage.kind == StageKind::kernel) {
            sample.stages[name] += stage.seconds;
            sample.device += stage.seconds;
            measured = measured && stage.measured;
        }
    }
}

}  // namespace

BoundInputs bind_inputs(const HostArrays& arrays, Session& session) {
    BoundInputs bound;
    for (const auto& [name, array] : arrays) {
        const HostArray dense = array.to_dense();
        HostArray pinned = pinned_array(session.context(), dense.desc);
        pinned.metadata = dense.metadata;
        if (dense.desc.dense_bytes() > 0) std::memcpy(pinned.data(), dense.data(), dense.desc.dense_bytes());
        bound.device.emplace(name, session.upload(pinned, name));
        bound.host.emplace(name, std::move(pinned));
    }
    return bound;
}

struct Bench::State {
    State(Engine& engine, const Pipeline& asked, const BoundInputs& given) : session(engine), pipeline(asked), inputs(&given) {
        session.queue().set_limit(std::chrono::duration<double>(pipeline.limits.step_timeout_s));
    }

    Session session;
    const Pipeline& pipeline;
    const BoundInputs* inputs;
    std::vector<CallResult> done;                     ///< of the last run, a step each; its arrays are used again
    std::map<std::string, HostArray> downloads;       ///< pinned, by output
    host::Buffer from, to;                            ///< what chill() copies
    std::size_t chilled = 0;                          ///< their bytes
};

Bench::Bench(Engine& engine, const Pipeline& pipeline, const BoundInputs& inputs)
    : state_(std::make_unique<State>(engine, pipeline, inputs)) {
    state_->done.resize(pipeline.steps.size());
}

Bench::~Bench() = default;

void Bench::compute() {
    State& s = *state_;
    for (std::size_t i = 0; i < s.pipeline.steps.size(); ++i) {
        const Step& step = s.pipeline.steps[i];
        Call call = call_of(s.pipeline, i);
        for (const auto& [port, source] : step.inputs)
            call.inputs.emplace(port,
                                source.step ? s.done[*source.step].outputs.at(source.port) : s.inputs->device.at(source.port));
        s.done[i] = s.session.run(call, s.done[i].outputs);
    }
}

Bench::First Bench::first() {
    State& s = *state_;
    First f;
    const auto start = Clock::now();
    compute();
    f.wall = seconds_since(start);
    for (const CallResult& call : s.done) {
        f.plan_seconds += call.plan_seconds;
        f.variants.push_back(call.variant);
        f.policies.push_back(call.policy);
        f.policies_from.push_back(call.policy_from);
        f.built.insert(f.built.end(), call.built.begin(), call.built.end());
        f.warnings.insert(f.warnings.end(), call.warnings.begin(), call.warnings.end());
        f.workspace += call.workspace_bytes;
    }
    f.allocated = s.session.context().allocated();
    check_limit(s.pipeline.limits, f.allocated);
    s.session.profiler().clear();
    return f;
}

double Bench::run_unread() {
    const auto start = Clock::now();
    compute();
    state_->session.profiler().clear();
    return seconds_since(start);
}

void Bench::chill() {
    constexpr std::size_t most = std::size_t{512} << 20;   // more than any cache of 2026 holds, with its copy
    State& s = *state_;
    if (s.chilled == 0) {
        const host::DeviceInfo& info = s.session.context().info();
        s.chilled = static_cast<std::size_t>(std::min<std::uint64_t>({most, info.max_allocation / 4, info.global_memory / 16}));
        s.from = s.session.context().allocate(s.chilled);
        s.to = s.session.context().allocate(s.chilled);
    }
    s.session.queue().copy(s.from, 0, s.to, 0, s.chilled, "chill");
    s.session.queue().finish("chill");
}

Sample Bench::run(Caches caches) {
    if (caches == Caches::cold) chill();
    Profiler& profiler = state_->session.profiler();
    profiler.clear();
    Sample sample;
    const auto start = Clock::now();
    compute();
    sample.wall = seconds_since(start);
    sample.device = 0;
    bool measured = true;
    const std::vector<Stage> steps = profiler.collect();
    for (const Stage& step : steps) {   // of a single step the name says nothing
        if (step.children.empty()) add_stages({step}, "", sample, measured);
        else add_stages(step.children, state_->pipeline.steps.size() > 1 ? step.name : "", sample, measured);
    }
    if (!measured || (sample.device == 0 && sample.wall > 0)) sample.device = -1;
    return sample;
}

EndToEnd Bench::run_from_end_to_end(EventTimes times) {
    State& s = *state_;
    host::Queue& queue = s.session.queue();
    for (const PipelineOutput& output : s.pipeline.outputs) {   // pinning memory takes longer than many a job
        if (!output.is_array) continue;
        HostArray& to = s.downloads[output.name];
        if (!to.memory) to = pinned_array(s.session.context(), s.done[*output.source.step].outputs.at(output.source.port).desc);
    }
    EndToEnd sample;
    const auto start = Clock::now();
    for (const auto& [name, array] : s.inputs->device) {
        if (std::none_of(s.pipeline.inputs.begin(), s.pipeline.inputs.end(),
                         [&name = name](const PipelineInput& input) { return input.name == name; }))
            continue;
        const HostArray& from = s.inputs->host.at(name);
        if (from.desc.dense_bytes() > 0) queue.write(array.buffer, 0, from.data(), from.desc.dense_bytes(), name);
    }
    queue.finish("upload");
    sample.upload = seconds_since(start);
    double reading = 0;
    if (times == EventTimes::read) {
        const auto running = Clock::now();
        const Sample run = this->run();
        sample.run = run.wall;
        sample.device = run.device;
        reading = seconds_since(running) - run.wall;   // ours, not the job's
    } else sample.run = run_unread();
    const auto downloading = Clock::now();
    for (const PipelineOutput& output : s.pipeline.outputs) {
        if (!output.is_array) continue;
        const DeviceArray& array = s.done[*output.source.step].outputs.at(output.source.port);
        HostArray& to = s.downloads.at(output.name);
        if (array.desc.dense_bytes() > 0) queue.read(array.buffer, 0, to.data(), array.desc.dense_bytes(), output.name);
    }
    queue.finish("download");
    sample.download = seconds_since(downloading);
    sample.wall = seconds_since(start) - reading;
    return sample;
}

void Bench::move(const BoundInputs& inputs) {
    State& s = *state_;
    const std::vector<CallResult> before =
        std::exchange(s.done, std::vector<CallResult>(s.pipeline.steps.size()));   // held until others are there
    s.inputs = &inputs;
    s.downloads.clear();
    compute();
    s.session.profiler().clear();
}

HostArrays Bench::arrays() {
    State& s = *state_;
    HostArrays arrays;
    for (const PipelineOutput& output : s.pipeline.outputs) {
        if (output.is_array)
            arrays.emplace(output.name, s.session.download(s.done[*output.source.step].outputs.at(output.source.port)));
    }
    s.session.profiler().clear();
    return arrays;
}

Json Bench::records() const {
    Json records = Json::object();
    for (const PipelineOutput& output : state_->pipeline.outputs) {
        if (!output.is_array) records[output.name] = state_->done[*output.source.step].records.value(output.source.port, Json());
    }
    return records;
}

}  // namespace parallax::engine::compare
