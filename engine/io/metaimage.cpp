// MetaImage (.mha, .mhd): lines "Key = value" up to the name of the file that holds the elements, LOCAL for this one. Space goes
// towards left, posterior and superior, in mm, as ITK has it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "io/decimal.hpp"
#include "io/file.hpp"
#include "io/space.hpp"
#include "io/stored.hpp"
#include "io/text_header.hpp"
#include "io/units.hpp"

namespace parallax::io::metaimage {
namespace {

constexpr std::size_t most_header = 1 << 20;
constexpr const char* again = "the header is damaged: write the file again";

struct TypeRow {
    std::string_view name;
    ElementType type;
};
// A long has four bytes in MetaImage.
constexpr TypeRow type_table[] = {
    {"MET_UCHAR", ElementType::u8},      {"MET_CHAR", ElementType::i8},   {"MET_USHORT", ElementType::u16},
    {"MET_SHORT", ElementType::i16},     {"MET_UINT", ElementType::u32},  {"MET_INT", ElementType::i32},
    {"MET_ULONG", ElementType::u32},     {"MET_LONG", ElementType::i32},  {"MET_ULONG_LONG", ElementType::u64},
    {"MET_LONG_LONG", ElementType::i64}, {"MET_FLOAT", ElementType::f32}, {"MET_DOUBLE", ElementType::f64}};

struct Header {
    Fields fields;   ///< by their names in lower case
    std::vector<std::string> files;
    std::uint64_t bytes = 0;
    bool attached = false;
};

Header read_lines(const Source& source, File& file) {
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(source.bytes, most_header)), '\0');
    text.resize(file.read_some(text.data(), text.size()));
    Header header;
    bool listing = false, ended = false;
    for (std::size_t at = 0; at < text.size() && !ended;) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
        at = std::min(end + 1, text.size());
        header.bytes = at;
        if (listing) {
            if (!line.empty()) header.files.emplace_back(line);
            continue;
        }
        if (line.empty()) continue;
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos)
            fail(source, fmt::format("has the line \"{}\" in its MetaImage header", shortened(line)), again);
        const std::string name = in_lower_case(trimmed(line.substr(0, equals)));
        const std::string value(trimmed(line.substr(equals + 1)));
        const std::string problem = problem_of_adding(header.fields, name, value, "MetaImage");
        if (!problem.empty() && name != "comment")
            fail(source, problem, "each key stands there once: remove one of the two lines");
        if (name != "elementdatafile") continue;
        header.attached = in_lower_case(value) == "local";
        listing = value.starts_with("LIST");
        ended = !listing;
        if (!header.attached && !listing) {
            const bool pattern = value.find('%') != std::string::npos && words_of(value).size() > 2;
            header.files = pattern ? names_by_pattern(source, value) : std::vector<std::string>{value};
        }
    }
    if (!header.fields.contains("elementdatafile"))
        fail(source, "has no ElementDataFile in its MetaImage header", "the file is cut off or no image: write it again");
    return header;
}

std::string_view field(const Header& header, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        const auto found = header.fields.find(name);
        if (found != header.fields.end()) return found->second;
    }
    return {};
}

/// What is no number is an error: a part of it, or what stands for none, would be another image.
std::int64_t whole_number(const Source& source, std::string_view name, std::string_view word) {
    const std::optional<std::int64_t> value = whole_number_of(word);
    if (!value)
        fail(source,
             fmt::format("has \"{}\" for {} in its MetaImage header, where a whole number should be", shortened(word), name),
             again);
    return *value;
}

std::int64_t whole_number(const Source& source, const Header& header, std::string_view name, std::int64_t otherwise) {
    const std::string_view text = field(header, {in_lower_case(name)});
    return text.empty() ? otherwise : whole_number(source, name, text);
}

/// So many numbers; empty: there is no such field.
std::vector<double> numbers(const Source& source, const Header& header, std::initializer_list<std::string_view> names,
                            std::size_t count) {
    const std::string_view text = field(header, names);
    std::vector<double> all;
    for (const std::string_view word : words_of(text)) {
        const std::optional<double> value = number_of(word);
        if (value && std::isfinite(*value))
            all.push_back(*value);
        else
            all.resize(count + 1);   // none of so many
    }
    if (!text.empty() && all.size() != count)
        fail(source,
             fmt::format("has \"{}\" for {} numbers of {} in its MetaImage header", shortened(text), count, *names.begin()),
             again);
    return all;
}

bool is_true(std::string_view text) { return !text.empty() && (text[0] == 'T' || text[0] == 't' || text[0] == '1'); }

void describe_space(const Source& source, const Header& header, std::size_t dims, FileInfo& file) {
    std::vector<double> spacing = numbers(source, header, {"elementspacing", "elementsize"}, dims),
                        matrix = numbers(source, header, {"transformmatrix", "rotation", "orientation"}, dims * dims),
                        origin = numbers(source, header, {"offset", "position", "origin"}, dims);
    const std::string_view said = field(header, {"distanceunits"});
    const auto [unit, factor] = unit_from(said);
    if (!said.empty() && said != "?" && unit.empty())
        file.warnings.push_back(fmt::format("its unit of length is \"{}\", which is none that is known: mm is taken", shortened(said)));
    file.desc.unit = unit.empty() ? "mm" : unit;
    if (spacing.empty()) {
        spacing.assign(dims, 1);
        if (matrix.empty() && origin.empty()) {
            file.desc.unit.clear();
            return;
        }
    }
    std::string unsaid;
    bool turned = false;
    Vector3 way = {1, 1, 1};   // as ITK has it, an axis of steps below 0 goes the other way
    for (std::size_t i = 0; i < dims; ++i) {
        if (spacing[i] < 0) {
            file.warnings.push_back(fmt::format("its spacing along {} is below 0: it counts by its size{}", "xyzt"[i],
                                                i < 3 ? ", and the axis goes the other way" : ""));
            if (i < 3) way[i] = -1, turned = true;
        }
        spacing[i] = scaled(std::abs(spacing[i]), i < 3 && !unit.empty() ? factor : 1);
        if (!(spacing[i] > 0)) unsaid += "xyzt"[i], spacing[i] = 1;
        if (i == 3 && spacing[i] == 1) continue;   // what stands there where no time is said
        file.desc = file.desc.with_spacing("xyzt"[i], spacing[i]);
    }
    tell_unsaid("its header", unsaid, file);
    if (file.desc.unit.empty()) return;   // nothing says how long a step is
    // The row of an axis is its direction.
    Space space;
    for (std::size_t i = 0; i < 3; ++i) {
        space.steps[i] = {};
        space.steps[i][i] = i < dims ? way[i] * spacing[i] : 1;
        if (i >= dims) continue;
        for (std::size_t j = 0; j < std::min<std::size_t>(dims, 3) && !matrix.empty(); ++j)
            space.steps[i][j] = way[i] * matrix[i * dims + j] * spacing[i];
        if (!origin.empty()) space.origin[i] = scaled(origin[i], unit.empty() ? 1 : factor);
    }
    if (!spans(space)) {
        file.warnings.push_back(
            "its directions (TransformMatrix) have the determinant 0, and go along fewer than its axes: they are left out, and "
            "so "
            "is where its voxels lie");
        return;
    }
    if (!matrix.empty() || !origin.empty() || turned) file.metadata.affine = affine_of(space, millimetres(file.desc.unit));
}

/// ITK reads values as they are stored, too.
void tell_scale(const Source& source, const Header& header, FileInfo& file) {
    const std::vector<double> slope = numbers(source, header, {"elementtointensityfunctionslope"}, 1),
                              offset = numbers(source, header, {"elementtointensityfunctionoffset"}, 1);
    const double by = slope.empty() ? 1 : slope[0], more = offset.empty() ? 0 : offset[0];
    if (by != 1 || more != 0)
        file.warnings.push_back(fmt::format("its values stand for {} + {} times what is stored (ElementToIntensityFunctionOffset, "
                                            "ElementToIntensityFunctionSlope): they are read as they are stored",
                                            more, by));
}

StoredArray read_header(const Source& source) {
    File opened = source.open();
    const Header header = read_lines(source, opened);
    StoredArray array;
    FileInfo& file = array.file;
    file.format = "metaimage";
    file.file_bytes = source.bytes;
    const std::string_view object = field(header, {"objecttype"});
    if (!object.empty() && in_lower_case(object) != "image")
        fail(source, fmt::format("is a MetaIO file of a {}, and no image", shortened(object)), "write it as an image");
    const std::optional<std::int64_t> dims = whole_number_of(field(header, {"ndims"}));
    if (!dims || *dims < 1 || *dims > 4)
        fail(source, fmt::format("declares \"{}\" dimensions; 1 to 4 are read", shortened(field(header, {"ndims"}))), again);
    const auto count = static_cast<std::size_t>(*dims);
    const std::string_view type = field(header, {"elementtype"});
    const auto* row =
        std::find_if(std::begin(type_table), std::end(type_table), [&](const TypeRow& r) { return r.name == type; });
    if (row == std::end(type_table))
        fail(source, fmt::format("holds elements of MetaImage's type \"{}\", which cannot be read", shortened(type)),
             "convert it to an integer or float type");
    if (!field(header, {"binarydata"}).empty() && !is_true(field(header, {"binarydata"})))
        fail(source, "holds its elements as text, which is not read", "write it with BinaryData = True");
    const std::int64_t channels = whole_number(source, header, "ElementNumberOfChannels", 1);
    std::vector<std::int64_t> sizes;
    for (const std::string_view word : words_of(field(header, {"dimsize"})))
        sizes.push_back(whole_number(source, "DimSize", word));
    if (sizes.size() != count)
        fail(source, fmt::format("declares {} sizes for {} dimensions in its MetaImage header", sizes.size(), count), again);

    std::vector<ArrayDesc::Extent> extents;
    for (std::size_t i = count; i-- > 0;) extents.push_back({"xyzt"[i], sizes[i]});
    if (channels != 1) extents.push_back({'c', channels});
    array.stored = row->type;
    file.desc = declared(source, row->type, extents);
    // ITK writes colours and vectors alike.
    const bool bytes = row->type == ElementType::u8;
    file.colour = channels == 1            ? Colour::grey
                  : bytes && channels == 3 ? Colour::rgb
                  : bytes && channels == 4 ? Colour::rgb_alpha
                                           : Colour::other;
    file.page_axes = count == 4 ? 1 : 0;
    describe_space(source, header, count, file);
    tell_scale(source, header, file);

    const std::string_view order = field(header, {"elementbyteordermsb", "binarydatabyteordermsb"}),
                           also = field(header, {"binarydatabyteordermsb", "elementbyteordermsb"});
    const bool big = is_true(order);
    if (big != is_true(also))
        fail(source, fmt::format("says of its byte order ElementByteOrderMSB = {} and BinaryDataByteOrderMSB = {}", shortened(order), shortened(also)),
             "one of the two is enough: remove the other");
    array.swap = bytes_of(row->type) > 1 && big != (std::endian::native == std::endian::big);
    if (is_true(field(header, {"compresseddata"}))) array.packing = Packing::zlib;
    array.at = header.attached ? header.bytes : 0;
    if (header.files.size() > most_parts)
        fail(source, fmt::format("names {} files for its elements; up to 4096 are read", header.files.size()), "join them");
    for (const std::string& name : header.files) array.parts.push_back(open_part(source, name));
    if (!header.attached && header.files.empty())
        fail(source, "names no file for its elements",
             "the header is cut off behind ElementDataFile = LIST: write the names below it, or the file again");
    // From the file's beginning, as ITK goes there, also where the elements stand behind the header.
    const std::int64_t head = whole_number(source, header, "HeaderSize", 0);
    if (head == -1 && array.packing == Packing::none) {
        array.at_end = true;
    } else if (head > 0) {
        array.at = static_cast<std::uint64_t>(head);
    } else if (head < 0) {
        fail(source, fmt::format("has a HeaderSize of {} in its MetaImage header, which is not read", head), again);
    }
    if (header.attached && array.at < header.bytes)
        fail(source, fmt::format("has a HeaderSize of {}, inside its own header of {} bytes", head, header.bytes),
             "HeaderSize counts from the beginning of the file: leave it out where the elements follow the header");
    check_stored(source, array);
    file.in_slices = has_slices(file.desc);
    for (const char* const name : {"comment", "modality"}) {
        if (const std::string_view value = field(header, {name}); !value.empty())
            file.metadata.notes[fmt::format("metaimage.{}", name)] = std::string(value);
    }
    file.detail = fmt::format(
        "{}{}-endian, {}", array.packing == Packing::none ? "" : "zlib, ", big ? "big" : "little",
        header.attached ? "attached"
                        : fmt::format("in {} file{} beside it", array.parts.size(), array.parts.size() == 1 ? "" : "s"));
    return array;
}

}   // namespace

bool matches(Head head) {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    for (const std::string_view first : {"ObjectType", "NDims", "Comment", "ObjectSubType"}) {
        if (!text.starts_with(first)) continue;
        const std::string_view behind = trimmed(text.substr(first.size(), 8));
        if (behind.starts_with('=') && text.find("NDims") != std::string_view::npos) return true;
    }
    return false;
}

FileInfo info(const Source& source) { return read_header(source).file; }

HostArray read(const Source& source) { return read_stored(source, read_header(source)); }

SliceStream slices(const Source& source) { return stream_stored(source, read_header(source)); }

std::string refusal(const ArrayDesc& desc, const WriteOptions&) {
    if (is_complex(desc.type)) return "MetaImage holds no complex numbers";
    std::span<const Axis> axes = desc.axes;
    if (!axes.empty() && axes.back().name == 'c') axes = axes.first(axes.size() - 1);
    const auto place = [](const Axis& axis) { return std::string_view("xyzt").find(axis.name); };
    const auto unfit = [&](const Axis& axis) { return place(axis) == std::string_view::npos; };
    const auto turned = [&](const Axis& one, const Axis& next) { return place(one) <= place(next); };
    if (axes.empty() || std::any_of(axes.begin(), axes.end(), unfit) ||
        std::adjacent_find(axes.begin(), axes.end(), turned) != axes.end())
        return fmt::format("MetaImage holds t, z, y, x in this order, and channels behind them; this is {}", desc.describe());
    const double mm = millimetres(desc.unit);
    for (const Axis& axis : axes) {
        if (axis.name != 't' && !(mm > 0) && !desc.unit.empty()) continue;   // no length, and not written
        const double stored = axis.name != 't' && mm > 0 ? scaled(axis.spacing, mm) : axis.spacing;
        if (std::string problem = refusal_of_distance("MetaImage", axis, stored, false); !problem.empty()) return problem;
    }
    return {};
}

void write(const std::filesystem::path& path, const std::string&, const HostArray& array, const WriteOptions&) {
    const ArrayDesc& desc = array.desc;
    const ElementType type = desc.type == ElementType::boolean ? ElementType::u8 : desc.type;
    const std::string_view name =
        std::find_if(std::begin(type_table), std::end(type_table), [&](const TypeRow& r) { return r.type == type; })->name;
    // Lengths are in mm, whatever unit they came in: no reader of it asks for another. What is no length (cycles of a transform)
    // is no distance.
    const double mm = millimetres(desc.unit), unit = mm > 0 ? mm : 1;
    const bool length = desc.unit.empty() || mm > 0;
    std::optional<Space> space = space_of(array.desc, array.metadata);
    if (space && !agrees(*space, desc)) space.reset();
    const std::vector<Axis> axes = volume_axes(desc, space);
    const std::size_t n = axes.size();
    std::vector<std::string> sizes, spacing, offset, matrix;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t place = std::string_view("xyz").find(axes[i].name);
        const bool spatial = place != std::string_view::npos;
        sizes.push_back(fmt::format("{}", axes[i].size));
        const double other = axes[i].spacing > 0 ? axes[i].spacing : 1;   // of t that says none
        spacing.push_back(fmt::format("{}", !spatial ? other : length ? scaled(axes[i].spacing, unit) : 1.0));
        offset.push_back(fmt::format("{}", space && spatial && i < 3 ? scaled(space->origin[i], unit) : 0.0));
        const double step = space && spatial ? length_of(space->steps[place]) : 0;
        for (std::size_t j = 0; j < n; ++j) {
            const double part = step > 0 && j < 3 ? space->steps[place][j] / step : i == j ? 1 : 0;
            matrix.push_back(fmt::format("{}", part));
        }
    }
    std::string text = fmt::format(
        "ObjectType = Image\nNDims = {}\nBinaryData = True\nBinaryDataByteOrderMSB = {}\nCompressedData = False\n", n,
        std::endian::native == std::endian::big ? "True" : "False");
    // Of an array that says no distances none are said: a 1 would be a millimetre.
    const bool measured = (length && !desc.unit.empty()) || space ||
                          std::any_of(axes.begin(), axes.end(), [&](const Axis& a) {
                              return a.spacing != 1 && a.spacing > 0 && (length || std::string_view("xyz").find(a.name) == std::string_view::npos);
                          });
    if (space)   // of others no place is known, and none is said
        text += fmt::format("TransformMatrix = {}\nOffset = {}\n", fmt::join(matrix, " "), fmt::join(offset, " "));
    if (measured) text += fmt::format("ElementSpacing = {}\n", fmt::join(spacing, " "));
    text += fmt::format("DimSize = {}\n", fmt::join(sizes, " "));
    if (desc.find('c')) text += fmt::format("ElementNumberOfChannels = {}\n", desc.size('c'));
    text += fmt::format("ElementType = {}\nElementDataFile = LOCAL\n", name);
    File out = File::create(path);
    out.write(text.data(), text.size());
    out.write(array.data(), desc.dense_bytes());
    out.close();
}

}   // namespace parallax::io::metaimage
