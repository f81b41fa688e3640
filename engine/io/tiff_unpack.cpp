#include "io/tiff_unpack.hpp"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>

#include "io/packed_ends.hpp"
#include "io/webp_size.hpp"

namespace parallax::io::tiff {
namespace {

constexpr const char* goes_on = "its compressed bytes unpack to more than its pixels";
constexpr const char* too_few = "its compressed bytes unpack to less than its pixels";

bool is_deflate(std::uint16_t compression) {
    return compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE;
}

bool fits(std::uint64_t bytes, const Room& room) { return bytes == room.bytes || bytes == room.most; }

/// Bytes in deflate's blocks that are stored as they are.
void store(const std::byte* from, std::size_t count, std::vector<unsigned char>& to) {
    constexpr std::size_t block = 65535;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
    to.resize(2 + count + 5 * (count / block + 1) + 4);
    unsigned char* at = to.data();
    *at++ = 0x78, *at++ = 0x01;
    std::size_t done = 0;
    do {
        const std::size_t n = std::min(block, count - done);
        const unsigned char head[] = {static_cast<unsigned char>(done + n == count), static_cast<unsigned char>(n),
                                      static_cast<unsigned char>(n >> 8), static_cast<unsigned char>(~n),
                                      static_cast<unsigned char>(~n >> 8)};
        at = std::copy_n(head, sizeof head, at);
        at = std::copy_n(bytes + done, n, at);
        done += n;
    } while (done < count);
    const std::uint32_t sum = libdeflate_adler32(1, bytes, count);
    for (int i = 0; i < 4; ++i) *at++ = static_cast<unsigned char>(sum >> (24 - 8 * i));
    to.resize(static_cast<std::size_t>(at - to.data()));
}

/// How many bytes libtiff says that a stream is short of.
std::optional<std::uint64_t> short_of(std::string_view error) {
    constexpr std::string_view words = "(short ";
    const std::size_t at = error.find(words);
    std::uint64_t bytes = 0;
    if (at == std::string_view::npos) return std::nullopt;
    const auto read = std::from_chars(error.data() + at + words.size(), error.data() + error.size(), bytes);
    return read.ec == std::errc() ? std::optional(bytes) : std::nullopt;
}

}   // namespace

Unpacker::Unpacker() : inflate_(nullptr, libdeflate_free_decompressor) {}
Unpacker::~Unpacker() = default;

bool Unpacker::knows(std::uint16_t compression) {
    return is_deflate(compression) || compression == COMPRESSION_LZW || compression == COMPRESSION_PACKBITS ||
           compression == COMPRESSION_LZMA || compression == COMPRESSION_ZSTD;
}

std::string Unpacker::unpack(const TiffFile& file, const Page& page, std::uint32_t index, Room room, std::byte* to) {
    TIFF* const tiff = file.handle();
    if (std::string why = read_packed(file, page, index); !why.empty()) return why;
    // libtiff turns the bits itself, and turns them back.
    std::uint16_t order = FILLORDER_MSB2LSB, predictor = PREDICTOR_NONE;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_FILLORDER, &order);
    const auto turn = [&] {
        if (order == FILLORDER_LSB2MSB) TIFFReverseBits(packed_.data(), static_cast<tmsize_t>(packed_.size()));
    };
    turn();
    if (is_deflate(page.compression)) {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_PREDICTOR, &predictor);
        const bool as_stored = predictor == PREDICTOR_NONE && (page.bits <= 8 || TIFFIsByteSwapped(tiff) == 0);
        if (std::string why = inflate(room, to); !why.empty() || as_stored) return why;
        // The rest libtiff does, given what costs it no unpacking: differences of neighbours, and the order of bytes.
        store(to, room.bytes, packed_);
    }
    const std::string why = check_by_lengths(page, room);
    turn();
    const bool decoded = TIFFReadFromUserBuffer(tiff, index, packed_.data(), static_cast<tmsize_t>(packed_.size()), to,
                                                static_cast<tmsize_t>(room.bytes)) != 0;
    const std::string said = file.take_error();
    if (!decoded) return said.empty() ? "libtiff says no more" : said;
    if (!why.empty()) return why;
    const bool by_asking = page.compression == COMPRESSION_LZMA || page.compression == COMPRESSION_ZSTD;
    return by_asking ? check_by_asking_for_more(file, index, room) : "";
}

std::string Unpacker::read_packed(const TiffFile& file, const Page& page, std::uint32_t index) {
    TIFF* const tiff = file.handle();
    const std::uint64_t at = TIFFGetStrileOffset(tiff, index), bytes = TIFFGetStrileByteCount(tiff, index),
                        end = file.file().size();
    if (at > end || bytes > end - at) return fmt::format("it has {} bytes from byte {} on, past the end of the file", bytes, at);
    packed_.resize(bytes);
    const auto size = static_cast<tmsize_t>(bytes);
    const tmsize_t got =
        page.tiled ? TIFFReadRawTile(tiff, index, packed_.data(), size) : TIFFReadRawStrip(tiff, index, packed_.data(), size);
    const std::string said = file.take_error();
    return got == size && size > 0 ? "" : said.empty() ? "it has no bytes" : said;
}

bool Unpacker::hands_over(std::uint16_t compression) {
    return compression == COMPRESSION_WEBP || compression == COMPRESSION_CCITTRLE || compression == COMPRESSION_CCITTRLEW;
}

std::string Unpacker::hand_over(const TiffFile& file, const Page& page, std::uint32_t index, std::uint32_t columns, Room room,
                                std::byte* to) {
    if (std::string why = read_packed(file, page, index); !why.empty()) return why;
    if (page.compression == COMPRESSION_WEBP) {
        const auto size = webp_size(packed_);
        const std::uint64_t rows = room.bytes / room.row;
        if (!size) return "its bytes are no picture of WebP";
        if (size->first != columns || size->second < rows)
            return fmt::format("its picture of WebP has {} columns and {} rows, where {} and {} belong", size->first, size->second, columns,
                               rows);
    } else {
        packed_.resize(packed_.size() + 4);
    }
    return file.decode([&] {
        return TIFFReadFromUserBuffer(file.handle(), index, packed_.data(), static_cast<tmsize_t>(packed_.size()), to,
                                      static_cast<tmsize_t>(room.bytes)) != 0;
    });
}

std::string Unpacker::inflate(Room room, std::byte* to) {
    if (!inflate_) inflate_.reset(libdeflate_alloc_decompressor());
    if (!inflate_) throw std::bad_alloc();
    std::size_t made = 0;
    const auto into = [&](void* memory, std::uint64_t bytes) {
        return libdeflate_zlib_decompress(inflate_.get(), packed_.data(), packed_.size(), memory, bytes, &made);
    };
    libdeflate_result result = into(to, room.bytes);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE && room.most > room.bytes) {   // a last strip that is filled up
        unpacked_.resize(room.most);
        result = into(unpacked_.data(), room.most);
        std::memcpy(to, unpacked_.data(), room.bytes);
    }
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) return goes_on;
    if (result != LIBDEFLATE_SUCCESS) return "its compressed bytes are no sound stream of deflate's";
    return fits(made, room) ? "" : made < room.bytes ? too_few : goes_on;
}

std::string Unpacker::check_by_lengths(const Page& page, Room room) const {
    const std::uint64_t bytes = page.compression == COMPRESSION_LZW        ? bytes_of_lzw(packed_, room.bytes, room.most)
                                : page.compression == COMPRESSION_PACKBITS ? bytes_of_packbits(packed_, room.bytes, room.most)
                                                                           : room.bytes;
    return fits(bytes, room) ? "" : bytes < room.bytes ? too_few : goes_on;
}

/// A stream that is whole is short of what was asked for on top, when all is there.
std::string Unpacker::check_by_asking_for_more(const TiffFile& file, std::uint32_t index, Room room) {
    unpacked_.resize(room.most + room.row);
    const bool more = TIFFReadFromUserBuffer(file.handle(), index, packed_.data(), static_cast<tmsize_t>(packed_.size()),
                                             unpacked_.data(), static_cast<tmsize_t>(unpacked_.size())) != 0;
    std::string said = file.take_error();
    if (more) return goes_on;
    const std::optional<std::uint64_t> missing = short_of(said);
    if (!missing || *missing > unpacked_.size()) return said;
    return fits(unpacked_.size() - *missing, room) ? "" : goes_on;
}

}   // namespace parallax::io::tiff
