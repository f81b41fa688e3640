#include "exec/host_memory.hpp"

#include "support/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine {

namespace {

std::uint64_t outputs_of(const Resolved& resolved) {
    std::uint64_t bytes = 0;
    for (const PipelineOutput& output : resolved.pipeline.outputs)
        if (output.is_array && output.source.step) bytes += resolved.desc(output.source).dense_bytes();
    return bytes;
}

/// Of inputs that are in memory as a whole; and the most that one takes while it is read.
std::uint64_t inputs_of(const Resolved& resolved, const Slabs& slabs) {
    std::uint64_t bytes = 0, most = 0;
    for (std::size_t i = 0; i < resolved.inputs.size(); ++i) {
        const bool in_slabs = i < slabs.by_input.size() && slabs.by_input[i] > 0;
        if (!in_slabs) bytes += resolved.inputs[i].desc.dense_bytes();
        most = std::max(most, bytes + resolved.inputs[i].beside);
    }
    return most;
}

/// Of a pipeline that spills: arrays that wait, and those of the step at work.
std::uint64_t waiting(const Resolved& resolved, const Slabs& slabs) {
    const Pipeline& job = resolved.pipeline;
    const auto last = last_uses(job);
    std::map<Source, std::uint64_t> there;
    std::uint64_t most = inputs_of(resolved, slabs);
    for (std::size_t i = 0; i < resolved.inputs.size(); ++i)
        if (slabs.by_input[i] == 0) there[{std::nullopt, job.inputs[i].name}] = resolved.inputs[i].desc.dense_bytes();
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        for (const auto& [port, desc] : resolved.steps[i].shapes) there[{i, port}] = desc.dense_bytes();
        std::uint64_t now = 0;
        for (const auto& [source, bytes] : there) now += bytes;
        most = std::max(most, now);
        std::erase_if(there, [&](const auto& array) {
            const auto use = last.find(array.first);
            return use == last.end() || use->second <= i;
        });
    }
    return most;
}

}  // namespace

bool is_the_host(const host::DeviceInfo& device) {
    return device.backend == host::Backend::native || device.type == host::DeviceType::cpu;
}

std::uint64_t host_bytes(const Resolved& resolved, const MemoryPlan& plan, const Engine& engine) {
    const std::uint64_t arrays =
        plan.spills ? waiting(resolved, plan.slabs) : inputs_of(resolved, plan.slabs) + outputs_of(resolved);
    // What a step in slabs or tiles has on the device has a counterpart in host memory on its way.
    const std::uint64_t staging = plan.spills ? plan.bytes : 0;
    return arrays + staging + (is_the_host(engine.device()) ? plan.bytes : 0);
}

std::uint64_t host_bytes_of_item(const Resolved& resolved) { return inputs_of(resolved, {}) + outputs_of(resolved); }

void check_host(std::uint64_t bytes, const std::string& what) {
    constexpr std::uint64_t little = std::uint64_t{64} << 20;   // not worth asking the system; malloc says so itself
    if (bytes <= little) return;
    const host::platform::MemoryRoom room = host::platform::memory_room();
    if (room.bytes == 0 || bytes <= room.bytes) return;
    throw UnsupportedError(
        fmt::format("{} does not fit into the memory of the host", what),
        {fmt::format("it takes {} at once; {}", human(bytes), room.words),
         "try fewer or smaller inputs at a time (crop, select, pages of a file), outputs of a smaller type, or a "
         "machine with more memory"});
}

}  // namespace parallax::engine
