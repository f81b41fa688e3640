// TIFF files: strips, uncompressed unless they are asked to be packed by deflate, one page for each index of the axes before
// rows. BigTIFF where 4 GB do not suffice. Written here and not by libtiff, since all pixels have to stand in one piece before
// all directories: ImageJ's words on a stack, the only widely read ones for the distance of slices, promise that, and ImageJ and
// tifffile read so.
#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/colours.hpp"
#include "core/turned.hpp"
#include "io/file.hpp"
#include "io/format.hpp"
#include "io/ome_xml.hpp"
#include "io/text_header.hpp"
#include "io/window.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io::tiff {
namespace {

struct Layout {
    std::int64_t pages = 1, height = 1, width = 1, channels = 1;
    std::vector<Axis> axes{};   ///< of the pages
};

constexpr std::string_view page_names = "tzc";   ///< in ImageJ's order, the slowest first

/// Whether axes of pages that ImageJ and OME know stand in ImageJ's order.
bool in_order(std::span<const Axis> pages) {
    const auto after = [](const Axis& one, const Axis& next) { return page_names.find(one.name) > page_names.find(next.name); };
    return std::adjacent_find(pages.begin(), pages.end(), after) == pages.end();
}

/// {pages ..., y, x, c}; empty where the axes do not fit. One axis of pages may be any; more are t, z and c, each once, and in
/// any order where rows are y and columns x.
std::optional<Layout> layout_of(const ArrayDesc& desc) {
    Layout layout;
    std::span<const Axis> axes = desc.axes;
    if (!axes.empty() && axes.back().name == 'c') {
        layout.channels = axes.back().size;
        axes = axes.first(axes.size() - 1);
    }
    while (axes.size() > 3 && axes.front().size == 1) axes = axes.subspan(1);
    if (axes.empty() || axes.size() > 5) return std::nullopt;
    layout.width = axes.back().size;
    if (axes.size() > 1) layout.height = axes[axes.size() - 2].size;
    for (std::size_t i = 0; i + 2 < axes.size(); ++i) {
        const bool known = page_names.find(axes[i].name) != std::string_view::npos;
        const auto same = [&](const Axis& other) { return other.name == axes[i].name; };
        if ((!known && axes.size() > 3) || std::any_of(layout.axes.begin(), layout.axes.end(), same)) return std::nullopt;
        if (axes[i].name == 'c' && layout.channels > 1) return std::nullopt;
        layout.pages *= axes[i].size;
        layout.axes.push_back(axes[i]);
    }
    for (const Axis& axis : axes.last(std::min<std::size_t>(axes.size(), 2))) {
        if (axis.name == 'c') return std::nullopt;
    }
    const bool rows_and_columns = axes.size() > 1 && axes[axes.size() - 2].name == 'y' && axes.back().name == 'x';
    if (!rows_and_columns && !in_order(layout.axes)) return std::nullopt;
    return layout;
}

int sample_format(ElementType type) {
    switch (type) {
        case ElementType::f32:
        case ElementType::f64:
            return 3;
        case ElementType::i8:
        case ElementType::i16:
        case ElementType::i32:
        case ElementType::i64:
            return 2;
        default:
            return 1;
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

bool in_words_of_imagej(const Layout& layout) {
    return layout.pages > 1 && std::all_of(layout.axes.begin(), layout.axes.end(), [](const Axis& axis) {
               return std::string_view("tzc").find(axis.name) != std::string_view::npos;
           });
}

/// A stack in ImageJ's words; else the description that came with the array, unless it tells of a structure that may be another
/// one now.
std::string description_of(const HostArray& array, const Layout& layout) {
    if (in_words_of_imagej(layout)) {
        std::string text = "ImageJ=1.53\n";
        // Of colours of 16 bits ImageJ opens no stack in one piece, which this promises; by their directories it does.
        if (layout.channels == 1 || array.desc.type == ElementType::u8) text += fmt::format("images={}\n", layout.pages);
        double slices = 0, frames = 0;
        for (const Axis& axis : layout.axes) {
            text += fmt::format("{}={}\n", axis.name == 't' ? "frames" : axis.name == 'z' ? "slices" : "channels", axis.size);
            if (axis.name == 'z') slices = axis.spacing;
            if (axis.name == 't') frames = axis.spacing;
        }
        if (layout.axes.size() > 1) text += "hyperstack=true\nmode=grayscale\n";
        if (micrometres(array.desc.unit) > 0) text += fmt::format("unit={}\n", array.desc.unit);
        if (slices > 0) text += fmt::format("spacing={}\n", slices);
        if (frames > 0) text += fmt::format("finterval={}\n", frames);
        return text + "loop=false\n";
    }
    // Pages without words are slices: those that are none of ImageJ's are told in tifffile's.
    if (layout.pages > 1) {
        std::string shape, axes;
        for (const Axis& axis : layout.axes) shape += fmt::format("{}, ", axis.size);
        for (const Axis& axis : layout.axes)
            axes += axis.name == 't' ? 'T' : axis.name == 'z' ? 'Z' : axis.name == 'c' ? 'C' : 'Q';
        const bool channels = layout.channels > 1;
        return fmt::format("{{\"shape\": [{}{}, {}{}], \"axes\": \"{}YX{}\"}}", shape, layout.height, layout.width,
                           channels ? fmt::format(", {}", layout.channels) : "", axes, channels ? "S" : "");
    }
    const auto note = array.metadata.notes.find("tiff.description");
    if (note == array.metadata.notes.end()) return {};
    const std::string_view text = note->second;
    const bool structural =
        text.starts_with("ImageJ=") || text.starts_with("{\"shape\"") || text.starts_with("<?xml") || text.starts_with("<OME");
    return structural ? std::string() : std::string(text);
}

/// A number above 0 by two of 32 bits, as near as they come: its continued fraction, broken off where one of them would be
/// larger.
std::array<std::uint32_t, 2> rational(double value) {
    constexpr double most = 4294967295.0;
    double rest = value, up = 1, down = 0, up_before = 0, down_before = 1;
    for (int i = 0; i < 64; ++i) {
        const double whole = std::floor(rest);
        const double next_up = whole * up + up_before, next_down = whole * down + down_before;
        if (next_up > most || next_down > most) break;
        up_before = up, down_before = down, up = next_up, down = next_down;
        if (rest == whole || std::abs(up / down - value) <= 1e-15 * value) break;
        rest = 1 / (rest - whole);
    }
    if (down == 0) return {4294967295u, 1};
    return {static_cast<std::uint32_t>(up), static_cast<std::uint32_t>(down)};
}

/// One directory with the values that do not fit into its entries, in this machine's byte order.
class Directory {
public:
    Directory(bool big, std::uint64_t at) : big_(big), at_(at) {}

    void text(std::uint16_t tag, const std::string& value) { put(tag, 2, value.size() + 1, value + '\0'); }
    void numbers(std::uint16_t tag, const std::vector<std::uint16_t>& values) { put_all(tag, 3, values); }
    void number(std::uint16_t tag, std::uint64_t value) {
        if (value < 65536)
            numbers(tag, {static_cast<std::uint16_t>(value)});
        else
            put_all(tag, 4, std::vector<std::uint32_t>{static_cast<std::uint32_t>(value)});
    }
    void offsets(std::uint16_t tag, const std::vector<std::uint64_t>& values) {
        if (big_)
            put_all(tag, 16, values);
        else
            put_all(tag, 4, std::vector<std::uint32_t>(values.begin(), values.end()));
    }
    void fraction(std::uint16_t tag, double value) {
        const auto parts = rational(value);
        put(tag, 5, 1, bytes_of(std::vector<std::uint32_t>(parts.begin(), parts.end())));
    }

    /// Where the directory itself will stand: behind its values.
    std::uint64_t place() const { return at_ + values_.size(); }
    std::uint64_t end() const { return place() + (big_ ? 8 + 20 * count_ + 8 : 2 + 12 * count_ + 4); }
    /// Values and directory; `next`: where the one after it stands, 0: nowhere.
    std::string finish(std::uint64_t next) const {
        std::string out = values_;
        if (big_)
            add(out, count_);
        else
            add(out, static_cast<std::uint16_t>(count_));
        out += entries_;
        if (big_)
            add(out, next);
        else
            add(out, static_cast<std::uint32_t>(next));
        return out;
    }

private:
    template <class T>
    static void add(std::string& to, T value) {
        to.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    template <class T>
    static std::string bytes_of(const std::vector<T>& values) {
        return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
    template <class T>
    void put_all(std::uint16_t tag, std::uint16_t type, const std::vector<T>& values) {
        put(tag, type, values.size(), bytes_of(values));
    }
    /// Tags come in rising order.
    void put(std::uint16_t tag, std::uint16_t type, std::uint64_t count, std::string bytes) {
        const std::size_t inside = big_ ? 8 : 4;
        add(entries_, tag);
        add(entries_, type);
        if (big_)
            add(entries_, count);
        else
            add(entries_, static_cast<std::uint32_t>(count));
        ++count_;
        if (bytes.size() <= inside) {
            bytes.resize(inside, '\0');
            entries_ += bytes;
            return;
        }
        const std::uint64_t there = at_ + values_.size();
        if (big_)
            add(entries_, there);
        else
            add(entries_, static_cast<std::uint32_t>(there));
        bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
        values_ += bytes;
    }

    bool big_;
    std::uint64_t at_, count_ = 0;
    std::string values_, entries_;
};

/// Where the strips of all pages stand.
struct Strips {
    std::int64_t rows = 1;   ///< of a strip; the last of a page has what is left
    std::int64_t a_page = 1;
    std::vector<std::uint64_t> starts{}, lengths{};
    bool packed = false;
};

/// Strips of about 1 MiB, as they stand from `at` on where they are not packed.
Strips strips_of(const HostArray& array, const Layout& layout, std::uint64_t at) {
    const std::size_t row = static_cast<std::size_t>(layout.width * layout.channels) * parallax::bytes_of(array.desc.type);
    Strips strips;
    strips.rows = std::clamp<std::int64_t>(static_cast<std::int64_t>((std::size_t{1} << 20) / row), 1, layout.height);
    strips.a_page = (layout.height + strips.rows - 1) / strips.rows;
    for (std::int64_t page = 0; page < layout.pages; ++page) {
        for (std::int64_t y = 0; y < layout.height; y += strips.rows) {
            strips.starts.push_back(at);
            strips.lengths.push_back(static_cast<std::size_t>(std::min(strips.rows, layout.height - y)) * row);
            at += strips.lengths.back();
        }
    }
    return strips;
}

/// Writes them packed, and sets where they stand then. Samples are packed as they are: differences of neighbours (predictor 2)
/// would be some 8% shorter, but ImageJ 1.53 does not undo them where deflate packed them, and shows what they are.
void write_packed(File& file, const HostArray& array, int compression, Strips& strips) {
    strips.packed = true;
    const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> packer(
        libdeflate_alloc_compressor(compression), libdeflate_free_compressor);
    if (!packer) throw std::bad_alloc();
    std::vector<std::byte> packed;
    const std::byte* from = array.data();
    std::uint64_t at = strips.starts.front();
    for (std::size_t s = 0; s < strips.lengths.size(); ++s) {
        const std::size_t length = strips.lengths[s];
        packed.resize(libdeflate_zlib_compress_bound(packer.get(), length));
        strips.starts[s] = at;
        strips.lengths[s] = libdeflate_zlib_compress(packer.get(), from, length, packed.data(), packed.size());
        from += length;
        file.write(packed.data(), strips.lengths[s]);
        at += strips.lengths[s];
    }
}

/// Pixels of x and of y in a centimetre, or in ImageJ's unit.
struct Resolution {
    double x = 0, y = 0;
    bool imagej = false;
};

bool holds(double value) {
    if (!std::isfinite(value)) return false;   // of distances that are hardly more than none
    const auto parts = rational(value);
    return std::abs(static_cast<double>(parts[0]) / parts[1] - value) <= 1e-6 * value;
}

/// Nothing where the array says no distances.
std::optional<Resolution> resolution_of(const ArrayDesc& desc, bool imagej) {
    const Axis *x = desc.find('x'), *y = desc.find('y');
    const double unit = micrometres(desc.unit);
    if (!x || !y || !(unit > 0) || !(x->spacing > 0) || !(y->spacing > 0)) return std::nullopt;
    const double one = imagej ? 1 : 1e4 / unit;
    return Resolution{one / x->spacing, one / y->spacing, imagej};
}

bool holds(const Resolution& resolution) { return holds(resolution.x) && holds(resolution.y); }

std::string why_no_resolution(const ArrayDesc& desc) {
    return fmt::format(
        "TIFF's resolution, two numbers of 32 bits, holds no pixels of {} x {} {}: see whether the unit is right; a name that "
        "ends in .ome.tif holds them",
        desc.find('x')->spacing, desc.find('y')->spacing, desc.unit);
}

/// What a directory says of the samples of a pixel.
enum class Samples { values, colours, grey_and_alpha };

Samples samples_of(const HostArray& array) {
    const ArrayDesc& desc = array.desc;
    const std::int64_t channels = desc.axes.empty() || desc.axes.back().name != 'c' ? 1 : desc.axes.back().size;
    if (!are_colours(array)) return Samples::values;
    if (channels == 2) return Samples::grey_and_alpha;
    const bool short_ones = desc.type == ElementType::u8 || desc.type == ElementType::u16 || desc.type == ElementType::boolean;
    return short_ones && (channels == 3 || channels == 4) ? Samples::colours : Samples::values;
}

void fill(Directory& directory, const HostArray& array, const Layout& layout, const std::string& description, std::int64_t page,
          const Strips& strips, const std::optional<Resolution>& resolution) {
    const auto channels = static_cast<std::size_t>(layout.channels);
    const ElementType type = array.desc.type;
    const Samples samples = samples_of(array);
    const bool colour = samples == Samples::colours;
    const auto of_page = [&](const std::vector<std::uint64_t>& all) {
        return std::vector<std::uint64_t>(all.begin() + page * strips.a_page, all.begin() + (page + 1) * strips.a_page);
    };
    const std::size_t extra = channels - (colour ? 3 : 1);

    directory.number(256, static_cast<std::uint64_t>(layout.width));
    directory.number(257, static_cast<std::uint64_t>(layout.height));
    directory.numbers(258, std::vector<std::uint16_t>(channels, static_cast<std::uint16_t>(parallax::bytes_of(type) * 8)));
    directory.number(259, strips.packed ? 8 : 1);   // deflate, or nothing
    directory.number(262, colour ? 2 : 1);          // red, green, blue; or black is zero
    if (page == 0 && !description.empty()) directory.text(270, description);
    directory.offsets(273, of_page(strips.starts));
    directory.number(277, channels);
    directory.number(278, static_cast<std::uint64_t>(strips.rows));
    directory.offsets(279, of_page(strips.lengths));
    if (resolution) directory.fraction(282, resolution->x);
    if (resolution) directory.fraction(283, resolution->y);
    directory.number(284, 1);                            // samples of a pixel together
    if (resolution) directory.number(296, resolution->imagej ? 1 : 3);   // no unit, or a centimetre
    directory.text(305, "parallax");
    const bool alpha = (colour && extra == 1) || samples == Samples::grey_and_alpha;
    if (extra > 0) directory.numbers(338, std::vector<std::uint16_t>(extra, alpha ? 2 : 0));
    directory.numbers(339, std::vector<std::uint16_t>(channels, static_cast<std::uint16_t>(sample_format(type))));
}

/// Whether its last axis is channels with names that the directory does not say.
bool has_named_samples(const HostArray& array) {
    const ArrayDesc& desc = array.desc;
    if (desc.axes.size() < 2 || desc.axes.back().name != 'c' || desc.axes.back().size < 2) return false;
    if (static_cast<std::int64_t>(array.metadata.channels.size()) != desc.axes.back().size) return false;
    return samples_of(array) == Samples::values;
}

/// The channels of a pixel as planes. OME-XML has one name for all samples of a pixel, and one for each plane.
HostArray with_channels_as_planes(HostArray array) {
    std::vector<Axis>& axes = array.desc.axes;
    if (axes.size() == 2) axes.insert(axes.begin(), {'y', 1, axes[0].size * axes[0].stride, axes[0].spacing});
    std::rotate(axes.end() - 3, axes.end() - 1, axes.end());
    return array.to_dense();
}

/// Its pages in the order in which ImageJ counts them. OME-XML says the order that they have.
HostArray in_order_of_imagej(const HostArray& array, const Layout& layout) {
    HostArray view = array;
    std::vector<Axis>& axes = view.desc.axes;
    const auto rows = axes.end() - (axes.back().name == 'c' ? 3 : 2);
    std::sort(rows - static_cast<std::ptrdiff_t>(layout.axes.size()), rows,
              [](const Axis& a, const Axis& b) { return page_names.find(a.name) < page_names.find(b.name); });
    return view.to_dense();
}

/// Of all TIFF files, whatever tells the size of a pixel.
std::string refusal_of_any(const ArrayDesc& desc) {
    if (is_complex(desc.type)) return "TIFF is written without complex numbers";
    if (engine::is_turned(desc))
        return fmt::format("TIFF holds rows (y) of columns (x); this is {}, whose columns come first", desc.describe());
    if (const std::string mistaken = engine::mistaken_axes(desc, "pages"); !mistaken.empty())
        return fmt::format("TIFF holds pages of rows (y) of columns (x); this is {}, {}", desc.describe(), mistaken);
    const std::optional<Layout> layout = layout_of(desc);
    if (!layout) {
        return fmt::format(
            "TIFF holds rows and columns, before them one axis, or of t, z and c each once, and behind them channels; this is {}",
            desc.describe());
    }
    if (layout->width > 0x7fffffff || layout->height > 0x7fffffff) return "TIFF holds at most 2147483647 rows and columns";
    if (layout->channels > 65535) return fmt::format("TIFF holds at most 65535 channels, this has {}", layout->channels);
    return {};
}

}   // namespace

std::string refusal(const ArrayDesc& desc, const WriteOptions&) {
    if (std::string why = refusal_of_any(desc); !why.empty()) return why;
    const std::optional<Resolution> resolution = resolution_of(desc, in_words_of_imagej(*layout_of(desc)));
    return !resolution || holds(*resolution) ? std::string() : why_no_resolution(desc);
}

std::string ome_refusal(const ArrayDesc& desc, const WriteOptions&) {
    const std::string why = refusal_of_any(desc);
    return why.empty() ? why_no_ome_words(desc, layout_of(desc)->axes) : why;
}

void write(const std::filesystem::path& path, const std::string& name, const HostArray& given, const WriteOptions& options) {
    HostArray array = is_ome_name(name) && has_named_samples(given) ? with_channels_as_planes(given) : given;
    Layout layout = *layout_of(array.desc);
    if (!is_ome_name(name) && !in_order(layout.axes)) {
        array = in_order_of_imagej(array, layout);
        layout = *layout_of(array.desc);
    }
    if (array.desc.type == ElementType::boolean) {
        // A mask to look at: black and white, as 1-bit files are read.
        const HostArray mask = array;
        array = HostArray::make(mask.desc.with_type(ElementType::u8));
        array.metadata = mask.metadata;
        std::transform(mask.data(), mask.data() + mask.desc.count(), array.data(),
                       [](std::byte b) { return std::byte(b != std::byte{0} ? 255 : 0); });
    }
    const std::string description =
        is_ome_name(name) ? ome_xml(name, array, layout.axes, layout.channels) : description_of(array, layout);
    std::optional<Resolution> resolution = resolution_of(array.desc, description.starts_with("ImageJ="));
    if (resolution && !holds(*resolution)) {
        if (!is_ome_name(name)) throw IoError(name, "cannot be written: " + why_no_resolution(array.desc));
        resolution.reset();   // OME-XML says it
    }
    // Directories and strip tables on top: under 1 KiB and 12 bytes a channel a page, and 16 bytes a strip, of which a page has
    // one for each row at most. What does not pack grows by less than a thousandth.
    const std::uint64_t row = static_cast<std::uint64_t>(layout.width * layout.channels) * parallax::bytes_of(array.desc.type);
    const std::uint64_t strips_at_most = static_cast<std::uint64_t>(layout.pages) *
                                         (static_cast<std::uint64_t>(layout.height) * row / (std::uint64_t{1} << 19) + 1);
    const std::uint64_t around =
        static_cast<std::uint64_t>(layout.pages) * static_cast<std::uint64_t>(1024 + 12 * layout.channels) + strips_at_most * 16 +
        description.size() + array.desc.dense_bytes() / 1000;
    const bool big = array.desc.dense_bytes() + around > 0xf0000000u;

    constexpr std::uint64_t data = 16;
    const int compression = options.compression.value_or(0);
    Strips strips = strips_of(array, layout, data);
    File file = File::create(path);
    if (compression > 0) {
        file.write(std::string(data, '\0').data(), data);   // the head, once it is known where the first directory stands
        write_packed(file, array, compression, strips);
    }
    const std::uint64_t written = strips.starts.back() + strips.lengths.back(), behind = (written + 15) / 16 * 16;
    const auto page_at = [&](std::int64_t page, std::uint64_t at) {
        Directory directory(big, at);
        fill(directory, array, layout, page == 0 ? description : std::string(), page, strips, resolution);
        return directory;
    };
    Directory directory = page_at(0, behind);
    std::string head(std::endian::native == std::endian::little ? "II" : "MM");
    const auto add = [&head](auto value) { head.append(reinterpret_cast<const char*>(&value), sizeof value); };
    add(static_cast<std::uint16_t>(big ? 43 : 42));
    if (big)
        add(std::uint16_t{8}), add(std::uint16_t{0}), add(directory.place());
    else
        add(static_cast<std::uint32_t>(directory.place()));
    head.resize(data, '\0');
    if (compression <= 0) {
        file.write(head.data(), head.size());
        file.write(array.data(), array.desc.dense_bytes());
    }
    const std::string gap(behind - written, '\0');
    file.write(gap.data(), gap.size());
    for (std::int64_t page = 0; page < layout.pages; ++page) {
        const bool last = page + 1 == layout.pages;
        const std::uint64_t end = (directory.end() + 7) / 8 * 8;
        Directory next = last ? Directory(big, end) : page_at(page + 1, end);
        std::string out = directory.finish(last ? 0 : next.place());
        if (!last) out.resize(out.size() + (end - directory.end()), '\0');
        file.write(out.data(), out.size());
        directory = std::move(next);
    }
    if (compression > 0) {
        file.flush();
        file.seek(0);
        file.write(head.data(), head.size());
    }
    file.close();
}

}   // namespace parallax::io::tiff
