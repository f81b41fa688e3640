#include "io/ome_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "io/units.hpp"
#include "parallax/host/error.hpp"
#include "support/markup.hpp"
#include "support/text.hpp"

namespace parallax::io::tiff {
namespace {

constexpr const char* other_name = "write a .tif that does not end in .ome.tif, or a .npy";

/// Empty: there is none.
std::string_view word_for(ElementType type) {
    switch (type) {
        case ElementType::boolean:
        case ElementType::u8:
            return "uint8";
        case ElementType::i8:
            return "int8";
        case ElementType::u16:
            return "uint16";
        case ElementType::i16:
            return "int16";
        case ElementType::u32:
            return "uint32";
        case ElementType::i32:
            return "int32";
        case ElementType::f32:
            return "float";
        case ElementType::f64:
            return "double";
        default:
            return {};
    }
}

bool is_white(char c) { return c == '\t' || c == '\n' || c == '\r'; }

/// White space by its number, which XML takes for a blank where it stands as it is, and so what no page shows.
std::string attribute(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\t\n\r\x7f"), text.size());
        out += host::escaped(text.substr(0, end));
        if (end < text.size()) out += fmt::format("&#{};", static_cast<int>(text[end]));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

/// The first character that XML 1.0 has no word for, as "U+0001"; empty: there is none.
std::string unwritable_in(std::string_view text) {
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (code < 32 && !is_white(c)) return fmt::format("U+{:04X}", code);
    }
    for (const auto& [bytes, word] : {std::pair{"\xef\xbf\xbe", "U+FFFE"}, {"\xef\xbf\xbf", "U+FFFF"}}) {
        if (text.find(bytes) != std::string_view::npos) return word;
    }
    return {};
}

/// Whether its columns are x and its rows, if it has any, y: OME says how many of x and y there are, and nothing else for them.
bool has_rows_of_columns(const ArrayDesc& desc) {
    std::size_t n = desc.axes.size();
    if (n > 0 && desc.axes[n - 1].name == 'c') --n;
    return n > 0 && desc.axes[n - 1].name == 'x' && (n == 1 || desc.axes[n - 2].name == 'y');
}

}   // namespace

bool is_ome_name(const std::string& name) {
    const std::string lower = host::lower(name);
    return lower.ends_with(".ome.tif") || lower.ends_with(".ome.tiff");
}

std::string why_no_ome_words(const ArrayDesc& desc, const std::vector<Axis>& pages) {
    if (word_for(desc.type).empty())
        return fmt::format("OME-TIFF has no word for elements of {}: {}", to_string(desc.type), other_name);
    if (!has_rows_of_columns(desc))
        return fmt::format("OME-TIFF holds rows (y) of columns (x); this is {}: {}", desc.describe(), other_name);
    for (const Axis& axis : pages) {
        if (std::string_view("tzc").find(axis.name) == std::string_view::npos)
            return fmt::format("OME-TIFF has the axes t, z and c for pages, and none called {}: {}", axis.name, other_name);
    }
    return {};
}

std::string why_no_ome_names(const ArrayDesc& desc, const Metadata& metadata) {
    const std::vector<std::string>& names = metadata.channels;
    if (std::ssize(names) != desc.size('c')) return {};   // others are not written
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string character = unwritable_in(names[i]);
        if (!character.empty())
            return fmt::format("OME-TIFF is written with names of channels that XML can hold, and that of channel {} has {} in it",
                               i, character);
    }
    return {};
}

std::string ome_xml(const std::string& name, const HostArray& array, const std::vector<Axis>& pages, std::int64_t samples) {
    const ArrayDesc& desc = array.desc;
    if (const std::string why = why_no_ome_words(desc, pages); !why.empty()) throw IoError(name, why);
    if (std::string why = why_no_ome_names(desc, array.metadata); !why.empty())
        throw IoError(name, std::move(why), "give that channel another name, or write a .zarr folder");
    std::string order = "XY";
    std::int64_t sizes[] = {1, 1, samples};          // t, z, c
    for (std::size_t i = pages.size(); i-- > 0;) {   // the fastest first
        const std::size_t place = std::string_view("tzc").find(pages[i].name);
        order += "TZC"[place];
        sizes[place] *= pages[i].size;
    }
    for (const char axis : {'Z', 'C', 'T'}) {
        if (order.find(axis) == std::string::npos) order += axis;
    }
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\" "
        "Creator=\"Parallax\"><Image ID=\"Image:0\" Name=\"Image0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"{}\" Type=\"{}\" "
        "SizeX=\"{}\" SizeY=\"{}\" SizeZ=\"{}\" SizeC=\"{}\" SizeT=\"{}\"",
        order, word_for(desc.type), desc.size('x'), desc.size('y'), sizes[1], sizes[2], sizes[0]);
    if (millimetres(desc.unit) > 0) {
        for (const char axis : {'x', 'y', 'z'}) {
            if (!desc.find(axis)) continue;
            const char upper = static_cast<char>(axis - 32);
            text += fmt::format(" PhysicalSize{}=\"{}\" PhysicalSize{}Unit=\"{}\"", upper, desc.find(axis)->spacing, upper,
                                desc.unit == "um" ? "\xc2\xb5m" : desc.unit);
        }
    }
    if (const Axis* const t = desc.find('t'); t && t->spacing > 0)
        text += fmt::format(" TimeIncrement=\"{}\" TimeIncrementUnit=\"s\"", t->spacing);
    text += '>';
    const std::vector<std::string>& names = array.metadata.channels;
    const std::int64_t channels = sizes[2] / samples;
    for (std::int64_t c = 0; c < channels; ++c) {
        text += fmt::format("<Channel ID=\"Channel:0:{}\" SamplesPerPixel=\"{}\"", c, samples);
        if (static_cast<std::int64_t>(names.size()) == channels)
            text += fmt::format(" Name=\"{}\"", attribute(names[static_cast<std::size_t>(c)]));
        text += "/>";
    }
    std::int64_t count = 1;
    for (const Axis& axis : pages) count *= axis.size;
    return text + fmt::format("<TiffData IFD=\"0\" PlaneCount=\"{}\"/></Pixels></Image></OME>", count);
}

}   // namespace parallax::io::tiff
