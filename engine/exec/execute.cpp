#include "exec/execute.hpp"

#include "exec/host_memory.hpp"
#include "exec/out_of_core.hpp"
#include "exec/resident.hpp"

namespace parallax::engine {

namespace {

Executed as_a_whole(DeviceWork& work, Engine& engine, const MemoryPlan& memory, const ExecuteOptions& options) {
    Resident resident(engine, Resident::one_at_a_time);
    resident.cancel_when(options.cancelled);
    resident.plan(*work.pipeline, memory);
    options.read([&](std::size_t input) { return resident.in_slabs(input); });
    resident.submit(work);
    resident.finish(work);
    return {resident.steps(), resident.peak_bytes()};
}

Executed in_parts(DeviceWork& work, Engine& engine, MemoryPlan memory, const ExecuteOptions& options) {
    OutOfCore parts(engine, *work.pipeline, std::move(memory));
    parts.cancel_when(options.cancelled);
    options.read([&](std::size_t input) { return parts.in_slabs(input); });
    parts.compute(work);
    return {parts.steps(), parts.peak_bytes()};
}

}  // namespace

Executed execute(DeviceWork& work, Engine& engine, const ExecuteOptions& options) {
    MemoryPlan memory = [&] {
        Session session(engine);
        return plan_memory(*work.pipeline, session);
    }();
    check_host(host_bytes(*work.pipeline, memory, engine), "the job");
    return memory.spills ? in_parts(work, engine, std::move(memory), options) : as_a_whole(work, engine, memory, options);
}

}  // namespace parallax::engine
