// How much a stream of a simple compression unpacks to, found out by its lengths alone.
#pragma once

#include <cstdint>
#include <span>

namespace parallax::io {

/// Bytes that a strip or tile of TIFF's PackBits unpacks to; more than `most`: too many, or no end where one should be. Behind
/// `wanted` bytes, or `most` of them, a byte may be anything: some writers fill up to even lengths.
std::uint64_t bytes_of_packbits(std::span<const unsigned char>, std::uint64_t wanted, std::uint64_t most);
/// The same of TIFF's LZW. Of streams as they were before 1992, the lowest bit first, nothing is known: `wanted`.
std::uint64_t bytes_of_lzw(std::span<const unsigned char>, std::uint64_t wanted, std::uint64_t most);

}   // namespace parallax::io
