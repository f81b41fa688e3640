#include "io/tiff_describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace parallax::io::tiff {
namespace {

using Extents = std::vector<ArrayDesc::Extent>;

template <class T>
T number_from(std::string_view text, T otherwise) {
    T value = otherwise;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() ? value : otherwise;
}

/// A unit of length by the names that these programs write; ours, and how many of ours one of theirs is. Empty: none that is
/// known.
std::pair<std::string, double> unit_from(std::string_view name) {
    struct Row { std::string_view theirs, ours; double factor; };
    constexpr Row rows[] = {{"micron", "um", 1},   {"microns", "um", 1},  {"micrometer", "um", 1}, {"um", "um", 1},
                            {"\\u00B5m", "um", 1}, {"\\u00b5m", "um", 1}, {"\xc2\xb5m", "um", 1},  {"\xce\xbcm", "um", 1},
                            {"\xb5m", "um", 1},    {"nm", "nm", 1},       {"mm", "mm", 1},         {"cm", "cm", 1},
                            {"m", "m", 1},         {"inch", "mm", 25.4},  {"in", "mm", 25.4},      {"\xc3\x85", "nm", 0.1},
                            {"pm", "nm", 1e-3},    {"dm", "cm", 10},      {"km", "m", 1000}};
    for (const Row& row : rows) {
        if (name == row.theirs) return {std::string(row.ours), row.factor};
    }
    return {};
}

void add(Extents& axes, char name, std::int64_t size) {
    if (size > 1) axes.push_back({name, size});
}

std::int64_t product(const Extents& axes) {
    std::int64_t count = 1;
    for (const auto& axis : axes) count *= axis.size;
    return count;
}

/// "images=78\nslices=13\nunit=micron\n"; of a hyperstack channels go fastest, then slices, then frames.
Description describe_imagej(std::string_view text) {
    Description d;
    d.by = "ImageJ";
    d.imagej = true;
    std::int64_t channels = 1, slices = 1, frames = 1;
    std::string unit;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view key = line.substr(0, equals), value = line.substr(equals + 1);
        if (key == "images") d.images = number_from(value, std::int64_t{1});
        else if (key == "channels") channels = number_from(value, std::int64_t{1});
        else if (key == "slices") slices = number_from(value, std::int64_t{1});
        else if (key == "frames") frames = number_from(value, std::int64_t{1});
        else if (key == "spacing") d.z = std::abs(number_from(value, 0.0));
        else if (key == "finterval") d.t = number_from(value, 0.0);
        else if (key == "unit") unit = value;
    }
    add(d.axes, 't', frames);
    add(d.axes, 'z', slices);
    add(d.axes, 'c', channels);
    if (unit.empty() || unit == "pixel" || unit == "pixels") return d;
    const auto [ours, factor] = unit_from(unit);
    if (ours.empty()) {
        d.warnings.push_back(
            fmt::format("its unit of length is \"{}\", which is none that is known: distances are left out", unit));
        d.z = 0;
        return d;
    }
    d.unit = ours;
    d.x = d.y = factor;   // what a pixel's resolution is to be divided into
    d.z *= factor;
    return d;
}

/// {"shape": [13, 34, 49], "axes": "ZYX"}
Description describe_tifffile(std::string_view text, const PageShape& page) {
    Description d;
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object() || !json.contains("shape") || !json["shape"].is_array()) return d;
    d.by = "tifffile";
    const std::string letters =
        json.contains("axes") && json["axes"].is_string() ? json["axes"].get<std::string>() : std::string();
    std::vector<std::int64_t> shape;
    for (const Json& size : json["shape"]) {
        if (!size.is_number_integer() || size.get<std::int64_t>() < 1) return {};
        shape.push_back(size.get<std::int64_t>());
    }
    // Behind the pages come rows, columns and samples, as the directories have them.
    std::vector<std::int64_t> one{page.height, page.width};
    if (page.channels > 1) one.insert(page.planes ? one.begin() : one.end(), page.channels);
    if (shape.size() < one.size() || !std::equal(one.rbegin(), one.rend(), shape.rbegin())) {
        d.warnings.push_back("its description gives a shape that its pages have not, and is not followed");
        return d;
    }
    const std::size_t pages = shape.size() - one.size();
    const bool named = letters.size() == shape.size();
    for (std::size_t i = 0; i < pages; ++i) {
        const std::size_t from_back = pages - 1 - i;
        const char letter = named ? letters[i] : from_back < 2 ? "ZT"[from_back] : 'Q';
        const bool known = letter == 'T' || letter == 'Z' || letter == 'C';
        if (!known && shape[i] > 1)
            d.warnings.push_back(
                fmt::format("its axis {} of {} indices is none that is known here, and called n", letter, shape[i]));
        add(d.axes, letter == 'T' ? 't' : letter == 'Z' ? 'z' : letter == 'C' ? 'c' : 'n', shape[i]);
        d.images *= shape[i];
    }
    return d;
}

/// The value of an attribute inside the text of a tag; empty: there is none.
std::string_view attribute(std::string_view tag, std::string_view name) {
    for (std::size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
        const std::size_t equals = at + name.size();
        const bool alone = at > 0 && (tag[at - 1] == ' ' || (tag[at - 1] >= '\t' && tag[at - 1] <= '\r'));
        if (!alone || equals + 1 >= tag.size() || tag[equals] != '=') continue;
        const char quote = tag[equals + 1];
        const std::size_t end = tag.find(quote, equals + 2);
        if ((quote == '"' || quote == '\'') && end != std::string_view::npos) return tag.substr(equals + 2, end - equals - 2);
    }
    return {};
}

/// The next tag of a name, with or without a prefix ("<ome:Pixels ..."); its text without the brackets, empty: none. `from` moves
/// behind it.
std::string_view next_tag(std::string_view text, std::string_view name, std::size_t& from) {
    for (std::size_t open = text.find('<', from); open != std::string_view::npos; open = text.find('<', open + 1)) {
        const std::size_t end = text.find('>', open);
        if (end == std::string_view::npos) break;
        std::string_view tag = text.substr(open + 1, end - open - 1);
        const std::size_t word = tag.find_first_of(" \t\r\n/");
        std::string_view called = tag.substr(0, word);
        if (const std::size_t colon = called.find(':'); colon != std::string_view::npos) called.remove_prefix(colon + 1);
        if (called != name) continue;
        from = end + 1;
        return tag;
    }
    from = text.size();
    return {};
}

double length_of(std::string_view pixels, const char* name, std::string& unit, std::vector<std::string>& warnings) {
    const double value = number_from(attribute(pixels, name), 0.0);
    if (!(value > 0) || !std::isfinite(value)) return 0;
    const std::string_view said = attribute(pixels, fmt::format("{}Unit", name));
    const auto [ours, factor] = said.empty() ? std::pair<std::string, double>("um", 1) : unit_from(said);
    if (ours.empty()) {
        warnings.push_back(fmt::format("its {} is in \"{}\", a unit that is not known: it is left out", name, said));
        return 0;
    }
    if (unit.empty()) unit = ours;
    constexpr std::pair<std::string_view, double> in_um[] = {{"nm", 1e-3}, {"um", 1}, {"mm", 1e3}, {"cm", 1e4}, {"m", 1e6}};
    double from = 1, to = 1;
    for (const auto& [word, scale] : in_um) {
        if (ours == word) from = scale;
        if (unit == word) to = scale;
    }
    return ours == unit ? value * factor : value * factor * from / to;
}

Description describe_ome(std::string_view text, std::int64_t channels) {
    Description d;
    d.by = "OME-XML";
    std::size_t at = 0;
    const std::string_view pixels = next_tag(text, "Pixels", at);
    if (pixels.empty()) return d;
    const std::size_t behind = at;
    if (!next_tag(text, "Pixels", at).empty())
        d.warnings.push_back("it describes several images: the first one's description is followed where it fits");
    // Planes elsewhere than one behind the other: in other files, or with an order of their own.
    std::int64_t blocks = 0;
    bool in_order = true;
    for (std::size_t from = behind;;) {
        const std::string_view block = next_tag(text, "TiffData", from);
        if (block.empty()) break;
        const std::int64_t ifd = number_from(attribute(block, "IFD"), std::int64_t{0});
        in_order = in_order && ifd == blocks;
        ++blocks;
        const bool first = number_from(attribute(block, "FirstZ"), 0) == 0 && number_from(attribute(block, "FirstC"), 0) == 0 &&
                           number_from(attribute(block, "FirstT"), 0) == 0;
        if (blocks == 1 && !first) in_order = false;
    }
    const std::string_view order = attribute(pixels, "DimensionOrder");
    const auto size_of = [&](char axis) {
        return std::max<std::int64_t>(1, number_from(attribute(pixels, fmt::format("Size{}", axis)), std::int64_t{1}));
    };
    // Several blocks give each plane its place: they are held against the order that they should have.
    if (blocks > 1) {
        std::size_t from = behind;
        std::array<std::int64_t, 3> place{};
        for (std::int64_t i = 0; i < blocks && in_order; ++i) {
            const std::string_view block = next_tag(text, "TiffData", from);
            for (std::size_t a = 2; a < 5 && order.size() == 5; ++a) {
                const std::string_view said = attribute(block, fmt::format("First{}", order[a]));
                if (number_from(said, std::int64_t{0}) != place[a - 2]) in_order = false;
            }
            for (std::size_t a = 2; a < 5 && order.size() == 5; ++a) {   // the next plane, the first axis of the order fastest
                const std::int64_t size =
                    order[a] == 'C' ? std::max<std::int64_t>(1, size_of('C') / channels) : size_of(order[a]);
                if (++place[a - 2] < size) break;
                place[a - 2] = 0;
            }
        }
    }
    if (order.size() != 5 || !order.starts_with("XY") || order.substr(2).find_first_not_of("ZCT") != std::string_view::npos) {
        d.warnings.push_back(fmt::format("its OME-XML gives the order of axes as \"{}\", which is not followed", order));
        return d;
    }
    for (std::size_t i = 5; i-- > 2;) {
        std::int64_t size = size_of(order[i]);
        if (order[i] == 'C' && channels > 1) size = std::max<std::int64_t>(1, size / channels);
        add(d.axes, order[i] == 'Z' ? 'z' : order[i] == 'C' ? 'c' : 't', size);
    }
    d.images = product(d.axes);
    if (!in_order) {
        d.warnings.push_back("its OME-XML places the planes in an order of their own, which is not followed");
        d.axes.clear();
    }
    d.x = length_of(pixels, "PhysicalSizeX", d.unit, d.warnings);
    d.y = length_of(pixels, "PhysicalSizeY", d.unit, d.warnings);
    d.z = length_of(pixels, "PhysicalSizeZ", d.unit, d.warnings);
    const std::string_view seconds = attribute(pixels, "TimeIncrementUnit");
    constexpr std::pair<std::string_view, double> times[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}};
    for (const auto& [name, factor] : times) {
        if (seconds == name) d.t = factor * std::max(0.0, number_from(attribute(pixels, "TimeIncrement"), 0.0));
    }
    return d;
}

}  // namespace

Description describe(std::string_view text, const PageShape& page) {
    if (text.starts_with("ImageJ=")) return describe_imagej(text);
    if (text.starts_with("{")) return describe_tifffile(text, page);
    if (text.find("<OME") != std::string_view::npos || text.find(":OME") != std::string_view::npos)
        return describe_ome(text, page.channels);
    return {};
}

}  // namespace parallax::io::tiff
