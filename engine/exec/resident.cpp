#include "exec/resident.hpp"

#include "core/carry.hpp"
#include "core/judge.hpp"
#include "exec/slabs.hpp"
#include "exec/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace parallax::engine {

namespace {

using Scope = Execution::Scope;

}  // namespace

/// Steps that are ready to run on arrays of certain shapes.
struct Resident::Planned {
    std::vector<ArrayDesc> inputs;
    std::vector<PlannedCall> calls;
    std::set<Source> down;             ///< made by steps and put out
    Slabs slabs;
};

struct DeviceWork::Flight {
    std::shared_ptr<const void> plans; ///< must live until their commands have run
    std::vector<std::unique_ptr<Execution>> executions;
    std::vector<host::Buffer> buffers; ///< to go back when the item is finished
    std::vector<HostArray> slabs;      ///< that are on their way up
    std::vector<host::Event> down;
    host::Event computed;
};

Resident::Resident(Engine& engine, Mode mode)
    : engine_(engine),
      mode_(mode),
      session_(engine),
      host_(engine.context()),
      transfers_(engine.context(), mode == overlapped),
      locals_(engine.context(), mode == overlapped) {
    if (mode != overlapped) return;
    up_ = engine.context().create_queue();
    down_ = engine.context().create_queue();
}

Resident::~Resident() { drain(); }

void Resident::keep(std::size_t input, const HostArray& array, Profiler& profiler) {
    const HostArray dense = array.to_dense();
    DeviceArray kept{dense.desc, dense.metadata, engine_.context().allocate(dense.desc.dense_bytes())};
    const Scope scope(profiler, "upload");
    const host::Event done = session_.queue().write(kept.buffer, 0, dense.data(), dense.desc.dense_bytes(), "upload");
    profiler.add("shared input", StageKind::upload, done);
    done.wait();
    kept_[input] = std::move(kept);
}

void Resident::plan(const Resolved& resolved, const MemoryPlan& how) {
    std::vector<ArrayDesc> descs;
    for (const ResolvedInput& input : resolved.inputs) descs.push_back(input.desc);
    for (host::Queue* queue : {up_.get(), &session_.queue(), down_.get()}) {
        if (queue) queue->set_limit(std::chrono::duration<double>(resolved.pipeline.limits.step_timeout_s));
    }
    if (planned_ && planned_->inputs == descs) return;

    trim();
    auto planned = std::make_shared<Planned>();
    planned->slabs = how.slabs;
    planned->slabs.by_input.resize(resolved.inputs.size());
    planned->slabs.by_step.resize(resolved.steps.size());
    if (mode_ == overlapped) check_item(resolved, engine_);
    planned->inputs = std::move(descs);
    const Pipeline& job = resolved.pipeline;
    for (const PipelineOutput& output : job.outputs) {
        if (output.is_array && output.source.step) planned->down.insert(output.source);
    }
    steps_.clear();
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        const Step& step = job.steps[i];
        in_terms_of(job, step,
                    [&] { planned->calls.push_back(session_.plan(call_of(job, how, i), resolved.steps[i].problem.inputs)); });
        const CallResult& about = planned->calls.back().about;
        if (about.plan_seconds > 0) compiled_.push_back({step.id, StageKind::compile, about.plan_seconds, 1, true, {}});
        steps_.push_back(report_of(step, about));
    }
    planned_ = std::move(planned);
}

std::uint64_t Resident::bytes_with_one(const Resolved& item) const {
    std::uint64_t bytes = engine_.context().allocated();
    std::map<Source, std::uint64_t> arrays;
    for (std::size_t i = 0; i < item.inputs.size(); ++i) {
        const std::uint64_t size = item.inputs[i].desc.dense_bytes();
        arrays.emplace(Source{std::nullopt, item.pipeline.inputs[i].name}, size);
        if (!kept_.contains(i)) bytes += size;
    }
    std::multiset<std::uint64_t> free;   // what locals_ gets back, and hands on
    const auto compute = [&](std::size_t i, const auto& /*inputs*/) {
        std::map<std::string, std::uint64_t> made;
        for (const auto& [port, desc] : planned_->calls[i].shapes) {
            const std::uint64_t size = desc.dense_bytes();
            const auto lies_ready = planned_->down.contains({i, port}) ? free.end() : free.find(size);
            if (lies_ready != free.end()) free.erase(lies_ready);
            else bytes += size;
            made.emplace(port, size);
        }
        return made;
    };
    const auto release = [&](const Source& source, std::uint64_t size) {
        if (source.step && !planned_->down.contains(source)) free.insert(size);
    };
    walk(item.pipeline, std::move(arrays), compute, release);
    return bytes;
}

bool Resident::in_slabs(std::size_t input) const { return planned_ && planned_->slabs.by_input[input] > 0; }

void Resident::stock(const Resolved& resolved) noexcept {
    try {
        for (const PipelineOutput& output : resolved.pipeline.outputs)
            if (output.is_array && output.source.step) host_.stock(resolved.desc(output.source).to_dense());
    } catch (const std::exception&) {   // out of memory: who needs an array says so
    }
}

void Resident::trim() {
    transfers_.trim();
    locals_.trim();
}

void Resident::submit(DeviceWork& work) {
    plan(*work.pipeline);
    for (const Stage& stage : compiled_) work.profiler.add(stage.name, stage.kind, stage.seconds);
    compiled_.clear();
    auto flight = std::make_shared<DeviceWork::Flight>();
    flight->plans = planned_;
    try {
        enqueue(work, *flight);
    } catch (...) {
        abandon(work, *flight);   // commands under way use memory of the work
        throw;
    }
    work.flight = std::move(flight);
}

void Resident::enqueue(DeviceWork& work, DeviceWork::Flight& flight) {
    std::map<Source, DeviceArray> arrays;
    upload(work, flight, arrays);
    note_memory(work.pipeline->pipeline);
    compute(work, flight, arrays);
    download(work, flight, arrays);
    for (const auto& [source, array] : arrays)
        if (!is_kept(array)) flight.buffers.push_back(array.buffer);
}

void Resident::upload(DeviceWork& work, DeviceWork::Flight&, std::map<Source, DeviceArray>& arrays) {
    const Scope scope(work.profiler, "upload");
    host::Queue& queue = up_ ? *up_ : session_.queue();
    std::vector<host::Event> events;
    for (std::size_t i = 0; i < work.pipeline->inputs.size(); ++i) {
        const std::string& name = work.pipeline->pipeline.inputs[i].name;
        if (const auto kept = kept_.find(i); kept != kept_.end()) {
            arrays[{std::nullopt, name}] = kept->second;
            continue;
        }
        if (in_slabs(i)) continue;
        work.inputs[i] = work.inputs[i].to_dense();
        const HostArray& host = work.inputs[i];
        DeviceArray array{host.desc, host.metadata, transfers_.acquire(host.desc.dense_bytes())};
        events.push_back(queue.write(array.buffer, 0, host.data(), host.desc.dense_bytes(), name));
        work.profiler.add(name, StageKind::upload, events.back());
        arrays[{std::nullopt, name}] = std::move(array);
    }
    if (up_ && !events.empty()) session_.queue().barrier(events, "wait for the upload");
}

void Resident::compute(DeviceWork& work, DeviceWork::Flight& flight, std::map<Source, DeviceArray>& arrays) {
    const auto compute = [&](std::size_t i, DeviceArrays inputs) { return compute_step(work, flight, i, std::move(inputs)); };
    const auto release = [&](const Source& source, DeviceArray array) {
        const bool lasts = !source.step || planned_->down.count(source) > 0;   // to the end of the item, whose transfers use it
        if (!lasts || mode_ == one_at_a_time) locals_.release(std::move(array.buffer));
        else if (!is_kept(array)) flight.buffers.push_back(std::move(array.buffer));
    };
    arrays = walk(work.pipeline->pipeline, std::move(arrays), compute, release);
}

Resident::DeviceArrays Resident::compute_step(DeviceWork& work, DeviceWork::Flight& flight, std::size_t i, DeviceArrays inputs) {
    const Pipeline& job = work.pipeline->pipeline;
    const RecordMemory pinned = [this](std::size_t bytes) {
        return host_.make(ArrayDesc::dense(ElementType::u8, {{'n', static_cast<std::int64_t>(bytes)}})).memory;
    };
    const Step& step = job.steps[i];
    const PlannedCall& call = planned_->calls[i];
    work.begin("compute " + step.id);
    const bool slabs = planned_->slabs.by_step[i] > 0;
    if (slabs) {
        compute_slabs(work, flight, i);
        inputs.clear();
    }
    Bindings bindings{std::move(inputs), {}};
    for (const auto& [port, desc] : call.shapes) {
        DevicePool& pool = planned_->down.count({i, port}) ? transfers_ : locals_;
        DeviceArray array{desc.to_dense(), {}, pool.acquire(desc.dense_bytes())};
        if (!bindings.inputs.empty()) {
            const DeviceArray& first = bindings.inputs.begin()->second;
            array.metadata = carry(*step.algorithm, step.parameters, first.desc, first.metadata);
        }
        bindings.outputs.emplace(port, std::move(array));
    }
    in_terms_of(job, step, [&] {
        flight.executions.push_back(
            session_.enqueue(call, bindings, work.profiler, mode_ == overlapped ? pinned : RecordMemory()));
    });
    note_memory(job);
    if (mode_ == one_at_a_time) {
        in_terms_of(job, step, [&] { session_.queue().finish(step.id); });
        work.begin("computed " + step.id);
        take_records(work, flight, i);
    }
    return std::move(bindings.outputs);
}

bool Resident::is_kept(const DeviceArray& array) const {
    return std::any_of(kept_.begin(), kept_.end(), [&](const auto& kept) { return kept.second.buffer == array.buffer; });
}

/// A slab is read from its file while the device has the one before.
void Resident::compute_slabs(DeviceWork& work, DeviceWork::Flight& flight, std::size_t step) {
    const Resolved& resolved = *work.pipeline;
    const std::string& name = resolved.pipeline.steps[step].inputs.begin()->second.port;
    const std::size_t at = resolved.pipeline.input_index(name);
    const ResolvedInput& input = resolved.inputs[at];
    const std::int64_t slices = input.desc.axes.front().size, slab = planned_->slabs.by_input[at];
    ArrayDesc desc = input.desc.to_dense();
    desc.axes.front().size = slab;
    SlabMemory memory{{}, {}, slab, desc.dense_bytes() / static_cast<std::size_t>(slab)};
    for (std::size_t i = 0; i < 2; ++i) {
        memory.host[i] = flight.slabs.emplace_back(host_.make(desc)).data();
        memory.device[i] = flight.buffers.emplace_back(session_.context().allocate(desc.dense_bytes()));
    }
    note_memory(resolved.pipeline);
    enqueue_slabs(session_, planned_->calls[step], work, name, slices, memory, work.slices(at));
}

void Resident::download(DeviceWork& work, DeviceWork::Flight& flight, std::map<Source, DeviceArray>& arrays) {
    host::Queue& queue = down_ ? *down_ : session_.queue();
    if (down_) {
        flight.computed = session_.queue().barrier({}, "end of the steps");
        session_.queue().flush();
        if (!planned_->down.empty()) down_->barrier({&flight.computed, 1}, "wait for the steps");
    }
    for (const PipelineOutput& output : work.pipeline->pipeline.outputs) {
        work.begin("download " + output.name);
        if (!planned_->down.count(output.source) || work.arrays.count(output.source)) continue;
        const DeviceArray& array = arrays.at(output.source);
        HostArray host = mode_ == overlapped ? host_.make(array.desc) : HostArray::make(array.desc);
        host.metadata = array.metadata;
        const Scope scope(work.profiler, "download");
        const auto [there, fresh] = work.arrays.emplace(output.source, std::move(host));
        flight.down.push_back(queue.read(array.buffer, 0, there->second.data(), array.desc.dense_bytes(), output.name));
        work.profiler.add(output.name, StageKind::download, flight.down.back());
    }
    queue.flush();
}

void Resident::take_records(DeviceWork& work, DeviceWork::Flight& flight, std::size_t step) {
    Json records;
    const Step& made = work.pipeline->pipeline.steps[step];
    in_terms_of(work.pipeline->pipeline, made, [&] { records = flight.executions[step]->finish_records(); });
    for (std::string& words : take_words(records, made.parameters)) work.warnings.push_back({step, std::move(words)});
    for (const auto& [port, record] : records.items()) work.records.emplace(Source{step, port}, record);
}

void Resident::finish(DeviceWork& work) {
    const std::shared_ptr<DeviceWork::Flight> flight = std::move(work.flight);
    const Pipeline& job = work.pipeline->pipeline;
    try {
        for (std::size_t i = 0; i < flight->executions.size(); ++i)
            in_terms_of(job, job.steps[i], [&] { flight->executions[i]->wait_for_tasks(); });
        flight->computed.wait();
        for (const host::Event& event : flight->down) event.wait();
    } catch (...) {
        abandon(work, *flight);
        throw;
    }
    if (mode_ == overlapped) {
        for (std::size_t i = 0; i < flight->executions.size(); ++i) take_records(work, *flight, i);
        for (std::size_t i = 0; i < flight->executions.size(); ++i) work.begin("computed " + work.pipeline->pipeline.steps[i].id);
    }
    flight->executions.clear();
    for (host::Buffer& buffer : flight->buffers) transfers_.release(std::move(buffer));
}

void Resident::note_memory(const Pipeline& pipeline) {
    const std::uint64_t allocated = engine_.context().allocated();
    peak_ = std::max(peak_, allocated);
    check_limit(pipeline.limits, allocated);
}

void Resident::abandon(const DeviceWork& work, const DeviceWork::Flight& flight) {
    if (drain()) return;
    // A driver that cannot even wait may still write: a leak does less harm than that.
    static_cast<void>(new std::vector<HostArray>(work.inputs));
    static_cast<void>(new std::vector<HostArray>(flight.slabs));
    static_cast<void>(new std::map<Source, HostArray>(work.arrays));
}

bool Resident::drain() noexcept {
    bool ended = true;
    for (host::Queue* queue : {up_.get(), &session_.queue(), down_.get()}) {
        if (!queue) continue;
        try {
            queue->finish();
        } catch (const std::exception&) {   // whoever waited for the command that failed has been told
            ended = false;
        }
    }
    return ended;
}

}  // namespace parallax::engine
