#include "job/slabs.hpp"

#include "job/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace parallax::engine {

NextSlices slices_of(const InputSpec& input, const PreparedInput& prepared, NonFinite policy) {
    return [&input, &prepared, policy, file = io::SliceStream()](HostArray& slices, std::int64_t first) mutable {
        if (first == 0) file = open_slices(input, prepared);
        file.next(slices.desc.axes.front().size, slices.data());
        apply_non_finite(slices, policy, fmt::format("input \"{}\" from slice {} on", input.name, first));
    };
}

void enqueue_slabs(Session& session, const PlannedCall& call, Work& work, const std::string& name, std::int64_t slices, const SlabMemory& memory, const NextSlices& next) {
    using Scope = Execution::Scope;
    std::array<host::Event, 2> up;
    const int passes = call.plan->slab_passes();
    std::size_t turn = 0;
    for (int pass = 0; pass < passes; ++pass) {
        for (std::int64_t first = 0; first < slices; first += memory.slab, turn ^= 1) {
            HostArray& host = memory.host[turn];
            const host::Buffer& device = memory.device[turn];
            const std::int64_t count = host.desc.axes.front().size = std::min(memory.slab, slices - first);
            up[turn].wait();
            {
                const Scope scope(work.profiler, "read");
                const HostTimer timer(work.profiler, name);
                next(host, first);
            }
            {
                const Scope scope(work.profiler, "upload");
                up[turn] = session.queue().write(device, 0, host.data(), host.desc.dense_bytes(), name);
                work.profiler.add(name, StageKind::upload, up[turn]);
            }
            session.enqueue_slab(call, device, pass, first, count, work.profiler);
            session.queue().flush();
            if (work.advance) work.advance((pass + static_cast<double>(first + count) / static_cast<double>(slices)) / passes);
        }
    }
}

}  // namespace parallax::engine
