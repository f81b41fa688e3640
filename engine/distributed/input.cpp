#include "distributed/input.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>

namespace parallax::engine::distributed {
namespace {

class Reader {
public:
    Reader(const InputSpec& spec, const PreparedInput& input, NonFinite policy) : spec_(spec), input_(input), policy_(policy) {}

    void read(Range range, std::byte* to) {
        const ArrayDesc& desc = input_.desc;
        const std::size_t slice_bytes = desc.dense_bytes() / static_cast<std::size_t>(desc.axes.front().size), bytes = static_cast<std::size_t>(range.size()) * slice_bytes;
        if (!has_slices(spec_, input_)) {
            if (!whole_) whole_ = read_input(spec_, input_, policy_, {}).to_dense();
            std::memcpy(to, whole_->data() + static_cast<std::size_t>(range.first) * slice_bytes, bytes);
            return;
        }
        if (!stream_ || range.first < next_) {
            stream_.emplace(open_slices(spec_, input_));
            next_ = 0;
        }
        if (range.first > next_) stream_->skip(range.first - next_);
        stream_->next(range.size(), to);
        next_ = range.end;
        ArrayDesc part = desc.to_dense();
        part.axes.front().size = range.size();
        HostArray array{part.to_dense(), {}, std::shared_ptr<std::byte[]>(std::shared_ptr<std::byte[]>(), to)};   // the caller's memory
        apply_non_finite(array, policy_, fmt::format("input \"{}\" from slice {} on", spec_.name, range.first));
    }

private:
    const InputSpec& spec_;
    const PreparedInput& input_;
    NonFinite policy_;
    std::optional<HostArray> whole_;
    std::optional<io::SliceStream> stream_;
    std::int64_t next_ = 0;
};

}  // namespace

std::function<void(Range, std::byte* to)> slices_of(const InputSpec& spec, const PreparedInput& input, NonFinite policy) {
    return [reader = std::make_shared<Reader>(spec, input, policy)](Range range, std::byte* to) { reader->read(range, to); };
}

}  // namespace parallax::engine::distributed
