#include "io/readers/dicom_stream.hpp"

#include <algorithm>
#include <string>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::dicom {

namespace {

/// A number of some bytes, the most significant first; -1 behind the end.
std::int64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
    if (at + count > bytes.size()) return -1;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

/// Of JPEG and JPEG-LS: the first marker of a frame has it, behind any number of others.
std::optional<Stream> jpeg_stream(std::string_view bytes) {
    for (std::size_t at = 2; number(bytes, at, 1) == 0xff;) {
        const std::int64_t marker = number(bytes, at + 1, 1);
        if (marker == 0xff) {   // filling
            ++at;
            continue;
        }
        const bool other = marker == 0xc4 || marker == 0xc8 || marker == 0xcc;   // tables
        if ((marker >= 0xc0 && marker <= 0xcf && !other) || marker == 0xf7) {
            const Stream stream{number(bytes, at + 5, 2), number(bytes, at + 7, 2), number(bytes, at + 9, 1),
                                number(bytes, at + 4, 1), marker == 0xc3};
            return stream.samples < 0 ? std::nullopt : std::optional(stream);
        }
        const std::int64_t length = number(bytes, at + 2, 2);
        if (marker == 0xda || marker == 0xd9 || length < 2) return std::nullopt;
        at += 2 + static_cast<std::size_t>(length);
    }
    return std::nullopt;
}

/// Of JPEG 2000 behind its first marker, FF4F: sizes on a grid, where the picture need not begin at 0.
std::optional<Stream> wavelet_stream(std::string_view bytes) {
    if (number(bytes, 2, 2) != 0xff51) return std::nullopt;
    Stream stream{number(bytes, 12, 4) - number(bytes, 20, 4), number(bytes, 8, 4) - number(bytes, 16, 4), number(bytes, 40, 2)};
    for (std::int64_t i = 0; i < stream.samples; ++i) {
        const std::int64_t depth = number(bytes, 42 + 3 * static_cast<std::size_t>(i), 1);
        if (depth < 0) return std::nullopt;
        stream.bits = std::max(stream.bits, (depth & 0x7f) + 1);
    }
    return stream.samples < 1 ? std::nullopt : std::optional(stream);
}

std::string in_words(std::int64_t rows, std::int64_t columns, std::int64_t samples) {
    return std::to_string(rows) + " rows of " + std::to_string(columns) + " pixels of " + std::to_string(samples) +
           (samples == 1 ? " sample" : " samples");
}

}   // namespace

std::optional<Stream> stream_of(std::string_view bytes) {
    if (bytes.starts_with("\xff\xd8")) return jpeg_stream(bytes);
    // Some keep the file JP2 there, whose boxes stand before the stream.
    constexpr std::size_t boxes = 1 << 16;
    const std::size_t begin = bytes.substr(0, boxes).find("\xff\x4f\xff\x51");
    return begin == std::string_view::npos ? std::nullopt : wavelet_stream(bytes.substr(begin));
}

void check_stream(const Header& h, const Stream& stream, std::size_t frame) {
    const std::string of = "its frame " + std::to_string(frame) + " of compressed pixels has ";
    // JPEG may say behind its pixels how many rows they are.
    const bool rows_said = stream.rows > 0;
    if ((rows_said && stream.rows != h.rows) || stream.columns != h.columns || stream.samples != h.samples)
        throw Problem{"has other pixels than its header says: " + of + in_words(stream.rows, stream.columns, stream.samples) +
                          ", where the header has " + in_words(h.rows, h.columns, h.samples),
                      mend};
    if (stream.bits > h.allocated)
        throw Problem{"has other pixels than its header says: " + of + std::to_string(stream.bits) +
                          " bits a sample, where the header has " + std::to_string(h.allocated),
                      mend};
    if (stream.huffman_lossless && stream.bits < 8)
        throw Problem{"is a DICOM file of lossless JPEG of " + std::to_string(stream.bits) + " bits, which GDCM does not read",
                      "convert it to JPEG 2000, JPEG-LS or RLE, for instance by pydicom's decompress() and compress()"};
}

}   // namespace parallax::io::readers::dicom
