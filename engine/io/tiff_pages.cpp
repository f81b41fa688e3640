#include "io/tiff_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/exif.hpp"
#include "io/tiff_describe.hpp"

namespace parallax::io::tiff {
namespace {

constexpr const char* again = "the file is cut off or damaged: write or copy it again";

/// libtiff passes over values, and a next directory, that stand past the end of the file: a page would be lost without
/// a word. So the directory at hand is looked at as it is stored.
/// `seen`: where those before it are. libtiff ends at one that leads back to them without a word, too.
void check_directory(const Source& source, const TiffFile& tiff_file, std::size_t index, std::set<std::uint64_t>& seen,
                     std::map<std::uint16_t, std::uint64_t>& tags) {
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
        if (index == 0) tags[tag] = number(entry + 4);
        if (type > TIFF_IFD8) continue;   // no type of TIFF's: libtiff leaves the entry out
        const std::uint64_t count = number(entry + 4),
                            width = static_cast<std::uint64_t>(TIFFDataWidth(static_cast<TIFFDataType>(type)));
        if (width == 0 || count <= inside / width) continue;
        const std::uint64_t offset = number(entry + 4 + inside);
        if (offset > source.bytes || count > (source.bytes - offset) / width) {
            fail(source,
                 fmt::format("tag {} of its TIFF directory {} has {} values from byte {} on, past the end of the file", tag,
                             index, count, offset),
                 again);
        }
    }
    seen.insert(at);
    const std::uint64_t next = number(bytes.data() + entries * entry_bytes);
    if (seen.count(next) != 0)
        fail(source, fmt::format("its TIFF directories go round in a loop: {} leads back to byte {}", index, next), again);
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

void describe_pages(const Source& source, const TiffFile& file, Document& document) {
    std::set<std::uint64_t> seen;
    for (std::size_t index = 0;; ++index) {
        check_directory(source, file, index, seen, document.tags);
        // Thumbnails, the levels of a pyramid and masks are no pages of the stack.
        std::uint32_t kind = 0;
        TIFFGetField(file.handle(), TIFFTAG_SUBFILETYPE, &kind);
        if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0) document.pages.push_back(describe_page(source, file.handle()));
        else ++document.reduced;
        if (TIFFLastDirectory(file.handle())) break;
        if (!TIFFReadDirectory(file.handle())) {
            fail(source, fmt::format("its TIFF directory {} is damaged: {}", index + 1, file.take_error()), again);
        }
    }
    if (document.pages.empty()) fail(source, "holds only thumbnails or masks, no picture");
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
        case PHOTOMETRIC_MINISWHITE:   // of every depth the values are as they are stored
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

/// What the description says of distances, else the resolution tags.
void describe_space(Document& document, TIFF* tiff, const Description& said) {
    ArrayDesc& desc = document.file.desc;
    if (said.t > 0) desc = desc.with_spacing('t', said.t);
    float x = 0, y = 0;
    std::uint16_t unit = RESUNIT_INCH;
    TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x);
    TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    const bool resolved = x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y);
    if (!said.imagej && (said.x > 0 || said.y > 0 || said.z > 0)) {
        desc = desc.with_unit(said.unit);
        for (const auto& [axis, spacing] : {std::pair{'x', said.x}, {'y', said.y}, {'z', said.z}}) {
            if (spacing > 0) desc = desc.with_spacing(axis, spacing);
            else if (desc.find(axis))
                document.file.warnings.push_back(fmt::format(
                    "its {} gives a spacing of other axes and none of {}: it is taken for 1 {}", said.by, axis, said.unit));
        }
        return;
    }
    double one = 0;  // what the resolution counts pixels in, in desc.unit
    std::string name;
    if (said.imagej && !said.unit.empty()) {
        one = said.x, name = said.unit;
    } else if (unit == RESUNIT_INCH) {
        one = 25400, name = "um";
    } else if (unit == RESUNIT_CENTIMETER) {
        one = 10000, name = "um";
    } else if (resolved && x != y) {
        document.file.warnings.push_back(fmt::format(
            "its pixels are not square: {} columns are as long as {} rows, without a unit of length, which is left out", x, y));
    }
    if (resolved && one > 0) desc = desc.with_unit(name).with_spacing('x', one / x).with_spacing('y', one / y);
    // Without a unit ImageJ counts in pixels, slices too.
    if (said.imagej && said.z > 0 && desc.unit == said.unit) desc = desc.with_spacing('z', said.z);
}

/// Programs that keep axes and distances in tags of their own.
void warn_of_tags(const Source& source, Document& document) {
    constexpr std::pair<int, const char*> makers[] = {
        {34412, "Zeiss's LSM"}, {34361, "Olympus's FluoView"}, {51123, "Micro-Manager"},    {34118, "Zeiss's SEM"},
        {34680, "FEI's SEM"},   {34682, "FEI's Helios"},       {65420, "Hamamatsu's NDPI"}, {33550, "GeoTIFF"}};
    const auto& tags = document.tags;
    const auto planes = tags.find(33629);   // MetaMorph's second tag has an entry for each plane
    if (planes != tags.end() && planes->second > 1 && document.count == 1) {
        fail(source, fmt::format("is a MetaMorph stack (STK) of {} planes in one directory, which is not read", planes->second),
             "save it as an OME-TIFF or an ImageJ stack");
    }
    if (tags.count(33628))
        document.file.warnings.push_back("MetaMorph's description in it is not followed: axes and spacing may be others");
    for (const auto& [tag, maker] : makers) {
        if (tags.count(static_cast<std::uint16_t>(tag)))
            document.file.warnings.push_back(
                fmt::format("the description of {} in it is not followed: axes and spacing may be others", maker));
    }
    if (tags.count(TIFFTAG_SUBIFD)) document.file.ignored.push_back("images in sub-directories, such as the levels of a pyramid");
    if (document.reduced > 0)
        document.file.ignored.push_back(fmt::format("{} reduced image{} or mask{}", document.reduced,
                                                    document.reduced == 1 ? "" : "s", document.reduced == 1 ? "" : "s"));
}

/// The axes of all pages, slowest first.
std::vector<ArrayDesc::Extent> page_axes(const Source& source, Document& document, const Description& said) {
    if (document.count == 1 && said.images <= 1) return {};
    if (source.options.page_axis != '\0') return {{source.options.page_axis, document.count}};
    std::vector<ArrayDesc::Extent> axes = said.axes;
    std::int64_t count = 1;
    for (auto& [name, size] : axes) {
        count *= size;
        if (name != 'c' || document.channels == 1) continue;
        name = 'n';
        document.file.warnings.push_back("it has channels in its pages and in its pixels: those of the pages are called n");
    }
    const bool once = std::count_if(axes.begin(), axes.end(), [](const auto& axis) { return axis.name == 'n'; }) <= 1;
    if (count == document.count && once) return axes;
    if (!axes.empty()) {
        document.file.warnings.push_back(
            fmt::format("{} in it speaks of {} images with axes of their own, and it holds {}: the axes are not followed{}",
                        said.by, count, document.count, document.count > 1 ? ", and its pages taken for z" : ""));
    }
    if (document.count == 1) return {};
    return {{'z', document.count}};
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

Document read_document(const Source& source, const TiffFile& file) {
    Document document;
    TIFF* tiff = file.handle();
    const char* text = nullptr;
    std::string description;
    if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) && text) description = text;
    const bool big_endian = TIFFIsBigEndian(tiff) != 0, big_tiff = TIFFIsBigTIFF(tiff) != 0;

    describe_pages(source, file, document);
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
    const Description said = describe(description, {page.height, page.width, page.samples, page.planar == PLANARCONFIG_SEPARATE});
    // ImageJ stores its lookup table for display so: the values are what was measured.
    if (said.imagej && document.palette) document.palette = false, document.colour = Colour::grey, document.channels = 1;
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
    if (document.count == 1 && said.images > 1 && (said.imagej || said.by == "tifffile")) {
        document.contiguous_at = start_of_strips(page, tiff);
        if (document.contiguous_at == 0) {
            fail(source,
                 fmt::format("is a stack of {} images in one directory by {}, but its data are not in one piece", said.images,
                             said.by),
                 again);
        }
        document.count = said.images;
        const std::uint64_t one = page.packed_row() * page.height;
        const std::uint64_t there = source.bytes - std::min(source.bytes, document.contiguous_at);
        if (one == 0 || there / one < static_cast<std::uint64_t>(document.count)) {
            fail(source,
                 fmt::format("is a stack of {} images of {} bytes each by {}, but {} bytes follow its header", document.count,
                             one, said.by, there),
                 again);
        }
    } else {
        check_plausible(source, packed, source.bytes, ratio);
    }

    FileInfo& info = document.file;
    std::vector<ArrayDesc::Extent> extents = page_axes(source, document, said);
    info.page_axes = static_cast<int>(extents.size());
    const bool stains = std::any_of(extents.begin(), extents.end(), [](const auto& axis) { return axis.name == 'c'; });
    info.colour = stains ? Colour::other : document.colour;
    extents.push_back({'y', page.height});
    extents.push_back({'x', page.width});
    if (document.channels > 1) extents.push_back({'c', document.channels});
    info.format = big_tiff ? "bigtiff" : "tiff";
    info.file_bytes = source.bytes;
    info.desc = declared(source, document.type, extents);
    info.in_slices = info.page_axes == 1 && has_slices(info.desc);
    info.warnings.insert(info.warnings.end(), said.warnings.begin(), said.warnings.end());
    describe_space(document, tiff, said);
    warn_of_tags(source, document);
    std::uint16_t orientation = ORIENTATION_TOPLEFT;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    warn_of_orientation(info, orientation);
    info.white_is_zero = page.photometric == PHOTOMETRIC_MINISWHITE;
    if (info.white_is_zero && !said.imagej)
        info.warnings.push_back(
            "white is zero in it, 0 to be shown white: values are read as they are stored, as tifffile reads them");
    if (!description.empty()) info.metadata.notes["tiff.description"] = description;
    info.detail =
        fmt::format("{}, {} page{}, {}-endian{}{}{}{}", name_of(page.compression), document.count, document.count == 1 ? "" : "s",
                    big_endian ? "big" : "little", page.tiled ? ", tiled" : "", document.palette ? ", palette" : "",
                    document.expand ? fmt::format(", {} bits widened to 8", page.bits) : "",
                    said.by.empty() ? "" : ", described by " + said.by);
    if (document.contiguous_at != 0) info.detail += ", stack in one piece";
    return document;
}

}  // namespace parallax::io::tiff
