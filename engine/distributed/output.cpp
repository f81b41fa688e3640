#include "distributed/output.hpp"

#include "io/pieces.hpp"

#include <algorithm>

namespace parallax::engine::distributed {
namespace {

constexpr std::size_t most = std::size_t{64} << 20;   // bytes of a piece

}  // namespace

void send_slices(Communicator& ranks, const HostArray& mine) {
    const std::size_t bytes = mine.desc.dense_bytes();
    for (std::size_t at = 0; at < bytes; at += most) {
        const Message message{0, {mine.data() + at, std::min(most, bytes - at)}, {}};
        ranks.exchange({&message, 1});
    }
}

Pieces::Pieces(Communicator& ranks, const HostArray& mine, std::vector<std::size_t> bytes)
    : ranks_(ranks), mine_(mine), bytes_(std::move(bytes)) {}

std::span<const std::byte> Pieces::next() {
    while (rank_ < ranks_.size() && at_ == bytes_[static_cast<std::size_t>(rank_)]) ++rank_, at_ = 0;
    if (rank_ == ranks_.size()) return {};
    const std::size_t some = std::min(most, bytes_[static_cast<std::size_t>(rank_)] - at_), from = at_;
    at_ += some;
    if (rank_ == 0) return {mine_.data() + from, some};
    piece_.resize(some);
    const Message message{rank_, {}, piece_};
    ranks_.exchange({&message, 1});
    return piece_;
}

void write_slices(const std::filesystem::path& path, const OutputSpec& output, const ArrayDesc& desc, const Metadata& metadata,
                  Pieces pieces, OutputReport& report) {
    if (io::writes_pieces(path)) {
        io::WriteOptions options = output.write;
        options.name = output.file;
        return io::write_pieces(path, desc, [&] { return pieces.next(); }, options, metadata);
    }
    HostArray whole = HostArray::make(desc.to_dense());
    whole.metadata = metadata;
    std::byte* to = whole.data();
    for (std::span<const std::byte> piece = pieces.next(); !piece.empty(); piece = pieces.next())
        to = std::copy(piece.begin(), piece.end(), to);
    write_array(path, output, whole, report);
}

}  // namespace parallax::engine::distributed
