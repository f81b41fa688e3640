#include "io/readers/zarr_codec.hpp"

#include <blosc.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "io/gzip_members.hpp"

namespace parallax::io::readers::zarr {

bool is_known_codec(const std::string& codec) {
    return codec.empty() || codec == "blosc" || codec == "zstd" || codec == "gzip" || codec == "zlib";
}

std::size_t unpack(const std::string& codec, const std::string& stored, std::vector<char>& elements) {
    std::size_t got = 0;
    if (codec.empty()) {
        got = stored.size();
        if (got == elements.size()) std::memcpy(elements.data(), stored.data(), got);
    } else if (codec == "blosc") {
        std::size_t declared = 0;
        if (blosc_cbuffer_validate(stored.data(), stored.size(), &declared) == 0 && declared == elements.size())
            got = static_cast<std::size_t>(
                std::max(0, blosc_decompress_ctx(stored.data(), elements.data(), elements.size(), 1)));
    } else if (codec == "zstd") {
        got = ZSTD_decompress(elements.data(), elements.size(), stored.data(), stored.size());
        if (ZSTD_isError(got)) got = 0;
    } else {
        z_stream stream{};
        if (inflateInit2(&stream, 15 + 32) != Z_OK) throw std::bad_alloc();
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));
        stream.avail_in = static_cast<uInt>(stored.size());
        stream.next_out = reinterpret_cast<Bytef*>(elements.data());
        stream.avail_out = static_cast<uInt>(elements.size());
        int code = Z_OK;
        do code = inflate(&stream, Z_FINISH);
        while (code == Z_STREAM_END && codec == "gzip" && begin_next_member(stream));
        // Behind its end zeros may fill up a block, as gzip has it; what else stands there means something.
        const bool only_zeros = std::all_of(stream.next_in, stream.next_in + stream.avail_in, [](Bytef b) { return b == 0; });
        if (code == Z_STREAM_END && only_zeros) got = elements.size() - stream.avail_out;
        inflateEnd(&stream);
    }
    return got;
}

void last_axis_fastest(std::vector<char>& elements, const std::vector<std::int64_t>& chunk, std::size_t bytes) {
    const std::size_t n = chunk.size();
    std::vector<std::size_t> strides(n, bytes);
    for (std::size_t i = 1; i < n; ++i) strides[i] = strides[i - 1] * static_cast<std::size_t>(chunk[i - 1]);
    std::vector<std::int64_t> at(n, 0);
    std::vector<char> turned(elements.size());
    std::size_t from = 0;
    for (std::size_t to = 0; to < turned.size(); to += bytes) {
        std::memcpy(turned.data() + to, elements.data() + from, bytes);
        for (std::size_t i = n; i-- > 0; at[i] = 0) {
            from += strides[i];
            if (++at[i] < chunk[i]) break;
            from -= strides[i] * static_cast<std::size_t>(chunk[i]);
        }
    }
    elements.swap(turned);
}

}   // namespace parallax::io::readers::zarr
