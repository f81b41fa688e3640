// Deflate without a search for repetitions (RFC 1951, blocks with codes of their own): each byte by a Huffman code. Noise has no
// repetitions worth a pointer, so that what a camera saw comes out as long as by libdeflate, in a fifth of the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace parallax::io {

/// A zlib stream (RFC 1950), made block by block, so that a block is still in the processor's cache where it has just been made
/// itself. libdeflate or zlib unpack it.
///
///     ByteDeflater deflater(bytes.size());
///     deflater.add(some, false);
///     deflater.add(the_rest, true);
///     const std::vector<std::uint8_t> packed = deflater.finish();
class ByteDeflater {
public:
    /// One block of deflate: the lengths of its codes take 137 bytes.
    static constexpr std::size_t block = std::size_t{1} << 17;

    /// Room is set aside for as much as `bytes` bytes of noise take.
    explicit ByteDeflater(std::size_t bytes);
    /// A block: `block` bytes, of the last one any number.
    void add(std::span<const std::uint8_t> bytes, bool last);
    /// All of it, once the last block has been added. Once.
    std::vector<std::uint8_t> finish();

private:
    std::vector<std::uint8_t> packed_;
    std::uint64_t waiting_ = 0;   ///< bits that are no whole byte yet, the first in the lowest place
    std::uint64_t count_ = 0;     ///< of them
    std::uint32_t sum_ = 1;       ///< Adler-32 of what came
};

/// The whole at once: at most 15 bits a byte.
///
///     const std::vector<std::uint8_t> packed = deflate_bytes(rows);
std::vector<std::uint8_t> deflate_bytes(std::span<const std::uint8_t> bytes);

/// Bits that codes of single bytes would take for `bytes`, at best (Shannon's entropy).
double bits_of_bytes(std::span<const std::uint8_t> bytes);

}   // namespace parallax::io
