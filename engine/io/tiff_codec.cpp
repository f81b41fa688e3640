#include "io/tiff_codec.hpp"

#include <fmt/format.h>

namespace parallax::io::tiff {

const char* name_of(std::uint16_t compression) {
    switch (compression) {
        case COMPRESSION_NONE:
            return "uncompressed";
        case COMPRESSION_LZW:
            return "lzw";
        case COMPRESSION_JPEG:
            return "jpeg";
        case COMPRESSION_PACKBITS:
            return "packbits";
        case COMPRESSION_ADOBE_DEFLATE:
        case COMPRESSION_DEFLATE:
            return "deflate";
        case COMPRESSION_ZSTD:
            return "zstd";
        case COMPRESSION_LERC:
            return "lerc";
        case COMPRESSION_LZMA:
            return "lzma";
        case COMPRESSION_CCITTRLE:
        case COMPRESSION_CCITTRLEW:
        case COMPRESSION_CCITTFAX3:
        case COMPRESSION_CCITTFAX4:
            return "fax";
        default:
            return "other compression";
    }
}

std::uint64_t ratio_of(std::uint16_t compression) {
    switch (compression) {
        case COMPRESSION_NONE:
            return 1;
        case COMPRESSION_PACKBITS:
            return 64;
        case COMPRESSION_LZW:
            return 3000;
        case COMPRESSION_ADOBE_DEFLATE:
        case COMPRESSION_DEFLATE:
            return deflate_ratio;
        case COMPRESSION_JPEG:
            return jpeg_ratio;
        case COMPRESSION_LZMA:
            return 10000;
        case COMPRESSION_ZSTD:
            return 40000;   // 128 KiB in a block of four bytes
        default:
            return 200000;   // fax codes: a white row is a bit
    }
}

void check_codec(const Source& source, const Page& page) {
    const char* const otherwise = "write it uncompressed, or with LZW or deflate";
    if (!TIFFIsCODECConfigured(page.compression))
        fail(source, fmt::format("is compressed by TIFF's method {}, which libtiff here cannot decode", page.compression),
             otherwise);
    // libjbig ends the process where a header asks for more memory than there is.
    if (page.compression == COMPRESSION_JBIG) fail(source, "is compressed by JBIG, which is not read", otherwise);
    // Of these libtiff undoes no differences; other programs do.
    const bool bytes_alone = page.compression == COMPRESSION_NONE || page.compression == COMPRESSION_PACKBITS ||
                             page.compression == COMPRESSION_LERC || page.compression == COMPRESSION_THUNDERSCAN ||
                             page.compression == COMPRESSION_NEXT;
    if (page.of_differences && bytes_alone)
        fail(
            source,
            fmt::format("says that its samples are differences of neighbours (Predictor) and is {}: of such a file programs read "
                        "different values",
                        page.compression == COMPRESSION_NONE ? std::string("uncompressed")
                                                             : fmt::format("compressed by {}", name_of(page.compression))),
            otherwise);
    // Sixteen bytes a pixel of one row, which may be a bit in the file.
    constexpr std::uint32_t most_columns = 2 << 20;
    const bool fax = page.compression == COMPRESSION_CCITTRLE || page.compression == COMPRESSION_CCITTRLEW ||
                     page.compression == COMPRESSION_CCITTFAX3 || page.compression == COMPRESSION_CCITTFAX4;
    if (fax && page.width > most_columns)
        fail(source, fmt::format("has rows of {} pixels by a fax code; up to {} are read", page.width, most_columns), otherwise);
}

}  // namespace parallax::io::tiff
