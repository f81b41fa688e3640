#include "io/tiff_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "io/exif.hpp"
#include "io/ome_read.hpp"
#include "io/tiff_choice.hpp"
#include "io/tiff_codec.hpp"
#include "io/tiff_missing.hpp"
#include "io/tiff_space.hpp"
#include "io/tiff_spread.hpp"
#include "io/unlike_pages.hpp"
#include "io/xml.hpp"

namespace parallax::io::tiff {
namespace {

/// What the directory says that a program has written in words.
std::string description_of(const TiffFile& file, std::uint64_t directory) {
    const char* text = nullptr;
    if (!file.go_to(directory) || !TIFFGetField(file.handle(), TIFFTAG_IMAGEDESCRIPTION, &text) || !text) return {};
    return text;
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
            if (bits == 16) type = ElementType::f32;   // Document::half
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
            if (page.compression == COMPRESSION_OJPEG)
                fail(source, "is compressed by JPEG as TIFF had it before 1995 (method 6), whose colours are not read",
                     "convert it, for instance by tiff2rgba or Pillow");
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

/// Programs that keep axes and distances in tags of their own.
void warn_of_tags(const Source& source, const std::map<std::uint16_t, std::uint64_t>& tags, const Description& said,
                  Document& document) {
    constexpr std::pair<int, const char*> makers[] = {
        {34412, "Zeiss's LSM"}, {34361, "Olympus's FluoView"}, {51123, "Micro-Manager"},    {34118, "Zeiss's SEM"},
        {34680, "FEI's SEM"},   {34682, "FEI's Helios"},       {65420, "Hamamatsu's NDPI"}, {33550, "GeoTIFF"}};
    const auto planes = tags.find(33629);   // MetaMorph's second tag has an entry for each plane
    if (planes != tags.end() && planes->second > 1 && document.count == 1) {
        fail(source, fmt::format("is a MetaMorph stack (STK) of {} planes in one directory, which is not read", planes->second),
             "save it as an OME-TIFF or an ImageJ stack");
    }
    if (tags.count(33628))
        document.file.warnings.push_back("MetaMorph's description in it is not followed: axes and spacing may be others");
    for (const auto& [tag, maker] : makers) {
        const bool in_other_words = said.by == "OME-XML" && said.images == document.count;   // that says the same
        if (tags.count(static_cast<std::uint16_t>(tag)) && !in_other_words)
            document.file.warnings.push_back(
                fmt::format("the description of {} in it is not followed: axes and spacing may be others", maker));
    }
    const bool whole = source.options.level.value_or(0) == 0;
    if (const auto levels = tags.find(TIFFTAG_SUBIFD); levels != tags.end() && whole)
        document.file.ignored.push_back(
            fmt::format("{} image{} in sub-directories, such as the levels of a pyramid: \"level\" takes one", levels->second,
                        levels->second == 1 ? "" : "s"));
    if (const std::size_t reduced = document.reduced.size(); reduced > 0 && whole)
        document.file.ignored.push_back(fmt::format("{} reduced image{} or mask{}: \"level\" takes one", reduced,
                                                    reduced == 1 ? "" : "s", reduced == 1 ? "" : "s"));
    if (document.series > 1)
        document.file.ignored.push_back(
            fmt::format("{} other image{}: \"series\" takes one of them", document.series - 1, document.series == 2 ? "" : "s"));
}

/// The axes of all pages, slowest first.
std::vector<ArrayDesc::Extent> page_axes(const Source& source, Document& document, const Description& said) {
    if (!document.misfit.empty()) {
        document.file.warnings.push_back(fmt::format("it {}: the axes are not followed{}", document.misfit,
                                                     document.count > 1 ? ", and its pages taken for z" : ""));
        if (document.count == 1) return {};
        return {{'z', document.count}};
    }
    if (document.count == 1 && said.images <= 1) return {};
    if (source.options.page_axis != '\0') return {{source.options.page_axis, document.count}};
    std::vector<ArrayDesc::Extent> axes = said.axes;
    std::int64_t count = 1;
    for (auto& [name, size] : axes) {
        count = times(count, size);
        if (name != 'c' || document.channels == 1) continue;
        name = 'n';
        document.file.warnings.push_back("it has channels in its pages and in its pixels: those of the pages are called n");
    }
    const bool once = std::count_if(axes.begin(), axes.end(), [](const auto& axis) { return axis.name == 'n'; }) <= 1;
    if (count == document.count && once) return axes;
    if (!axes.empty() && count == document.count) {
        document.file.warnings.push_back(
            fmt::format("{} in it names several axes that are called n here: the axes are not followed, and its pages taken for z", said.by));
    } else if (!axes.empty()) {
        document.file.warnings.push_back(
            fmt::format("{} in it speaks of {} images with axes of their own, and it holds {}: the axes are not followed{}",
                        said.by, count, document.count, document.count > 1 ? ", and its pages taken for z" : ""));
    }
    if (document.count == 1) return {};
    return {{'z', document.count}};
}

/// libtiff knows the first plane of several alone. Those that lie in one piece are read as the stack that the words say they are.
void check_depths(const Source& source, const Document& document, const Description& said) {
    for (const Page& page : document.pages) {
        if (page.depth <= 1 || (document.contiguous_at != 0 && said.images == page.depth)) continue;
        fail(source, fmt::format("has {} planes in one TIFF directory (ImageDepth, tag 32997), which are not read", page.depth),
             "write each plane as a page of its own, with tifffile by volumetric=False");
    }
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

Page describe_page(const Source& source, const TiffFile& file) {
    TIFF* const tiff = file.handle();
    Page page;
    page.directory = TIFFCurrentDirOffset(tiff);
    page.of_differences = file.chain().of_differences.count(page.directory) != 0;
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
    TIFFGetField(tiff, TIFFTAG_IMAGEDEPTH, &page.depth);
    page.tiled = TIFFIsTiled(tiff) != 0;
    page.sparse = lacks_some(tiff);
    return page;
}

void describe_pages(const Source& source, const TiffSet& set, std::size_t member, std::vector<Page>& all,
                    std::vector<Page>& reduced_ones) {
    const std::size_t before = all.size();
    set.within(member, [&](const TiffFile& file) {
        const std::vector<std::uint64_t>& directories = file.chain().directories;
        for (std::size_t index = 0; index < directories.size(); ++index) {
            if (!file.go_to(directories[index]))
                fail(source, fmt::format("its TIFF directory {} is damaged: {}", index, file.take_error()), again);
            // Thumbnails, the levels of a pyramid and masks are no pages of the stack.
            std::uint32_t kind = 0;
            TIFFGetField(file.handle(), TIFFTAG_SUBFILETYPE, &kind);
            const bool reduced = (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
            if (reduced && !source.options.level) {   // counted, and not looked at
                reduced_ones.emplace_back();
                continue;
            }
            std::vector<Page>& pages = reduced ? reduced_ones : all;
            pages.push_back(describe_page(source, file));
            pages.back().member = static_cast<std::uint32_t>(member);
            pages.back().index = index;
        }
    });
    if (all.size() == before && set.size() == 1) fail(source, "holds only thumbnails or masks, no picture");
}

PageShape shape_of(const Page& page) {
    const bool whole = page.sample_format == SAMPLEFORMAT_UINT || page.sample_format == SAMPLEFORMAT_VOID;
    return {page.height, page.width, page.samples, page.planar == PLANARCONFIG_SEPARATE, page.bits == 16 && whole};
}

Document read_document(const Source& source, TiffSet& set) {
    Document document;
    std::string description = set.words();
    if (set.has_own()) {
        const TiffFile& file = set.file(0);
        if (!file.go_to(file.chain().directories.front()))
            fail(source, fmt::format("is a damaged TIFF file: {}", file.take_error()), "write or copy the file again");
        description = description_of(file, file.chain().directories.front());
        if (is_ome(description)) description = xml_as_utf8(std::move(description));
        describe_pages(source, set, 0, document.pages, document.reduced);
    }
    std::optional<Description> spread = choose_spread(source, set, document, description);
    if (!spread) choose_series(source, document, description);
    document.full = document.pages.front();
    if (!spread && source.options.series.value_or(0) > 0) {   // it may have a description of its own
        const std::string own = description_of(set.file(0), document.full.directory);
        if (describe(description, shape_of(document.full)).by != "OME-XML") description = own;
    }
    choose_level(source, set, document);
    document.bytes = set.bytes();
    const auto& range = source.options.pages;
    const auto there = static_cast<std::int64_t>(document.pages.size());
    const bool inside = range && range->first > 0 && range->first < there;
    const std::size_t first = inside ? static_cast<std::size_t>(range->first) : 0;
    document.like = document.pages[first];
    if (source.options.level.value_or(0) == 0) document.full = document.like;
    const Page& page = document.like;
    const std::int64_t end = !range ? there : range->first < there ? std::min(range->second, there) : 0;
    for (std::size_t i = first; static_cast<std::int64_t>(i) < end; ++i) {
        const Page& other = document.pages[i];
        if (page.same_picture(other)) continue;
        const std::string difference = other.photometric != page.photometric
                                           ? "shows its values otherwise (another photometric interpretation)"
                                       : other.sample_format != page.sample_format ? "has numbers of another kind (sample format)"
                                                                                   : "";
        const bool alike =
            page.width == other.width && page.height == other.height && page.bits == other.bits && page.samples == other.samples;
        throw UnlikePages(
            source.name,
            alike ? fmt::format("its page {} {} than its page {}", i, difference, first)
                  : fmt::format("its page {} has {} x {} pixels of {} x {} bits, its page {} {} x {} of {} x {}", i, other.width,
                                other.height, other.samples, other.bits, first, page.width, page.height, page.samples, page.bits),
            "choose a range of pages that are alike, or a run of them by \"series\"");
    }
    document.type = element_type(source, page);
    document.expand = page.bits < 8;
    document.half = page.sample_format == SAMPLEFORMAT_IEEEFP && page.bits == 16;
    describe_colour(source, document);
    const Description said =
        spread ? std::move(*spread) : describe(description, shape_of(document.full), source.options.series.value_or(0));
    // ImageJ stores its lookup table for display so: the values are what was measured.
    document.signed_by_offset = said.signed_by_offset && document.type == ElementType::u16;
    if (document.signed_by_offset) document.type = ElementType::i16;
    if (said.imagej && document.palette) document.palette = false, document.colour = Colour::grey, document.channels = 1;
    check_codec(source, page);
    const bool sparse = describe_missing(source, set, document);

    document.count = static_cast<std::int64_t>(document.pages.size());
    const TiffFile& file = set.file(document.full.member);
    TIFF* const tiff = file.handle();
    const bool big_endian = TIFFIsBigEndian(tiff) != 0, big_tiff = TIFFIsBigTIFF(tiff) != 0;
    if (!file.go_to(document.full.directory))
        fail(source, fmt::format("its TIFF directory is damaged: {}", file.take_error()), again);
    std::uint64_t packed = 0, ratio = 1;
    for (const Page& p : document.pages) {
        // In floating point first: a few lying headers must not wrap the sum around.
        if (static_cast<double>(packed) + static_cast<double>(p.packed_row()) * p.height > 9e18)
            fail(source, "says that it holds more than 2^63 bytes", again);
        packed += p.packed_row() * p.height;
        ratio = std::max(ratio, ratio_of(p.compression));
    }
    const bool in_one_piece = document.count == 1 && said.images > 1 && source.options.level.value_or(0) == 0 &&
                              (said.imagej || said.by == "tifffile");
    if (in_one_piece) document.contiguous_at = start_of_strips(page, tiff);
    check_depths(source, document, said);
    if (in_one_piece) {
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
        check_plausible(source, packed, document.bytes, sparse ? std::max(ratio, sparse_ratio) : ratio);
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
    info.file_bytes = document.bytes;
    info.parts = set.parts();
    info.desc = declared(source, document.type, extents);
    info.in_slices = info.page_axes == 1 && has_slices(info.desc);
    info.warnings.insert(info.warnings.end(), said.warnings.begin(), said.warnings.end());
    if (!spread && said.by == "OME-XML") tell_unlike(said, document.full, info);   // of several files it is an error
    describe_space(source, document, file, said);
    for (const auto& [axis, whole, here] :
         {std::tuple{'x', document.full.width, page.width}, {'y', document.full.height, page.height}}) {
        if (whole == here) continue;   // of another level a pixel is so much larger
        const double factor = reduced_by(whole, here);
        if (!info.desc.unit.empty()) info.desc = info.desc.with_spacing(axis, info.desc.find(axis)->spacing * factor);
    }
    if (const Axis* const c = info.desc.find('c');
        !said.channels.empty() && static_cast<std::int64_t>(said.channels.size()) == (c ? c->size : 1))
        info.metadata.channels = said.channels;
    warn_of_tags(source, file.chain().tags, said, document);
    std::uint16_t orientation = ORIENTATION_TOPLEFT;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    warn_of_orientation(info, orientation);
    info.white_is_zero = page.photometric == PHOTOMETRIC_MINISWHITE;
    if (info.white_is_zero && !said.imagej)
        info.warnings.push_back(
            "white is zero in it, 0 to be shown white: values are read as they are stored, as tifffile reads them");
    if (!description.empty()) info.metadata.notes["tiff.description"] = description;
    info.detail =
        fmt::format("{}, {} page{}{}, {}-endian{}{}{}{}", name_of(page.compression), document.count,
                    document.count == 1 ? "" : "s",
                    info.parts.empty() ? "" : fmt::format(" of {} files", info.parts.size() + 1), big_endian ? "big" : "little",
                    page.tiled ? ", tiled" : "", document.palette ? ", palette" : "",
                    document.expand ? fmt::format(", {} bits widened to 8", page.bits)
                    : document.half ? ", 16-bit floats widened to 32"
                    : document.signed_by_offset ? ", 32768 taken off as ImageJ does of numbers with a sign"
                                    : "",
                    said.by.empty() ? "" : ", described by " + said.by);
    if (document.contiguous_at != 0) info.detail += ", stack in one piece";
    if (const std::int64_t level = source.options.level.value_or(0); level > 0) info.detail += fmt::format(", level {}", level);
    return document;
}

}  // namespace parallax::io::tiff
