// Which inputs are hashed while they are read, and which by a thread beside.
#pragma once

#include "job/prepare.hpp"

namespace parallax::engine {

/// Whether the files of an input, all of them or each, are too small to be worth a thread that hashes them beside.
inline bool is_small(const PreparedInput& input) {
    constexpr std::uint64_t worth_a_thread = std::uint64_t{16} << 20, each = std::uint64_t{256} << 10;
    std::uint64_t bytes = 0;
    for (const io::FileInfo& info : input.infos) bytes += info.read_bytes ? info.read_bytes->bytes : info.file_bytes;
    return bytes < worth_a_thread || bytes < each * input.infos.size();
}

}  // namespace parallax::engine
