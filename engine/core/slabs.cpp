#include "core/slabs.hpp"

#include "core/plan.hpp"

#include <algorithm>

namespace parallax::engine {

void send_slabs(host::Queue& queue, Profiler& profiler, const std::string& name, Slices wanted, SlabMemory& memory,
                const ReadSlices& read, const std::function<void(const host::Buffer&, Slices)>& use) {
    using Scope = Execution::Scope;
    for (std::int64_t first = wanted.first; first < wanted.end; first += memory.slab, memory.turn ^= 1) {
        const Slices slab{first, std::min(first + memory.slab, wanted.end)};
        std::byte* const host = memory.host[memory.turn];
        const host::Buffer& device = memory.device[memory.turn];
        host::Event& up = memory.up[memory.turn];
        up.wait();
        {
            const Scope scope(profiler, "read");
            const HostTimer timer(profiler, name);
            read(slab, host);
        }
        {
            const Scope scope(profiler, "upload");
            up = queue.write(device, 0, host, static_cast<std::size_t>(slab.count()) * memory.slice_bytes, name);
            profiler.add(name, StageKind::upload, up);
        }
        use(device, slab);
        queue.flush();
    }
}

}  // namespace parallax::engine
