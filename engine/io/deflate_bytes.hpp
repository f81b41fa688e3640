// Deflate without a search for repetitions (RFC 1951, blocks with codes of their own): each byte by a Huffman code. Noise has no
// repetitions worth a pointer, so that what a camera saw comes out as long as by libdeflate, in a fifth of the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace parallax::io {

/// A zlib stream (RFC 1950) of `bytes`, at most 15 bits a byte. libdeflate or zlib unpack it.
///
///     const std::vector<std::uint8_t> packed = deflate_bytes(rows);
std::vector<std::uint8_t> deflate_bytes(std::span<const std::uint8_t> bytes);

/// Bits that codes of single bytes would take for `bytes`, at best (Shannon's entropy).
double bits_of_bytes(std::span<const std::uint8_t> bytes);

}   // namespace parallax::io
