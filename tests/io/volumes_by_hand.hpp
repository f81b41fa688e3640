// Volumes with a header of text, made by hand: 2 x 2 x 2 numbers of 16 bits.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/support.hpp"

namespace parallax::tests {

inline const std::string elements("\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00\x07\x00\x08\x00", 16);   // i16: 2 x 2 x 2
inline const std::vector<std::int16_t> values = {1, 2, 3, 4, 5, 6, 7, 8};

inline std::string deflated(const std::string& text, int bits) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

inline std::string nrrd(const std::string& more) {
    return "NRRD0004\ntype: short\ndimension: 3\nsizes: 2 2 2\nendian: little\n" + more + "\n";
}

inline std::string meta(const std::string& more, const std::string& file = "LOCAL") {
    return "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementType = MET_SHORT\n" + more + "ElementDataFile = " + file +
           "\n";
}

inline std::array<double, 3> origin_of(const Metadata& metadata) {
    REQUIRE(metadata.affine);
    return {(*metadata.affine)[3], (*metadata.affine)[7], (*metadata.affine)[11]};
}

}   // namespace parallax::tests
