// NRRD, versions 1 to 5: lines of text up to an empty one, then the elements, or the names of the files that hold them
// (teem.sourceforge.net/nrrd/format.html). Read: raw and gzip. Space is told towards left, posterior and superior, as ITK does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "io/decimal.hpp"
#include "io/file.hpp"
#include "io/nrrd_axes.hpp"
#include "io/nrrd_header.hpp"
#include "io/nrrd_space.hpp"
#include "io/space.hpp"
#include "io/stored.hpp"
#include "io/units.hpp"
#include "io/window.hpp"

namespace parallax::io::nrrd {
namespace {

constexpr std::size_t most_axes = 16;   ///< NRRD's own

struct TypeRow {
    std::string_view name;
    ElementType type;
};
constexpr TypeRow type_table[] = {
    {"signed char", ElementType::i8},
    {"int8", ElementType::i8},
    {"int8_t", ElementType::i8},
    {"uchar", ElementType::u8},
    {"unsigned char", ElementType::u8},
    {"uint8", ElementType::u8},
    {"uint8_t", ElementType::u8},
    {"short", ElementType::i16},
    {"short int", ElementType::i16},
    {"signed short", ElementType::i16},
    {"signed short int", ElementType::i16},
    {"int16", ElementType::i16},
    {"int16_t", ElementType::i16},
    {"ushort", ElementType::u16},
    {"unsigned short", ElementType::u16},
    {"unsigned short int", ElementType::u16},
    {"uint16", ElementType::u16},
    {"uint16_t", ElementType::u16},
    {"int", ElementType::i32},
    {"signed int", ElementType::i32},
    {"int32", ElementType::i32},
    {"int32_t", ElementType::i32},
    {"uint", ElementType::u32},
    {"unsigned int", ElementType::u32},
    {"uint32", ElementType::u32},
    {"uint32_t", ElementType::u32},
    {"longlong", ElementType::i64},
    {"long long", ElementType::i64},
    {"long long int", ElementType::i64},
    {"signed long long", ElementType::i64},
    {"signed long long int", ElementType::i64},
    {"int64", ElementType::i64},
    {"int64_t", ElementType::i64},
    {"ulonglong", ElementType::u64},
    {"unsigned long long", ElementType::u64},
    {"unsigned long long int", ElementType::u64},
    {"uint64", ElementType::u64},
    {"uint64_t", ElementType::u64},
    {"float", ElementType::f32},
    {"double", ElementType::f64},
};

StoredArray read_header(const Source& source) {
    File opened = source.open();
    const Header header = read_lines(source, opened);
    StoredArray array;
    FileInfo& file = array.file;
    file.format = "nrrd";
    file.file_bytes = source.bytes;

    const std::string type = in_lower_case(needed(source, header, "type"));
    const auto* row =
        std::find_if(std::begin(type_table), std::end(type_table), [&](const TypeRow& r) { return r.name == type; });
    if (row == std::end(type_table))
        fail(source, fmt::format("holds elements of NRRD's type \"{}\", which cannot be read", shortened(type)),
             "convert it to an integer or float type");
    const std::optional<std::int64_t> dimension = integer_of(needed(source, header, "dimension"));
    if (!dimension || *dimension < 1 || *dimension > static_cast<std::int64_t>(most_axes))
        fail(source, fmt::format("declares \"{}\" dimensions; NRRD has 1 to {}", shortened(field(header, "dimension")), most_axes), again);
    const auto count = static_cast<std::size_t>(*dimension);
    std::vector<std::int64_t> sizes;
    for (const std::string_view word : words_of(needed(source, header, "sizes")))
        sizes.push_back(whole_number(source, "sizes", word));
    if (sizes.size() != count)
        fail(source, fmt::format("declares {} sizes for {} dimensions in its NRRD header", sizes.size(), count), again);

    std::vector<std::string> directions = vectors_of(field(header, "spacedirections"));
    if (!directions.empty() && directions.size() != count)
        fail(source, fmt::format("has {} space directions for {} axes in its NRRD header", directions.size(), count), again);
    FileAxes axes;
    axes.sizes = sizes;
    const std::vector<std::string_view> kinds = words_of(field(header, "kinds"));
    const bool pairs = !kinds.empty() && in_lower_case(kinds[0]) == "complex" && sizes[0] == 2 && is_floating(row->type);
    axes.names = name_axes(source, header, count, directions, pairs, file.warnings);
    array.stored = row->type;
    if (pairs) array.stored = row->type == ElementType::f32 ? ElementType::c64 : ElementType::c128;
    const std::size_t first = pairs ? 1 : 0;
    std::vector<ArrayDesc::Extent> extents;
    for (std::size_t i = count; i-- > first;) extents.push_back({axes.names[i], sizes[i]});
    if (extents.empty()) extents.push_back({'x', 1});
    file.desc = declared(source, array.stored, extents);
    describe_space(source, header, directions, axes, file);
    for (std::size_t i = first; i < count; ++i) {
        if (std::isfinite(axes.spacing[i]) && axes.spacing[i] > 0)
            file.desc = file.desc.with_spacing(axes.names[i], axes.spacing[i]);
    }
    if (const Axis* const c = file.desc.find('c')) {
        const std::string kind = kinds.size() == count ? in_lower_case(kinds[first]) : std::string();
        const bool last = &file.desc.axes.back() == c;
        file.colour = last && kind == "rgb-color" && c->size == 3    ? Colour::rgb
                      : last && kind == "rgba-color" && c->size == 4 ? Colour::rgb_alpha
                                                                     : Colour::other;
    }
    while (file.page_axes < static_cast<int>(file.desc.axes.size()) &&
           std::string_view("tn").find(file.desc.axes[static_cast<std::size_t>(file.page_axes)].name) != std::string_view::npos)
        ++file.page_axes;

    const std::string encoding = in_lower_case(needed(source, header, "encoding"));
    if (encoding == "gz" || encoding == "gzip")
        array.packing = Packing::zlib;
    else if (encoding != "raw")
        fail(source, fmt::format("is an NRRD file whose elements are encoded as \"{}\", which is not read", shortened(encoding)),
             "write it with the encoding raw or gzip");
    const std::string endian = in_lower_case(field(header, "endian"));
    if (endian.empty() && bytes_of(row->type) > 1) fail(source, "does not say its byte order in its NRRD header", again);
    if (!endian.empty() && endian != "little" && endian != "big")
        fail(source, fmt::format("has the byte order \"{}\" in its NRRD header", shortened(endian)), again);
    array.swap = bytes_of(row->type) > 1 && (endian == "big") != (std::endian::native == std::endian::big);

    array.at = header.attached ? header.bytes : 0;
    if (header.files.size() > most_parts)
        fail(source, fmt::format("names {} files for its elements; up to 4096 are read", header.files.size()), "join them");
    for (const std::string& name : header.files) array.parts.push_back(open_part(source, name));
    if (!header.attached && header.files.empty()) fail(source, "names no file for its elements", again);
    const auto skipped = [&](std::string_view name, std::string_view said) {
        return said.empty() ? 0 : whole_number(source, name, said);
    };
    const std::int64_t lines = skipped("line skip", field(header, "lineskip")),
                       skip = skipped("byte skip", field(header, "byteskip"));
    if (lines != 0)
        fail(source, fmt::format("has {} lines before its elements, which is not read", lines), "write it without \"line skip\"");
    if (skip == -1 && array.packing == Packing::none) {
        array.at_end = true;
    } else if (skip > 0 && array.packing == Packing::none) {
        array.at += static_cast<std::uint64_t>(skip);
    } else if (skip != 0) {
        fail(source, fmt::format("has a byte skip of {} in its NRRD header, which is not read", field(header, "byteskip")),
             skip > 0 ? "write it without \"byte skip\"" : again);
    }
    check_stored(source, array);
    file.in_slices = has_slices(file.desc) && file.page_axes < 2;
    const std::string_view content = field(header, "content");
    if (!content.empty()) file.metadata.notes["nrrd.content"] = std::string(content);
    file.detail = fmt::format(
        "{}{}, {}", encoding, endian.empty() ? "" : ", " + endian + "-endian",
        header.attached ? "attached"
                        : fmt::format("in {} file{} beside it", array.parts.size(), array.parts.size() == 1 ? "" : "s"));
    return array;
}

}   // namespace

bool matches(Head head) { return head.size() >= 8 && std::memcmp(head.data(), "NRRD000", 7) == 0; }

FileInfo info(const Source& source) { return read_header(source).file; }

HostArray read(const Source& source) { return read_stored(source, read_header(source)); }

SliceStream slices(const Source& source) { return stream_stored(source, read_header(source)); }

namespace {

/// ITK reads distances without looking at their unit, and takes them for millimetres: so lengths are written in those.
ArrayDesc in_millimetres(ArrayDesc desc) {
    const double unit = desc.unit.empty() ? 0 : millimetres(desc.unit);
    if (!(unit > 0) || desc.unit == "mm") return desc;
    for (Axis& axis : desc.axes) {
        if (std::string_view("xyz").find(axis.name) != std::string_view::npos) axis.spacing = scaled(axis.spacing, unit);
    }
    return desc.with_unit("mm");
}

}   // namespace

std::string refusal(const ArrayDesc& desc, const WriteOptions&) {
    if (desc.axes.empty()) return "NRRD holds arrays, not single numbers";
    if (desc.axes.size() > most_axes) return fmt::format("NRRD holds up to {} axes, this is {}", most_axes, desc.describe());
    const ArrayDesc stored = in_millimetres(desc);
    for (std::size_t i = 0; i < desc.axes.size(); ++i) {
        const Axis& axis = desc.axes[i];
        const bool written = std::string_view("xyzt").find(axis.name) != std::string_view::npos;
        std::string problem = written ? refusal_of_distance("NRRD", axis, stored.axes[i].spacing, false) : std::string();
        if (!problem.empty()) return problem;
    }
    return {};
}

void write(const std::filesystem::path& path, const std::string&, const HostArray& array, const WriteOptions&) {
    const ArrayDesc desc = in_millimetres(array.desc);
    const bool complex = is_complex(desc.type);
    const ElementType real = desc.type == ElementType::c64       ? ElementType::f32
                             : desc.type == ElementType::c128    ? ElementType::f64
                             : desc.type == ElementType::boolean ? ElementType::u8
                                                                 : desc.type;
    const auto* row = std::find_if(std::begin(type_table), std::end(type_table), [&](const TypeRow& r) {
        return r.type == real && (r.name.ends_with('8') || r.name.ends_with("16") || r.name.ends_with("32") ||
                                  r.name.ends_with("64") || is_floating(real));
    });
    std::vector<std::string> sizes, labels, kinds, directions, spacings, units;
    std::optional<Space> space = space_of(desc, array.metadata);
    if (space && !(agrees(*space, desc) && desc.find('x') && desc.find('y'))) space.reset();
    if (space && desc.unit != array.desc.unit) {   // the affine's numbers are products
        for (Vector3* const v : {&space->steps[0], &space->steps[1], &space->steps[2], &space->origin})
            for (double& part : *v) part = as_decimal(part);
    }
    // Readers ask for as many directions as the space has: one plane of z, and time as a direction of its own.
    const Axis* const t = desc.find('t');
    const bool in_time = space && t != nullptr, timed = t != nullptr && t->spacing > 0;
    const bool plane = space && desc.find('z') == nullptr;
    const auto vector = [&](const Vector3& v, double time) {
        return in_time ? fmt::format("({},{},{},{})", v[0], v[1], v[2], time) : fmt::format("({},{},{})", v[0], v[1], v[2]);
    };
    const bool by_number = are_colours(array);
    if (complex)
        sizes.emplace_back("2"), labels.emplace_back("\"\""), kinds.emplace_back("complex"), directions.emplace_back("none"),
            spacings.emplace_back("nan"), units.emplace_back("\"\"");
    const auto add_plane = [&] {
        sizes.emplace_back("1"), labels.emplace_back("\"z\""), kinds.emplace_back("domain"),
            directions.push_back(vector(space->steps[2], 0)), spacings.emplace_back("nan"), units.emplace_back("\"\"");
    };
    for (std::size_t i = desc.axes.size(); i-- > 0;) {
        const Axis& axis = desc.axes[i];
        const std::size_t place = std::string_view("xyz").find(axis.name);
        const bool spatial = place != std::string_view::npos,
                   colours = axis.name == 'c' && i + 1 == desc.axes.size() && by_number;
        sizes.push_back(fmt::format("{}", axis.size));
        labels.push_back(fmt::format("\"{}\"", axis.name));
        kinds.emplace_back(spatial            ? "domain"
                           : axis.name == 't' ? "time"
                           : colours && (desc.type == ElementType::u8 || desc.type == ElementType::u16) && axis.size == 3
                               ? "RGB-color"
                           : colours && desc.type == ElementType::u8 && axis.size == 4 ? "RGBA-color"
                                                                                       : "list");
        if (space && spatial) directions.push_back(vector(space->steps[place], 0));
        else if (in_time && axis.name == 't') directions.push_back(vector({0, 0, 0}, timed ? axis.spacing : 1));
        else directions.emplace_back("none");
        const bool of_time = axis.name == 't' && timed;
        spacings.push_back(spatial || of_time ? fmt::format("{}", axis.spacing) : "nan");
        units.push_back(spatial ? "\"" + desc.unit + "\"" : of_time ? "\"s\"" : "\"\"");
        if (plane && axis.name == 'y') add_plane();
    }
    std::string text = fmt::format("NRRD0005\n# written by Parallax\ntype: {}\ndimension: {}\n", row->name, sizes.size());
    if (space) text += fmt::format("space: left-posterior-superior{}\n", in_time ? "-time" : "");
    text += fmt::format("sizes: {}\n", fmt::join(sizes, " "));
    if (space)
        text += fmt::format("space directions: {}\n", fmt::join(directions, " "));
    else
        text += fmt::format("spacings: {}\n", fmt::join(spacings, " "));
    text += fmt::format("kinds: {}\nlabels: {}\n", fmt::join(kinds, " "), fmt::join(labels, " "));
    if (bytes_of(real) > 1) text += fmt::format("endian: {}\n", std::endian::native == std::endian::big ? "big" : "little");
    text += "encoding: raw\n";
    if (space) {
        // A 1 without a unit is a time that is not said.
        if (!desc.unit.empty() || timed)
            text += fmt::format("space units: \"{0}\" \"{0}\" \"{0}\"{1}\n", desc.unit, timed ? " \"s\"" : in_time ? " \"\"" : "");
        text += fmt::format("space origin: {}\n", vector(space->origin, 0));
    } else if (!desc.unit.empty() || timed) {
        text += fmt::format("units: {}\n", fmt::join(units, " "));
    }
    if (const auto content = array.metadata.notes.find("nrrd.content"); content != array.metadata.notes.end())
        text += fmt::format("content: {}\n", content->second);
    text += '\n';
    File out = File::create(path);
    out.write(text.data(), text.size());
    out.write(array.data(), desc.dense_bytes());
    out.close();
}

}   // namespace parallax::io::nrrd
