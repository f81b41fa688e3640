#include "exec/out_of_core.hpp"

#include "core/carry.hpp"
#include "core/judge.hpp"
#include "core/observation.hpp"
#include "exec/slabs.hpp"
#include "exec/walk.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace parallax::engine {

namespace {

using Scope = Execution::Scope;
using HostArrays = std::map<std::string, HostArray, std::less<>>;

}  // namespace

/// One step at work, with what its commands use. When an error ends it, it waits for the device before memory goes.
class OutOfCore::Turn {
public:
    Turn(OutOfCore& job, DeviceWork& work, std::size_t step, HostArrays inputs)
        : job_(job),
          work_(work),
          at_(step),
          step_(job.resolved_.pipeline.steps[step]),
          inputs_(std::move(inputs)),
          session_(job.engine_) {
        session_.cancel_when(job.cancelled_, true);
        session_.queue().set_limit(std::chrono::duration<double>(job.resolved_.pipeline.limits.step_timeout_s));
        for (auto& [port, array] : inputs_) array = array.to_dense();
        for (const auto& [port, desc] : job.resolved_.steps[step].shapes) {
            HostArray& array = outputs_.emplace(port, HostArray::make(desc.to_dense())).first->second;
            if (inputs_.empty()) continue;
            const HostArray& first = inputs_.begin()->second;
            array.metadata = carry(*step_.algorithm, step_.parameters, first.desc, first.metadata);
        }
    }
    ~Turn() {
        if (landed_) return;
        try {
            session_.queue().finish();
        } catch (const std::exception&) {   // the driver may still write there: a leak does less harm
            static_cast<void>(new std::array<HostArrays, 2>{inputs_, outputs_});
            static_cast<void>(new std::vector<HostArray>(staging_));
        }
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    HostArrays& outputs() noexcept { return outputs_; }
    const Json& records() const noexcept { return records_; }
    std::vector<std::string> warnings() const { return in_words(observed_); }

    void in_tiles(const std::optional<Tiling>& tiling) {
        const std::int64_t count = tiling ? tiling->count() : 1;
        for (std::int64_t tile = 0; tile < count; ++tile) {
            run_tile(tiling ? &*tiling : nullptr, tile);
            if (work_.advance) work_.advance(static_cast<double>(tile + 1) / static_cast<double>(count));
        }
        landed_ = true;
    }

    /// `desc`: of the whole input.
    void in_slabs(const ArrayDesc& desc, std::int64_t slab, const std::string& name, const ReadSlices& read) {
        const std::int64_t slices = desc.axes.front().size;
        plan({{step_.inputs.begin()->first, desc}});
        ArrayDesc part = desc.to_dense();
        part.axes.front().size = slab;
        staging_ = {HostArray::make(part), HostArray::make(part)};
        const auto device = [&] { return session_.context().allocate(part.dense_bytes()); };
        SlabMemory memory{{staging_[0].data(), staging_[1].data()},
                          {device(), device()},
                          slab,
                          part.dense_bytes() / static_cast<std::size_t>(slab)};
        enqueue_slabs(session_, call_, work_, name, slices, memory, read);
        run({}, nullptr, 0);
        landed_ = true;
    }

private:
    /// Made for the first tile; others of its size take it as it is.
    void plan(const ArrayDescs& inputs) {
        in_terms_of(job_.resolved_.pipeline, step_,
                    [&] { call_ = session_.plan(call_of(job_.resolved_.pipeline, job_.plan_, at_), inputs); });
        job_.note(call_, at_, work_.profiler);
    }

    /// Device memory for an array, the one of the tile before where that is as large.
    DeviceArray place(const std::string& port, const ArrayDesc& desc) {
        host::Buffer& buffer = buffers_[port];
        if (!buffer || buffer.bytes() != desc.dense_bytes()) {
            buffer = {};
            buffer = session_.context().allocate(desc.dense_bytes());
        }
        return {desc, {}, buffer};
    }

    void run_tile(const Tiling* tiling, std::int64_t number) {
        const Tile tile = tiling ? tiling->at(number) : Tile();
        ArrayDescs descs;
        for (const auto& [port, array] : inputs_)
            descs.emplace(port, tiling ? with_size(array.desc, tiling->way.axis, tile.size) : array.desc);
        plan(descs);
        std::map<std::string, DeviceArray, std::less<>> inputs;
        staging_.clear();
        for (const auto& [port, array] : inputs_) {
            const std::string& name = step_.inputs.at(port).port;
            HostArray part = array;
            if (tiling && array.desc.find(tiling->way.axis)) {
                const Scope scope(work_.profiler, "cut");
                const HostTimer timer(work_.profiler, name);
                part = HostArray::make(descs.at(port));
                copy_stretch(array.desc, array.data(), tile.first, part.desc, part.data(), 0, tiling->way.axis, tile.size);
            }
            staging_.push_back(part);
            DeviceArray device = place("in " + port, descs.at(port));
            const Scope scope(work_.profiler, "upload");
            work_.profiler.add(name, StageKind::upload,
                               session_.queue().write(device.buffer, 0, part.data(), part.desc.dense_bytes(), name));
            inputs.emplace(port, std::move(device));
        }
        run(std::move(inputs), tiling, number);
    }

    void run(std::map<std::string, DeviceArray, std::less<>> inputs, const Tiling* tiling, std::int64_t number) {
        Bindings bindings{std::move(inputs), {}};
        for (const auto& [port, desc] : call_.shapes) bindings.outputs.emplace(port, place("out " + port, desc.to_dense()));
        job_.note(call_, at_, work_.profiler);
        std::unique_ptr<Execution> execution;
        in_terms_of(job_.resolved_.pipeline, step_, [&] { execution = session_.enqueue(call_, bindings, work_.profiler); });
        std::map<std::string, HostArray> parts;
        for (const auto& [port, device] : bindings.outputs) {
            const HostArray part = tiling ? HostArray::make(device.desc) : outputs_.at(port);
            staging_.push_back(part);
            const Scope scope(work_.profiler, "download");
            work_.profiler.add(port, StageKind::download,
                               session_.queue().read(device.buffer, 0, part.data(), part.desc.dense_bytes(), port));
            parts.emplace(port, part);
        }
        in_terms_of(job_.resolved_.pipeline, step_, [&] { session_.queue().finish(step_.id); });
        for (const auto& [port, part] : parts)
            if (tiling) keep(*tiling, number, port, part);
        Json records;
        in_terms_of(job_.resolved_.pipeline, step_, [&] { records = execution->finish_records(); });
        join_observation(observed_, take_observation(records));
        for (const std::string& words : take_warnings(records))
            work_.warnings.push_back({at_, step_.parameters.in_written_keys(words)});
        for (const auto& [port, record] : records.items())
            records_[port] = records_.contains(port) ? tiling->way.join(records_[port], record) : record;
    }

    /// What a tile has made goes to its place, or is added to what others have.
    void keep(const Tiling& tiling, std::int64_t number, const std::string& port, const HostArray& part) {
        const Scope scope(work_.profiler, "join");
        const HostTimer timer(work_.profiler, port);
        HostArray& whole = outputs_.at(port);
        if (tiling.way.merge == Chunking::place) {
            const Tile tile = tiling.at(number);
            copy_stretch(part.desc, part.data(), tile.own_first - tile.first, whole.desc, whole.data(), tile.own_first,
                         tiling.way.axis, tile.own_size);
        } else if (number == 0) {
            std::copy_n(part.data(), part.desc.dense_bytes(), whole.data());
        } else {
            add_up(part.desc, whole.data(), part.data());
        }
    }

    OutOfCore& job_;
    DeviceWork& work_;
    std::size_t at_;
    const Step& step_;
    HostArrays inputs_, outputs_;
    std::vector<HostArray> staging_;               ///< that commands read and write
    Session session_;
    PlannedCall call_;
    std::map<std::string, host::Buffer> buffers_;  ///< by port
    Json records_ = Json::object();
    Json observed_;
    bool landed_ = false;
};

OutOfCore::OutOfCore(Engine& engine, const Resolved& resolved, MemoryPlan plan)
    : engine_(engine), resolved_(resolved), plan_(std::move(plan)) {}

void OutOfCore::note(const PlannedCall& call, std::size_t step, Profiler& profiler) {
    peak_ = std::max<std::uint64_t>(peak_, engine_.context().allocated());
    check_limit(resolved_.pipeline.limits, engine_.context().allocated());
    if (steps_.size() > step) return;
    const Step& spec = resolved_.pipeline.steps[step];
    const CallResult& about = call.about;
    if (about.plan_seconds > 0) profiler.add(spec.id, StageKind::compile, about.plan_seconds);
    steps_.push_back(report_of(spec, about, plan_.tiles[step] ? plan_.tiles[step]->count() : 1));
}

void OutOfCore::compute(DeviceWork& work) {
    const Pipeline& job = resolved_.pipeline;
    std::map<Source, HostArray> arrays;
    for (std::size_t i = 0; i < job.inputs.size(); ++i)
        if (!in_slabs(i)) arrays.emplace(Source{std::nullopt, job.inputs[i].name}, std::move(work.inputs[i]));
    const auto compute = [&](std::size_t i, HostArrays inputs) {
        const Step& step = job.steps[i];
        work.begin("compute " + step.id);
        Turn turn(*this, work, i, inputs);
        if (plan_.slabs.by_step[i] == 0) {
            turn.in_tiles(plan_.tiles[i]);
        } else if (const std::string& name = step.inputs.begin()->second.port; !inputs.empty()) {
            const HostArray& whole = inputs.begin()->second;
            turn.in_slabs(whole.desc, plan_.slabs.by_step[i], name, slices_of(whole.to_dense()));
        } else {
            const std::size_t input = job.input_index(name);
            turn.in_slabs(resolved_.inputs[input].desc, plan_.slabs.by_step[i], name, work.slices(input));
        }
        for (const auto& [port, record] : turn.records().items()) work.records.emplace(Source{i, port}, record);
        for (const std::string& words : turn.warnings()) work.warnings.push_back({i, step.parameters.in_written_keys(words)});
        work.begin("computed " + step.id);
        return std::move(turn.outputs());
    };
    arrays = walk(job, std::move(arrays), compute, [](const Source&, HostArray) {});
    for (const PipelineOutput& output : job.outputs) {
        work.begin("download " + output.name);
        if (output.is_array) work.arrays.emplace(output.source, arrays.at(output.source));
    }
}

}  // namespace parallax::engine
