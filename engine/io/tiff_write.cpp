// TIFF files: uncompressed strips, one page for each index of a leading axis. BigTIFF where 4 GB do not suffice.
#include <fmt/format.h>

#include "io/tiff_pages.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io::tiff {
namespace {

struct Layout {
    std::int64_t pages = 1, height = 1, width = 1, channels = 1;
    char page_axis = 't';
};

/// {page, y, x, c}, by position; empty where the axes do not fit.
std::optional<Layout> layout_of(const ArrayDesc& desc) {
    Layout layout;
    std::span<const Axis> axes = desc.axes;
    if (!axes.empty() && axes.back().name == 'c') {
        layout.channels = axes.back().size;
        axes = axes.first(axes.size() - 1);
    }
    for (const Axis& axis : axes) {
        if (axis.name == 'c') return std::nullopt;
    }
    while (axes.size() > 3 && axes.front().size == 1) axes = axes.subspan(1);
    if (axes.empty() || axes.size() > 3) return std::nullopt;
    layout.width = axes.back().size;
    if (axes.size() > 1) layout.height = axes[axes.size() - 2].size;
    if (axes.size() > 2) layout.pages = axes[0].size, layout.page_axis = axes[0].name;
    return layout;
}

std::uint16_t sample_format(ElementType type) {
    switch (type) {
        case ElementType::f32:
        case ElementType::f64:
            return SAMPLEFORMAT_IEEEFP;
        case ElementType::i8:
        case ElementType::i16:
        case ElementType::i32:
        case ElementType::i64:
            return SAMPLEFORMAT_INT;
        default:
            return SAMPLEFORMAT_UINT;
    }
}

/// Micrometres in one of our units; 0: not a length.
double micrometres(const std::string& unit) {
    constexpr std::pair<std::string_view, double> table[] = {{"nm", 1e-3}, {"um", 1}, {"mm", 1e3}, {"cm", 1e4}, {"m", 1e6}};
    for (const auto& [name, value] : table) {
        if (unit == name) return value;
    }
    return 0;
}

/// The description that came with the array, unless it tells of a structure that may be another one now.
std::string description_of(const HostArray& array, const Layout& layout) {
    const Axis* z = array.desc.find('z');
    if (z && layout.pages > 1 && layout.page_axis == 'z' && micrometres(array.desc.unit) > 0) {
        // ImageJ's words are the only widely read ones for the distance of slices.
        return fmt::format("ImageJ=1.53\nimages={}\nslices={}\nunit={}\nspacing={}\nloop=false\n", layout.pages, layout.pages,
                           array.desc.unit, z->spacing);
    }
    const auto note = array.metadata.notes.find("tiff.description");
    if (note == array.metadata.notes.end()) return {};
    const std::string_view text = note->second;
    const bool structural =
        text.starts_with("ImageJ=") || text.starts_with("{\"shape\"") || text.starts_with("<?xml") || text.starts_with("<OME");
    return structural ? std::string() : std::string(text);
}

void set_fields(TIFF* tiff, const HostArray& array, const Layout& layout, const std::string& description, std::uint32_t rows) {
    const auto channels = static_cast<std::uint16_t>(layout.channels);
    const bool colour =
        channels >= 3 && channels <= 4 && (array.desc.type == ElementType::u8 || array.desc.type == ElementType::u16);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(layout.width));
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(layout.height));
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(bytes_of(array.desc.type) * 8));
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, static_cast<int>(sample_format(array.desc.type)));
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, static_cast<int>(channels));
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, colour ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows);
    TIFFSetField(tiff, TIFFTAG_SOFTWARE, "parallax");
    const int extra = channels - (colour ? 3 : 1);
    if (extra > 0) {
        const bool alpha = (colour && extra == 1) || channels == 2;
        const std::vector<std::uint16_t> kinds(static_cast<std::size_t>(extra),
                                               alpha ? EXTRASAMPLE_UNASSALPHA : EXTRASAMPLE_UNSPECIFIED);
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, extra, kinds.data());
    }
    if (!description.empty()) TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description.c_str());

    const Axis *x = array.desc.find('x'), *y = array.desc.find('y');
    const double unit = micrometres(array.desc.unit);
    if (!x || !y || unit == 0 || !(x->spacing > 0) || !(y->spacing > 0)) return;
    // With ImageJ's description the resolution counts pixels in its unit, else in a centimetre.
    const bool imagej = description.starts_with("ImageJ=");
    const double one = imagej ? 1 : 1e4 / unit;
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, imagej ? RESUNIT_NONE : RESUNIT_CENTIMETER);
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, one / x->spacing);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, one / y->spacing);
}

}  // namespace

std::string refusal(const ArrayDesc& desc, const WriteOptions&) {
    if (is_complex(desc.type)) return "complex arrays are written as .npy only";
    const std::optional<Layout> layout = layout_of(desc);
    if (!layout) {
        return fmt::format(
            "TIFF holds rows and columns, one axis of pages before and channels behind them; this is {}: write a .npy or .nii "
            "file",
            desc.describe());
    }
    if (layout->width > 0x7fffffff || layout->height > 0x7fffffff) return "TIFF holds at most 2147483647 rows and columns";
    if (layout->channels > 65535) return fmt::format("TIFF holds at most 65535 channels, this has {}", layout->channels);
    return {};
}

void write(const std::filesystem::path& path, const std::string& name, const HostArray& given, const WriteOptions&) {
    HostArray array = given;
    const Layout layout = *layout_of(array.desc);
    if (array.desc.type == ElementType::boolean) {
        // A mask to look at: black and white, as 1-bit files are read.
        array = HostArray::make(given.desc.with_type(ElementType::u8));
        array.metadata = given.metadata;
        std::transform(given.data(), given.data() + given.desc.count(), array.data(),
                       [](std::byte b) { return std::byte(b != std::byte{0} ? 255 : 0); });
    }
    const std::uint64_t row = static_cast<std::uint64_t>(layout.width * layout.channels) * bytes_of(array.desc.type);
    const auto rows = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>((std::uint64_t{1} << 20) / row, 1, static_cast<std::uint64_t>(layout.height)));
    // Directories and strip tables on top: under 1 KiB a page and 16 bytes a strip.
    const std::uint64_t strips =
        static_cast<std::uint64_t>(layout.pages) * (static_cast<std::uint64_t>(layout.height) / rows + 1);
    const bool big = array.desc.dense_bytes() + static_cast<std::uint64_t>(layout.pages) * 1024 + strips * 16 > 0xf0000000u;

    const auto check = [&](const TiffFile& file, bool ok) {
        if (!ok) throw IoError(name, fmt::format("cannot be written: {}", file.take_error()), "see whether the disk is full");
    };
    TiffFile file = TiffFile::create(path, big);
    const std::string description = description_of(array, layout);
    std::byte* at = array.data();
    for (std::int64_t page = 0; page < layout.pages; ++page) {
        set_fields(file.handle(), array, layout, page == 0 ? description : std::string(), rows);
        std::uint32_t strip = 0;
        for (std::int64_t y = 0; y < layout.height; y += rows, ++strip) {
            const auto bytes =
                static_cast<tmsize_t>(row * static_cast<std::uint64_t>(std::min<std::int64_t>(rows, layout.height - y)));
            check(file, TIFFWriteEncodedStrip(file.handle(), strip, at, bytes) == bytes);
            at += bytes;
        }
        check(file, TIFFWriteDirectory(file.handle()) != 0);
    }
    file.close();
}

}  // namespace parallax::io::tiff
