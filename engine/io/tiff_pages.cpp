#include "io/tiff_pages.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace parallax::io::tiff {
namespace {

constexpr const char* again = "the file is cut off or damaged: write or copy it again";

/// libtiff passes over values, and a next directory, that stand past the end of the file: a page would be lost without
/// a word. So the directory at hand is looked at as it is stored.
void check_directory(const Source& source, const TiffFile& tiff_file, std::size_t index) {
    TIFF* tiff = tiff_file.handle();
    File& file = tiff_file.file();
    const bool big = TIFFIsBigTIFF(tiff) != 0, swap = TIFFIsByteSwapped(tiff) != 0;
    const std::size_t count_bytes = big ? 8 : 2, entry_bytes = big ? 20 : 12, inside = big ? 8 : 4;
    const std::uint64_t at = TIFFCurrentDirOffset(tiff);
    const auto number = [&](const unsigned char* p) -> std::uint64_t {
        return big ? load<std::uint64_t>(p, swap) : load<std::uint32_t>(p, swap);
    };
    unsigned char head[8] = {};
    file.seek(at);
    file.read(head, count_bytes, "a TIFF directory");
    const std::uint64_t entries = big ? load<std::uint64_t>(head, swap) : load<std::uint16_t>(head, swap);
    if (entries > source.bytes / entry_bytes)
        fail(source, fmt::format("its TIFF directory {} declares {} entries", index, entries), again);
    std::vector<unsigned char> bytes(entries * entry_bytes + inside);  // and where the next directory is
    file.read(bytes.data(), bytes.size(), "a TIFF directory");
    for (std::uint64_t i = 0; i < entries; ++i) {
        const unsigned char* entry = bytes.data() + i * entry_bytes;
        const auto tag = load<std::uint16_t>(entry, swap);
        const auto type = load<std::uint16_t>(entry + 2, swap);
        if (type > TIFF_IFD8) continue;   // no type of TIFF's: libtiff leaves the entry out
        const std::uint64_t count = number(entry + 4), width = static_cast<std::uint64_t>(TIFFDataWidth(static_cast<TIFFDataType>(type)));
        if (width == 0 || count <= inside / width) continue;
        const std::uint64_t offset = number(entry + 4 + inside);
        if (offset > source.bytes || count > (source.bytes - offset) / width) {
            fail(source,
                 fmt::format("tag {} of its TIFF directory {} has {} values from byte {} on, past the end of the file", tag,
                             index, count, offset),
                 again);
        }
    }
}

Page describe_page(const Source& source, TIFF* tiff) {
    Page page;
    page.directory = TIFFCurrentDirOffset(tiff);
    if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page.width) || !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page.height)) {
        fail(source, "has a TIFF directory without a width or a height", again);
    }
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &page.bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &page.sample_format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &page.samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &page.planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &page.compression);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &page.photometric);  // many scientific writers leave it out
    std::uint16_t extras = 0, *kinds = nullptr;
    if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &extras, &kinds) && extras > 0) {
        page.alpha = kinds[0] == EXTRASAMPLE_ASSOCALPHA || kinds[0] == EXTRASAMPLE_UNASSALPHA;
    }
    page.tiled = TIFFIsTiled(tiff) != 0;
    return page;
}

std::vector<Page> describe_pages(const Source& source, const TiffFile& file) {
    std::vector<Page> pages;
    for (std::size_t index = 0;; ++index) {
        check_directory(source, file, index);
        // Thumbnails, the levels of a pyramid and masks are no pages of the stack.
        std::uint32_t kind = 0;
        TIFFGetField(file.handle(), TIFFTAG_SUBFILETYPE, &kind);
        if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0) pages.push_back(describe_page(source, file.handle()));
        if (TIFFLastDirectory(file.handle())) break;
        if (!TIFFReadDirectory(file.handle())) {
            fail(source, fmt::format("its TIFF directory {} is damaged: {}", index + 1, file.take_error()), again);
        }
    }
    if (pages.empty()) fail(source, "holds only thumbnails or masks, no picture");
    return pages;
}

ElementType element_type(const Source& source, const Page& page) {
    const int bits = page.bits;
    const auto pick = [&](ElementType b8, ElementType b16, ElementType b32, ElementType b64) -> std::optional<ElementType> {
        if (bits == 8) return b8;
        if (bits == 16) return b16;
        if (bits == 32) return b32;
        if (bits == 64) return b64;
        return std::nullopt;
    };
    std::optional<ElementType> type;
    const char* kind = "unsigned";
    switch (page.sample_format) {
        case SAMPLEFORMAT_UINT:
        case SAMPLEFORMAT_VOID:
            type = pick(ElementType::u8, ElementType::u16, ElementType::u32, ElementType::u64);
            if (bits == 1 || ((bits == 2 || bits == 4) && page.samples == 1)) type = ElementType::u8;
            break;
        case SAMPLEFORMAT_INT:
            kind = "signed";
            type = pick(ElementType::i8, ElementType::i16, ElementType::i32, ElementType::i64);
            break;
        case SAMPLEFORMAT_IEEEFP:
            kind = "floating-point";
            if (bits == 32) type = ElementType::f32;
            if (bits == 64) type = ElementType::f64;
            break;
        case SAMPLEFORMAT_COMPLEXIEEEFP:
            kind = "complex";
            if (bits == 64) type = ElementType::c64;
            if (bits == 128) type = ElementType::c128;
            break;
        default:
            kind = "unknown";
    }
    if (!type || (bits < 8 && page.samples > 1)) {
        fail(source,
             fmt::format("has {} {}-bit {} sample{} a pixel, which cannot be read", page.samples, bits, kind,
                         page.samples > 1 ? "s" : ""),
             "convert it to 8, 16 or 32-bit samples");
    }
    return *type;
}

void describe_colour(const Source& source, Document& document) {
    const Page& page = document.like;
    document.channels = page.samples;
    switch (page.photometric) {
        case PHOTOMETRIC_MINISWHITE:
            document.invert =
                document.type == ElementType::u8 || document.type == ElementType::u16 || document.type == ElementType::u32;
            [[fallthrough]];
        case PHOTOMETRIC_MINISBLACK:
        case PHOTOMETRIC_MASK:
        case PHOTOMETRIC_CFA:
            document.colour = page.samples == 1                 ? Colour::grey
                              : page.samples == 2 && page.alpha ? Colour::grey_alpha
                                                                : Colour::other;
            return;
        case PHOTOMETRIC_YCBCR:
            if (page.compression != COMPRESSION_JPEG) {
                fail(source, "holds YCbCr colours without JPEG compression, which cannot be read", "convert it to RGB");
            }
            [[fallthrough]];
        case PHOTOMETRIC_RGB:
            if (page.samples < 3) fail(source, fmt::format("is an RGB TIFF of {} channels", page.samples), again);
            document.colour = page.samples == 3 ? Colour::rgb : Colour::rgb_alpha;
            return;
        case PHOTOMETRIC_PALETTE:
            if (page.samples != 1 || page.bits > 8) {
                fail(source, fmt::format("has a palette with {} samples of {} bits", page.samples, page.bits),
                     "convert it to grey or RGB");
            }
            document.palette = true;
            document.colour = Colour::rgb;
            document.channels = 3;
            return;
        default:
            fail(source, fmt::format("has the colour model {} (CMYK, Lab, LogLuv, ...), which cannot be read", page.photometric),
                 "convert it to RGB or grey");
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
        default:
            return 200000;  // fax codes, zstd, LZMA: long runs cost next to nothing
    }
}

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

/// Resolution and ImageJ's unit -> spacing.
void describe_space(Document& document, TIFF* tiff, const std::optional<ImageJ>& imagej) {
    float x = 0, y = 0;
    std::uint16_t unit = RESUNIT_INCH;
    TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x);
    TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    double one = 0;  // what the resolution counts pixels in, in desc.unit
    std::string name;
    if (imagej && !imagej->unit.empty()) {
        one = 1, name = imagej->unit;
    } else if (unit == RESUNIT_INCH) {
        one = 25400, name = "um";
    } else if (unit == RESUNIT_CENTIMETER) {
        one = 10000, name = "um";
    }
    const bool usable = one > 0 && x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y);
    if (!usable) return;
    ArrayDesc& desc = document.file.desc;
    desc = desc.with_unit(name).with_spacing('x', one / x).with_spacing('y', one / y);
    if (imagej && imagej->spacing > 0) desc = desc.with_spacing('z', imagej->spacing);
}

/// Where the strips of an uncompressed page begin, if they follow each other without gaps; else 0.
std::uint64_t start_of_strips(const Page& page, TIFF* tiff) {
    if (page.compression != COMPRESSION_NONE || page.tiled || page.bits < 8 ||
        (page.planar != PLANARCONFIG_CONTIG && page.samples > 1))
        return 0;
    const std::uint64_t start = TIFFGetStrileOffset(tiff, 0);
    std::uint64_t at = start;
    for (std::uint32_t i = 0; i < TIFFNumberOfStrips(tiff); ++i) {
        if (TIFFGetStrileOffset(tiff, i) != at) return 0;
        at += TIFFGetStrileByteCount(tiff, i);
    }
    return start;
}

}  // namespace

std::optional<ImageJ> parse_imagej(std::string_view description) {
    if (!description.starts_with("ImageJ=")) return std::nullopt;
    ImageJ result;
    while (!description.empty()) {
        const std::size_t end = std::min(description.find('\n'), description.size());
        const std::string_view line = description.substr(0, end);
        description.remove_prefix(std::min(end + 1, description.size()));
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view key = line.substr(0, equals), value = line.substr(equals + 1);
        const char* last = value.data() + value.size();
        if (key == "images") {
            std::from_chars(value.data(), last, result.images);
        } else if (key == "spacing") {
            std::from_chars(value.data(), last, result.spacing);
        } else if (key == "unit") {
            constexpr std::pair<std::string_view, std::string_view> names[] = {
                {"micron", "um"}, {"microns", "um"}, {"um", "um"}, {"\\u00B5m", "um"}, {"\xc2\xb5m", "um"},
                {"\xb5m", "um"},  {"nm", "nm"},      {"mm", "mm"}, {"cm", "cm"},       {"m", "m"}};
            for (const auto& [theirs, ours] : names) {
                if (value == theirs) result.unit = ours;
            }
        }
    }
    return result;
}

Document read_document(const Source& source, const TiffFile& file) {
    Document document;
    TIFF* tiff = file.handle();
    const char* text = nullptr;
    std::string description;
    if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) && text) description = text;
    const std::optional<ImageJ> imagej = parse_imagej(description);
    const bool big_endian = TIFFIsBigEndian(tiff) != 0, big_tiff = TIFFIsBigTIFF(tiff) != 0;

    document.pages = describe_pages(source, file);
    const auto& range = source.options.pages;
    const bool inside = range && range->first > 0 && range->first < static_cast<std::int64_t>(document.pages.size());
    document.like = document.pages[inside ? static_cast<std::size_t>(range->first) : 0];
    const Page& page = document.like;
    for (std::size_t i = 0; i < document.pages.size() && !range; ++i) {  // a range is checked when it is read
        const Page& other = document.pages[i];
        if (page.same_picture(other)) continue;
        fail(source,
             fmt::format("its page {} has {} x {} pixels of {} x {} bits, its first {} x {} of {} x {}", i, other.width,
                         other.height, other.samples, other.bits, page.width, page.height, page.samples, page.bits),
             "choose a range of pages that are alike");
    }
    document.type = element_type(source, page);
    document.expand = page.bits < 8;
    describe_colour(source, document);
    if (imagej) {
        // ImageJ stores its lookup table for display so: the values are what was measured.
        document.invert = false;
        if (document.palette) document.palette = false, document.colour = Colour::grey, document.channels = 1;
    }
    if (!TIFFIsCODECConfigured(page.compression)) {
        fail(source, fmt::format("is compressed by TIFF's method {}, which libtiff here cannot decode", page.compression),
             "write it uncompressed, or with LZW or deflate");
    }

    document.count = static_cast<std::int64_t>(document.pages.size());
    if (!TIFFSetSubDirectory(tiff, page.directory))
        fail(source, fmt::format("its TIFF directory is damaged: {}", file.take_error()), again);
    std::uint64_t packed = 0, ratio = 1;
    for (const Page& p : document.pages) {
        // In floating point first: a few lying headers must not wrap the sum around.
        if (static_cast<double>(packed) + static_cast<double>(p.packed_row()) * p.height > 9e18)
            fail(source, "says that it holds more than 2^63 bytes", again);
        packed += p.packed_row() * p.height;
        ratio = std::max(ratio, ratio_of(p.compression));
    }
    if (document.count == 1 && imagej && imagej->images > 1) {
        document.contiguous_at = start_of_strips(page, tiff);
        if (document.contiguous_at == 0) {
            fail(source,
                 fmt::format("is an ImageJ stack of {} images in one directory, but its data are not in one piece",
                             imagej->images),
                 again);
        }
        document.count = imagej->images;
        const std::uint64_t one = page.packed_row() * page.height;
        const std::uint64_t there = source.bytes - std::min(source.bytes, document.contiguous_at);
        if (one == 0 || there / one < static_cast<std::uint64_t>(document.count)) {
            fail(source,
                 fmt::format("is an ImageJ stack of {} images of {} bytes each, but {} bytes follow its header", document.count,
                             one, there),
                 again);
        }
    } else {
        check_plausible(source, packed, source.bytes, ratio);
    }

    std::vector<ArrayDesc::Extent> extents;
    if (document.count > 1) extents.push_back({source.options.page_axis, document.count});
    extents.push_back({'y', page.height});
    extents.push_back({'x', page.width});
    if (document.channels > 1) extents.push_back({'c', document.channels});
    FileInfo& info = document.file;
    info.format = big_tiff ? "bigtiff" : "tiff";
    info.file_bytes = source.bytes;
    info.desc = declared(source, document.type, extents);
    info.in_slices = document.count > 1 && has_slices(info.desc);
    describe_space(document, tiff, imagej);
    if (!description.empty()) info.metadata.notes["tiff.description"] = description;
    info.detail = fmt::format(
        "{}, {} page{}, {}-endian{}{}{}{}", name_of(page.compression), document.count, document.count == 1 ? "" : "s",
        big_endian ? "big" : "little", page.tiled ? ", tiled" : "", document.palette ? ", palette" : "",
        document.expand ? fmt::format(", {} bits widened to 8", page.bits) : "", document.invert ? ", white is zero" : "");
    if (document.contiguous_at != 0) info.detail += ", ImageJ stack in one piece";
    return document;
}

}  // namespace parallax::io::tiff
