// Strips and tiles of TIFF whose compressed bytes tell where they end. libtiff stops where it has as many bytes as it wants: a
// stream that is damaged, so that it goes on there or its check value is wrong, would come out as other pixels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/tiff_pages.hpp"

struct libdeflate_decompressor;

namespace parallax::io::tiff {

/// How many bytes belong into a strip or tile.
struct Room {
    std::uint64_t bytes;   ///< that are wanted
    std::uint64_t most;    ///< of a whole one: some writers fill up the last strip
    std::uint64_t row;
};

class Unpacker {
public:
    Unpacker();
    ~Unpacker();

    /// Whether the end of what is so compressed is looked at here: of LZW, deflate, PackBits, LZMA and Zstandard.
    static bool knows(std::uint16_t compression);
    /// One that is there, of the directory that the file stands at. Returns why it cannot be decoded; empty: it has been.
    std::string unpack(const TiffFile&, const Page&, std::uint32_t index, Room, std::byte* to);
    /// Whether libtiff decodes it, but has to be given its bytes: of WebP it does not look at the size, which is done here; and its code
    /// of rows that begin at bytes (CCITT RLE) reads beyond a stream's end, where zeros stand then.
    static bool hands_over(std::uint16_t compression);
    /// Decodes such a strip or tile of so many columns. Returns why it cannot; empty: it has.
    std::string hand_over(const TiffFile&, const Page&, std::uint32_t index, std::uint32_t columns, Room, std::byte* to);

private:
    std::string read_packed(const TiffFile&, const Page&, std::uint32_t index);
    std::string inflate(Room, std::byte* to);
    std::string check_by_lengths(const Page&, Room) const;
    std::string check_by_asking_for_more(const TiffFile&, std::uint32_t index, Room);

    std::vector<unsigned char> packed_, unpacked_;
    std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflate_;
};

}   // namespace parallax::io::tiff
