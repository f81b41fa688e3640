#include "exec/slabs.hpp"

#include <cstring>

namespace parallax::engine {

namespace {

std::size_t slice_bytes(const ArrayDesc& desc) { return desc.dense_bytes() / static_cast<std::size_t>(desc.axes.front().size); }

}  // namespace

ReadSlices slices_of(const HostArray& array) {
    return [array, bytes = slice_bytes(array.desc)](Slices wanted, std::byte* to) {
        std::memcpy(to, array.data() + static_cast<std::size_t>(wanted.first) * bytes,
                    static_cast<std::size_t>(wanted.count()) * bytes);
    };
}

void enqueue_slabs(Session& session, const PlannedCall& call, DeviceWork& work, const std::string& name, std::int64_t slices,
                   SlabMemory& memory, const ReadSlices& read) {
    const int passes = call.plan->slab_passes();
    for (int pass = 0; pass < passes; ++pass) {
        send_slabs(session.queue(), work.profiler, name, {0, slices}, memory, read, [&](const host::Buffer& device, Slices slab) {
            session.enqueue_slab(call, device, pass, slab.first, slab.count(), work.profiler);
            if (work.advance) work.advance((pass + static_cast<double>(slab.end) / static_cast<double>(slices)) / passes);
        });
    }
}

}  // namespace parallax::engine
