// What a stream of compressed pixels says of itself: JPEG, JPEG-LS and JPEG 2000.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "io/readers/dicom_header.hpp"

namespace parallax::io::readers::dicom {

struct Stream {
    std::int64_t rows = 0, columns = 0, samples = 0, bits = 0;   ///< bits of a sample, the most that one has
    bool huffman_lossless = false;                               ///< JPEG's process 14
};

/// By its beginning; nothing where that is of another kind, or ends too early.
std::optional<Stream> stream_of(std::string_view);

/// Throws Problem where the stream of a frame (from 1) is another picture than the header's, or one that GDCM cannot decode. GDCM
/// takes the header's word for it, and may fill memory with rows of other lengths.
void check_stream(const Header&, const Stream&, std::size_t frame);

}   // namespace parallax::io::readers::dicom
