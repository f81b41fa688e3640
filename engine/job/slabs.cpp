#include "job/slabs.hpp"

#include "job/read.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>

namespace parallax::engine {

namespace {

std::size_t slice_bytes(const ArrayDesc& desc) { return desc.dense_bytes() / static_cast<std::size_t>(desc.axes.front().size); }

class Reader {
public:
    Reader(const InputSpec& spec, const PreparedInput& input, NonFinite policy) : spec_(spec), input_(input), policy_(policy) {}

    void read(Slices wanted, std::byte* to) {
        if (!has_slices(spec_, input_)) {
            if (!whole_) whole_ = slices_of(read_input(spec_, input_, policy_, {}).to_dense());
            return whole_(wanted, to);
        }
        if (!stream_ || wanted.first < next_) {
            stream_.emplace(open_slices(spec_, input_));
            next_ = 0;
        }
        if (wanted.first > next_) stream_->skip(wanted.first - next_);
        stream_->next(wanted.count(), to);
        next_ = wanted.end;
        ArrayDesc part = input_.desc.to_dense();
        part.axes.front().size = wanted.count();
        HostArray array{part.to_dense(), {}, std::shared_ptr<std::byte[]>(std::shared_ptr<std::byte[]>(), to)};   // the caller's memory
        apply_non_finite(array, policy_, fmt::format("input \"{}\" from slice {} on", spec_.name, wanted.first));
    }

private:
    const InputSpec& spec_;
    const PreparedInput& input_;
    NonFinite policy_;
    ReadSlices whole_;
    std::optional<io::SliceStream> stream_;
    std::int64_t next_ = 0;
};

}  // namespace

ReadSlices slices_of(const InputSpec& spec, const PreparedInput& input, NonFinite policy) {
    return [reader = std::make_shared<Reader>(spec, input, policy)](Slices wanted, std::byte* to) { reader->read(wanted, to); };
}

ReadSlices slices_of(const HostArray& array) {
    return [array, bytes = slice_bytes(array.desc)](Slices wanted, std::byte* to) {
        std::memcpy(to, array.data() + static_cast<std::size_t>(wanted.first) * bytes, static_cast<std::size_t>(wanted.count()) * bytes);
    };
}

void enqueue_slabs(Session& session, const PlannedCall& call, Work& work, const std::string& name, std::int64_t slices, SlabMemory& memory, const ReadSlices& read) {
    const int passes = call.plan->slab_passes();
    for (int pass = 0; pass < passes; ++pass) {
        send_slabs(session.queue(), work.profiler, name, {0, slices}, memory, read, [&](const host::Buffer& device, Slices slab) {
            session.enqueue_slab(call, device, pass, slab.first, slab.count(), work.profiler);
            if (work.advance) work.advance((pass + static_cast<double>(slab.end) / static_cast<double>(slices)) / passes);
        });
    }
}

}  // namespace parallax::engine
