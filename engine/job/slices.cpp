#include "job/slices.hpp"

#include "exec/slabs.hpp"
#include "job/read.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace parallax::engine {

namespace {

class Reader {
public:
    Reader(const InputSpec& spec, const PreparedInput& input, NonFinite policy, InputWarnings& warnings)
        : spec_(spec), input_(input), policy_(policy), warnings_(warnings) {}

    void read(Slices wanted, std::byte* to) {
        if (!has_slices(spec_, input_)) {
            if (!whole_) whole_ = slices_of(read_input(spec_, input_, policy_, {}, warnings_).to_dense());
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
        HostArray array{
            part.to_dense(), {}, std::shared_ptr<std::byte[]>(std::shared_ptr<std::byte[]>(), to)};   // the caller's memory
        apply_non_finite(array, policy_, fmt::format("input \"{}\" from slice {} on", spec_.name, wanted.first));
    }

private:
    const InputSpec& spec_;
    const PreparedInput& input_;
    NonFinite policy_;
    InputWarnings& warnings_;
    ReadSlices whole_;
    std::optional<io::SliceStream> stream_;
    std::int64_t next_ = 0;
};

}  // namespace

ReadSlices slices_of(const InputSpec& spec, const PreparedInput& input, NonFinite policy, InputWarnings& warnings) {
    return [reader = std::make_shared<Reader>(spec, input, policy, warnings)](Slices wanted, std::byte* to) {
        reader->read(wanted, to);
    };
}

}  // namespace parallax::engine
