#include "io/tiff_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "io/decimal.hpp"
#include "io/exif.hpp"
#include "io/ome_read.hpp"
#include "io/tiff_planes.hpp"
#include "io/tiff_spread.hpp"
#include "io/units.hpp"
#include "io/unlike_pages.hpp"
#include "io/xml.hpp"

namespace parallax::io::tiff {
namespace {

// Of tifffile's, beyond TIFF's own inches and centimetres.
constexpr std::uint16_t of_millimetres = 4, of_micrometres = 5;
constexpr const char* again = "the file is cut off or damaged: write or copy it again";

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
    page.tiled = TIFFIsTiled(tiff) != 0;
    return page;
}

/// What the directory says that a program has written in words.
std::string description_of(const TiffFile& file, std::uint64_t directory) {
    const char* text = nullptr;
    if (!file.go_to(directory) || !TIFFGetField(file.handle(), TIFFTAG_IMAGEDESCRIPTION, &text) || !text) return {};
    return text;
}

/// The pages that OME-XML gives planes to, in the order of those.
void choose_planes(const Source& source, const Description& said, Document& document) {
    std::vector<Page>& pages = document.pages;
    const bool alone = said.series == 1;
    if (alone && said.in_order && static_cast<std::int64_t>(pages.size()) >= said.images) return;   // as they stand
    Planes planes = planes_of(source, said, [&pages](std::uint32_t) { return &pages; });
    document.misfit = planes.missing;
    const std::size_t others = pages.size() - planes.pages.size();
    if (!planes.missing.empty() && (alone ? others > 0 : planes.pages.empty())) {
        if (!alone && source.options.series)
            fail(source, planes.missing, "the others stand in other files, or the file is cut off: choose another series");
        return;   // what fits neither the planes nor the pages is not followed, and no page left out
    }
    if (alone && others > 0)
        document.file.ignored.push_back(
            fmt::format("{} page{} that OME-XML gives no plane: \"page_axis\": \"z\" reads all", others, others == 1 ? "" : "s"));
    document.series = said.series;
    pages = std::move(planes.pages);
}

/// The pages of the image that is wanted alone. OME-XML says which they are; else pages that are alike, one behind the other, are
/// an image.
void choose_series(const Source& source, Document& document, const std::string& text) {
    const auto& wanted = source.options.series;
    std::vector<Page>& pages = document.pages;
    Description said = describe(text, shape_of(pages.front()), wanted.value_or(0));
    // Its own pages may have other channels than the first of all.
    if (said.by == "OME-XML" && said.first > 0) {
        const auto own = static_cast<std::size_t>(said.first);
        const auto page = std::find_if(pages.begin(), pages.end(), [own](const Page& one) { return one.index == own; });
        if (page != pages.end() && page->samples != pages.front().samples)
            said = describe(text, shape_of(*page), wanted.value_or(0));
    }
    // Whoever states the axis of the pages takes them as they stand.
    if (said.by == "OME-XML" && (!wanted || *wanted < said.series)) {
        const bool stated = source.options.page_axis != '\0';
        const OmeWords words = read_ome(text);
        if (stated && !wanted && (words.files.size() > 1 || shared_with(words, 0))) return;
        check_unshared(source, words, wanted.value_or(0));
        if (!stated && !said.planes.empty()) return choose_planes(source, said, document);
    }
    if (said.by == "OME-XML" && said.series > 1) {
        if (wanted && *wanted >= said.series) fail_of_series(source, said.series);
        const auto first = static_cast<std::size_t>(std::max<std::int64_t>(0, said.first));
        std::vector<Page> chosen;
        for (const Page& page : pages) {
            if (page.index >= first && page.index - first < static_cast<std::uint64_t>(said.images)) chosen.push_back(page);
        }
        if (static_cast<std::int64_t>(chosen.size()) != said.images) {
            if (!wanted) return;   // the description does not fit, and page_axes() says so
            fail(source,
                 fmt::format("has {} of the {} pages that its OME-XML describes for series {}", chosen.size(), said.images,
                             *wanted),
                 "the others stand in other files, or the file is cut off");
        }
        document.series = said.series;
        pages = std::move(chosen);
        return;
    }
    if (!wanted) return;
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < pages.size(); ++i) {
        if (i == 0 || !pages[i].same_picture(pages[i - 1])) starts.push_back(i);
    }
    document.series = static_cast<std::int64_t>(starts.size());
    if (*wanted >= document.series) fail_of_series(source, document.series);
    const auto which = static_cast<std::size_t>(*wanted);
    const std::size_t end = which + 1 < starts.size() ? starts[which + 1] : pages.size();
    pages = std::vector<Page>(pages.begin() + static_cast<std::ptrdiff_t>(starts[which]),
                              pages.begin() + static_cast<std::ptrdiff_t>(end));
}

/// Each page at another level of its pyramid: in its sub-directories, or the reduced images that follow it.
void choose_level(const Source& source, const TiffSet& set, Document& document) {
    const std::int64_t level = source.options.level.value_or(0);
    if (level == 0) return;
    std::vector<std::uint64_t> places;
    std::map<std::size_t, std::vector<std::uint64_t>> outside;   // of the chains, by file
    for (const Page& page : document.pages) {
        set.within(page.member, [&](const TiffFile& file) {
            const std::vector<std::uint64_t>& all = file.chain().directories;
            if (!file.go_to(page.directory))
                fail(source, fmt::format("its TIFF directory is damaged: {}", file.take_error()), again);
            std::uint16_t count = 0;
            toff_t* offsets = nullptr;
            std::vector<std::uint64_t> levels;
            if (TIFFGetField(file.handle(), TIFFTAG_SUBIFD, &count, &offsets) && offsets) levels.assign(offsets, offsets + count);
            const bool inside = levels.empty();
            const auto next = [&](const Page& reduced) {   // the order in which they were found
                return std::pair(reduced.member, reduced.index) < std::pair(page.member, page.index + 1);
            };
            auto reduced = std::partition_point(document.reduced.begin(), document.reduced.end(), next);
            for (; inside && reduced != document.reduced.end() && reduced->member == page.member &&
                   reduced->index == page.index + 1 + levels.size();
                 ++reduced)
                levels.push_back(all[reduced->index]);
            if (level > static_cast<std::int64_t>(levels.size()))
                fail(source,
                     fmt::format("has {} level{} beside the whole picture, and level {} is asked for", levels.size(),
                                 levels.size() == 1 ? "" : "s", level),
                     levels.empty() ? "leave \"level\" out" : fmt::format("choose one from 0 to {}", levels.size()));
            places.push_back(levels[static_cast<std::size_t>(level) - 1]);
            if (!inside) outside[page.member].push_back(places.back());
        });
    }
    for (const auto& [member, directories] : outside) {
        const std::vector<std::uint64_t>& bounded = directories;
        set.within(member, [&bounded](const TiffFile& file) { file.bound_more(bounded); });
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        Page& page = document.pages[i];
        set.within(page.member, [&](const TiffFile& file) {
            if (!file.go_to(places[i]))
                fail(source, fmt::format("its TIFF directory of level {} is damaged: {}", level, file.take_error()), again);
            const Page whole = std::exchange(page, describe_page(source, file));
            page.directory = places[i];
            page.member = whole.member;
            page.index = whole.index;
        });
    }
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

/// What the description says of distances, else the resolution tags.
void describe_space(const Source& source, Document& document, const TiffFile& file, Description said) {
    TIFF* const tiff = file.handle();
    ArrayDesc& desc = document.file.desc;
    const char stated = source.options.page_axis;
    if (stated != '\0' && !(said.axes.size() == 1 && said.axes.front().name == stated))
        said.t = said.z = 0;   // pages are another axis than the one that these are said of
    if (said.t > 0) desc = desc.with_spacing('t', said.t);
    float x = 0, y = 0;
    std::uint16_t unit = RESUNIT_INCH;
    TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x);
    TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    const auto& unknown = file.chain().units;
    if (const auto other = unknown.find(document.full.directory); other != unknown.end()) unit = other->second;
    const bool resolved = x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y);
    if (!said.imagej && (said.x > 0 || said.y > 0 || said.z > 0)) {
        desc = desc.with_unit(said.unit);
        for (const auto& [axis, spacing] : {std::pair{'x', said.x}, {'y', said.y}, {'z', said.z}}) {
            if (spacing > 0) desc = desc.with_spacing(axis, spacing);
            else if (desc.find(axis))
                document.file.warnings.push_back(without_spacing("its " + said.by, axis, said.unit));
        }
        return;
    }
    double of_x = 0, of_y = 0;   // what the resolutions count pixels in, in desc.unit
    std::string name;
    if (said.imagej && !said.unit.empty()) {
        of_x = said.x, of_y = said.y, name = said.unit;
    } else if (unit == RESUNIT_INCH) {
        of_x = of_y = 25400, name = "um";
    } else if (unit == RESUNIT_CENTIMETER) {
        of_x = of_y = 10000, name = "um";
    } else if (unit == of_millimetres) {
        of_x = of_y = 1000, name = "um";
    } else if (unit == of_micrometres) {
        of_x = of_y = 1, name = "um";
    } else if (unit != RESUNIT_NONE && resolved) {
        document.file.warnings.push_back(
            fmt::format("its resolution is a number of pixels in a unit {} that TIFF does not have: it is left out", unit));
    } else if (resolved && x != y) {
        document.file.warnings.push_back(fmt::format(
            "its pixels are not square: {} columns are as long as {} rows, without a unit of length, which is left out", x, y));
    }
    if (resolved && of_x > 0)
        desc = desc.with_unit(name)
                   .with_spacing('x', as_decimal_by_float(of_x / x))
                   .with_spacing('y', as_decimal_by_float(of_y / y));
    // Without a unit ImageJ counts in pixels, slices too.
    const bool in_words = said.imagej && desc.unit == said.unit;
    if (in_words && said.z > 0) desc = desc.with_spacing('z', said.z);
    // ImageJ leaves out a distance of 1.
    if (desc.size('z') > 1 && !desc.unit.empty() && !in_words)
        document.file.warnings.push_back(without_spacing("its resolution", 'z', desc.unit));
}

/// By how much a level is smaller: a whole number where the size is what every second, third ... pixel of the whole makes, or
/// blocks.
double reduced_by(std::uint32_t whole, std::uint32_t here) {
    const double ratio = static_cast<double>(whole) / here;
    const auto step = static_cast<std::uint32_t>(std::lround(ratio));
    return step > 0 && (whole / step == here || (whole - 1) / step + 1 == here) ? step : ratio;
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

void fail_of_series(const Source& source, std::int64_t there) {
    fail(source,
         fmt::format("holds {} image{}, and series {} is asked for", there, there == 1 ? "" : "s", *source.options.series),
         there == 1 ? "leave \"series\" out" : fmt::format("choose one from 0 to {}", there - 1));
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
    if (document.count == 1 && said.images > 1 && source.options.level.value_or(0) == 0 &&
        (said.imagej || said.by == "tifffile")) {
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
        check_plausible(source, packed, document.bytes, ratio);
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
