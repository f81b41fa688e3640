#include "io/readers/mat_packed.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <vector>

namespace parallax::io::readers::mat {
namespace {

constexpr std::uint32_t compressed = 15;
constexpr std::streamoff head = 128;

std::uint32_t word(const unsigned char* at, bool big_endian) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(at[i]) << 8 * (big_endian ? 3 - i : i);
    return value;
}

/// Whether so many bytes are a whole zlib stream.
bool is_whole(std::ifstream& in, std::uint32_t bytes) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
    std::vector<unsigned char> packed(1 << 16), sink(1 << 18);
    int code = Z_OK;
    while (code == Z_OK && bytes > 0) {
        const auto part = static_cast<std::uint32_t>(std::min<std::size_t>(bytes, packed.size()));
        if (!in.read(reinterpret_cast<char*>(packed.data()), part)) break;
        bytes -= part;
        stream.next_in = packed.data();
        stream.avail_in = part;
        do {
            stream.next_out = sink.data();
            stream.avail_out = static_cast<uInt>(sink.size());
            code = inflate(&stream, Z_NO_FLUSH);
        } while (code == Z_OK && stream.avail_out == 0);
        if (code == Z_BUF_ERROR) code = Z_OK;   // it wants more
    }
    inflateEnd(&stream);
    return code == Z_STREAM_END;
}

}   // namespace

bool unpacks(const std::string& path, std::size_t number) {
    std::ifstream in(path, std::ios::binary);
    std::array<unsigned char, head> first{};
    if (!in.read(reinterpret_cast<char*>(first.data()), head)) return true;
    const bool big_endian = first[126] == 'M' && first[127] == 'I';
    if (!big_endian && !(first[126] == 'I' && first[127] == 'M')) return true;   // of version 4
    for (std::size_t i = 0;; ++i) {
        std::array<unsigned char, 8> tag{};
        if (!in.read(reinterpret_cast<char*>(tag.data()), tag.size())) return true;
        const std::uint32_t type = word(tag.data(), big_endian), bytes = word(tag.data() + 4, big_endian);
        if (i == number) return type != compressed || is_whole(in, bytes);
        in.seekg(bytes, std::ios::cur);
    }
}

}   // namespace parallax::io::readers::mat
