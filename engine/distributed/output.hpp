// The slices of an array that ranks have made, on their way to one file.
#pragma once

#include "core/communicator.hpp"
#include "job/work.hpp"

#include <span>
#include <vector>

namespace parallax::engine::distributed {

/// What every rank but 0 does for each time that rank 0 goes through an array: sends its slices, a piece at a time.
void send_slices(Communicator&, const HostArray& mine);

/// Rank 0's side: the bytes of all ranks in order, no more than a piece of them in memory beside its own.
class Pieces {
public:
    /// bytes: of each rank, in order.
    Pieces(Communicator&, const HostArray& mine, std::vector<std::size_t> bytes);
    /// The next ones, good until the next call; empty: that was all.
    std::span<const std::byte> next();

private:
    Communicator& ranks_;
    const HostArray& mine_;
    std::vector<std::size_t> bytes_;
    int rank_ = 0;
    std::size_t at_ = 0;
    std::vector<std::byte> piece_;
};

/// Writes an array as write_array() does: piece by piece where the format can be written so, else as a whole. `metadata`: what one
/// device's array would have, since ranks send elements alone.
void write_slices(const std::filesystem::path&, const OutputSpec&, const ArrayDesc&, const Metadata& metadata, Pieces, OutputReport&);

}  // namespace parallax::engine::distributed
