// NRRD, versions 1 to 5: lines of text up to an empty one, then the elements, or the names of the files that hold them
// (teem.sourceforge.net/nrrd/format.html). Read: raw and gzip. Space is told towards left, posterior and superior, as ITK does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "io/decimal.hpp"
#include "io/file.hpp"
#include "io/space.hpp"
#include "io/stored.hpp"
#include "io/text_header.hpp"
#include "io/units.hpp"
#include "io/window.hpp"

namespace parallax::io::nrrd {
namespace {

constexpr std::size_t most_header = 1 << 20;
constexpr std::size_t most_axes = 16;   ///< NRRD's own
constexpr const char* again = "the header is damaged: write the file again";
constexpr const char* once = "each key stands there once: remove one of the two lines";

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

struct Header {
    Fields fields;
    std::vector<std::string> files;   ///< the lines below "data file: LIST"
    std::uint64_t bytes = 0;          ///< up to the elements
    bool attached = true;
};

/// Field names without blanks, in lower case: "data file" and "datafile" are the same.
std::string field_name(std::string_view text) {
    std::string name = in_lower_case(trimmed(text));
    std::erase(name, ' ');
    return name;
}

Header read_lines(const Source& source, File& file) {
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(source.bytes, most_header)), '\0');
    text.resize(file.read_some(text.data(), text.size()));
    Header header;
    bool listing = false, ended = false;
    for (std::size_t at = 0, number = 0; at < text.size(); ++number) {
        const std::size_t end = text.find('\n', at);
        if (end == std::string::npos && text.size() == most_header)
            fail(source, fmt::format("has an NRRD header of more than {} bytes", most_header), again);
        std::string_view line = std::string_view(text).substr(at, end == std::string::npos ? end : end - at);
        at = end == std::string::npos ? text.size() : end + 1;
        header.bytes = at;
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (number == 0 || line.starts_with('#')) continue;
        if (listing) {
            if (!trimmed(line).empty()) header.files.emplace_back(trimmed(line));
            continue;
        }
        if (line.empty()) {
            ended = true;
            break;
        }
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos)
            fail(source, fmt::format("has the line \"{}\" in its NRRD header", shortened(line)), again);
        if (line.substr(colon).starts_with(":=")) continue;   // a key and a value of the writer's own
        const std::string name = field_name(line.substr(0, colon));
        const std::string_view value = trimmed(line.substr(colon + 1));
        if (const std::string problem = problem_of_adding(header.fields, name, value, "NRRD"); !problem.empty())
            fail(source, problem, once);
        listing = name == "datafile" && value.starts_with("LIST");
    }
    if (!ended && !header.fields.contains("datafile")) fail(source, "ends inside its NRRD header", again);
    if (const auto data = header.fields.find("datafile"); data != header.fields.end()) {
        header.attached = false;
        if (!listing) {
            const bool pattern = words_of(data->second).size() > 2 && data->second.find('%') != std::string::npos;
            header.files = pattern ? names_by_pattern(source, data->second) : std::vector<std::string>{data->second};
        }
    }
    return header;
}

std::string_view field(const Header& header, std::string_view name) {
    const auto found = header.fields.find(name);
    return found == header.fields.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view needed(const Source& source, const Header& header, std::string_view name) {
    const std::string_view value = field(header, name);
    if (value.empty()) fail(source, fmt::format("has no field \"{}\" in its NRRD header", name), again);
    return value;
}

/// Texts in quotes, as units and labels are: "mm" "mm" "".
std::vector<std::string> quoted(std::string_view text) {
    std::vector<std::string> all;
    for (std::size_t open = text.find('"'); open != std::string_view::npos;) {
        const std::size_t close = text.find('"', open + 1);
        if (close == std::string_view::npos) break;
        all.emplace_back(text.substr(open + 1, close - open - 1));
        open = text.find('"', close + 1);
    }
    return all;
}

/// Of a field that holds whole numbers. What is none is an error: readers that took a part of it would find other elements.
std::int64_t whole_number(const Source& source, std::string_view name, std::string_view word) {
    const std::optional<std::int64_t> value = integer_of(word);
    if (!value)
        fail(source,
             fmt::format("has \"{}\" in the field \"{}\" of its NRRD header, where a whole number should be", shortened(word),
                         name),
             again);
    return *value;
}

/// One number for each axis; NaN: none.
std::vector<double> numbers(const Source& source, const Header& header, std::string_view name, std::size_t axes) {
    const std::string_view text = field(header, name);
    std::vector<double> all;
    for (const std::string_view word : words_of(text)) {
        const std::optional<double> value = number_of(word);
        if (!value)
            fail(
                source,
                fmt::format("has \"{}\" in the field \"{}\" of its NRRD header, where a number should be", shortened(word), name),
                again);
        all.push_back(*value);
    }
    if (!text.empty() && all.size() != axes)
        fail(source, fmt::format("its NRRD field \"{}\" has {} values for {} axes", name, all.size(), axes), again);
    return all;
}

/// "(1,0,0)", "none": empty for none.
std::optional<std::vector<double>> vector_from(std::string_view word) {
    std::vector<double> parts;
    if (!word.starts_with('(') || !word.ends_with(')')) return std::nullopt;
    word = word.substr(1, word.size() - 2);
    while (true) {
        const std::size_t comma = std::min(word.find(','), word.size());
        const std::optional<double> part = number_of(word.substr(0, comma));
        if (!part || !std::isfinite(*part)) return std::nullopt;
        parts.push_back(*part);
        if (comma == word.size()) return parts;
        word.remove_prefix(comma + 1);
    }
}

/// Vectors may have blanks behind their commas.
std::vector<std::string> vectors_of(std::string_view text) {
    std::vector<std::string> all;
    std::string now;
    bool inside = false;
    for (const char c : text) {
        inside = c == '(' || (inside && c != ')');
        if (c == ' ' || c == '\t') {
            if (!inside && !now.empty()) all.push_back(std::exchange(now, {}));
            continue;
        }
        now += c;
    }
    if (!now.empty()) all.push_back(now);
    return all;
}

bool is_space(std::string_view kind) { return kind == "space" || kind == "domain"; }

/// How many of x, y and z a named space has, and by which factors its axes go left, posterior and superior. 0: not a known one.
struct NamedSpace {
    std::string_view names[2];
    Vector3 signs;
    bool time;
};
constexpr NamedSpace spaces[] = {
    {{"right-anterior-superior", "ras"}, {-1, -1, 1}, false},    {{"left-anterior-superior", "las"}, {1, -1, 1}, false},
    {{"left-posterior-superior", "lps"}, {1, 1, 1}, false},      {{"right-anterior-superior-time", "rast"}, {-1, -1, 1}, true},
    {{"left-anterior-superior-time", "last"}, {1, -1, 1}, true}, {{"left-posterior-superior-time", "lpst"}, {1, 1, 1}, true},
};

struct Read {
    StoredArray array;
    std::string encoding;
};

/// Axes of the file, the fastest first, by our names.
struct FileAxes {
    std::vector<char> names;
    std::vector<std::int64_t> sizes;
    std::vector<double> spacing;   ///< NaN: not said
};

/// Of labels that are our names, each once, as Parallax writes them; none of others. Parts of complex numbers have no name.
std::optional<std::vector<char>> names_by_labels(const std::vector<std::string>& labels, bool pairs, std::size_t count) {
    if (labels.size() != count) return std::nullopt;
    std::vector<char> names(pairs ? 1 : 0, '\0');
    for (std::size_t i = names.size(); i < count; ++i) {
        const char name = labels[i].size() == 1 ? labels[i].front() : '?';
        if (std::string_view("xyztcn").find(name) == std::string_view::npos) return std::nullopt;
        if (std::count(names.begin(), names.end(), name) > 0) return std::nullopt;
        names.push_back(name);
    }
    return names;
}

/// What each axis is by its label, else by its kind, else by its place: a list of numbers a voxel comes first or last, and has no
/// direction. `pairs`: the first holds the two parts of complex numbers, and has no name.
std::vector<char> name_axes(const Source& source, const Header& header, std::size_t count,
                            const std::vector<std::string>& directions, bool pairs) {
    const std::vector<std::string_view> kinds = words_of(field(header, "kinds"));
    if (!kinds.empty() && kinds.size() != count)
        fail(source, fmt::format("has {} kinds for {} axes in its NRRD header", kinds.size(), count), again);
    if (const auto named = names_by_labels(quoted(field(header, "labels")), pairs, count)) return *named;
    std::string_view free = "xyzt";
    std::vector<char> names(count, 'n');
    if (pairs) names[0] = '\0';
    for (std::size_t i = pairs ? 1 : 0; i < count; ++i) {
        const std::string kind = kinds.empty() ? std::string() : in_lower_case(kinds[i]);
        const bool undirected = !directions.empty() && directions[i] == "none";
        if (kind == "time") {
            names[i] = 't';
        } else if ((kind.empty() || kind == "???" || kind == "none") ? !undirected : is_space(kind)) {
            if (free.empty()) continue;
            names[i] = free.front();
            free.remove_prefix(1);
        } else if (std::count(names.begin(), names.end(), 'c') == 0) {
            names[i] = 'c';
        }
    }
    for (const char name : {'t', 'n'}) {
        if (std::count(names.begin(), names.end(), name) > 1)
            fail(source,
                 fmt::format("has {} axes of which Parallax knows no more than {}", count, name == 't' ? "one time" : "one"),
                 "write it with fewer axes");
    }
    return names;
}

/// Distances are told in one unit, that of x; where axes have others of their own, how many of it one of theirs is.
struct Units {
    std::string said, ours;                  ///< of x; ours is empty where it is none that is known
    double factor = 1;                       ///< of ours in one of those said
    std::vector<double> of_axes{};           ///< in one of those said; 1 where nothing else is
    std::array<double, 3> of_space{1, 1, 1};   ///< likewise, along the three directions of the space
    double seconds = 1;                      ///< of the unit of time; 0: it is none that is known
    bool in_time = false;                    ///< a unit of time is said
};

Units units_of(const Header& header, const std::vector<char>& names, std::vector<Warning>& warnings) {
    const std::vector<std::string> of_space = quoted(field(header, "spaceunits"));
    std::vector<std::string> of_axes = quoted(field(header, "units"));
    if (of_axes.size() != names.size()) of_axes.assign(names.size(), {});
    Units units;
    if (!of_space.empty()) units.said = of_space.front();
    std::string time = of_space.size() > 3 ? of_space[3] : std::string();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == 'x' && units.said.empty()) units.said = of_axes[i];
        if (names[i] == 't' && !of_axes[i].empty()) time = of_axes[i];
    }
    const auto [ours, factor] = unit_from(units.said);
    if (!units.said.empty() && ours.empty())
        warnings.push_back(fmt::format("its unit of length is \"{}\", which is none that is known: it is left out", units.said));
    units.ours = ours;
    if (!ours.empty()) units.factor = factor;
    const auto ratio = [&](const std::string& own) {
        if (own.empty() || own == units.said) return 1.0;
        const auto [theirs, more] = unit_from(own);
        if (!theirs.empty() && !units.ours.empty())
            return as_decimal(more * millimetres(theirs) / (units.factor * millimetres(units.ours)));
        const std::string warning = fmt::format(
            "its axes are in the units \"{}\" and \"{}\", of which one is none that is known: numbers of the second are taken as "
            "they "
            "stand",
            units.said, own);
        if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
        return 1.0;
    };
    for (std::size_t j = 0; j < std::min<std::size_t>(3, of_space.size()); ++j) units.of_space[j] = ratio(of_space[j]);
    for (std::size_t i = 0; i < names.size(); ++i)
        units.of_axes.push_back(std::string_view("xyz").find(names[i]) == std::string_view::npos ? 1 : ratio(of_axes[i]));
    units.seconds = seconds_of(time);
    units.in_time = !time.empty();
    if (!(units.seconds > 0) && std::count(names.begin(), names.end(), 't') > 0)
        warnings.push_back(fmt::format("its unit of time is \"{}\", which is none that is known: times are left out", time));
    return units;
}

void describe_space(const Source& source, const Header& header, const std::vector<std::string>& directions, FileAxes& axes,
                    FileInfo& file) {
    const std::size_t count = axes.names.size();
    const std::string named = in_lower_case(field(header, "space"));
    const auto* known = std::find_if(std::begin(spaces), std::end(spaces),
                                     [&](const NamedSpace& s) { return s.names[0] == named || s.names[1] == named; });
    const bool anatomical = known != std::end(spaces);
    const Units units = units_of(header, axes.names, file.warnings);
    file.desc.unit = !units.ours.empty() ? units.ours : anatomical && units.said.empty() ? "mm" : "";
    const double scale = units.factor;

    axes.spacing = numbers(source, header, "spacings", count);
    if (axes.spacing.empty()) axes.spacing.assign(count, NAN);
    const std::vector<double> starts = numbers(source, header, "axismins", count),
                              ends = numbers(source, header, "axismaxs", count);
    const std::vector<std::string_view> centres = words_of(
        field(header, "centers").empty() ? field(header, "centerings") : field(header, "centers"));
    Space space;
    std::array<bool, 3> there{};
    std::size_t parts = 0, dimension = 0;   // the space's, by its vectors
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = std::string_view("xyz").find(axes.names[i]);
        const bool of_time = axes.names[i] == 't';
        double ratio = of_time ? 1 : units.of_axes[i];
        std::optional<std::vector<double>> step;
        if (!directions.empty() && directions[i] != "none") {
            step = vector_from(directions[i]);
            if (!step)
                fail(source, fmt::format("has the space direction \"{}\" in its NRRD header", shortened(directions[i])), again);
            ratio = 1;   // the space has units of its own
            dimension = step->size();
            for (std::size_t j = 0; j < std::min<std::size_t>(3, step->size()); ++j)
                if (units.of_space[j] != 1) (*step)[j] *= units.of_space[j];
            double squares = 0, along = 0;
            for (const double part : *step) squares += part * part, along += std::abs(part);
            const bool along_one = std::count(step->begin(), step->end(), 0.0) + 1 >= static_cast<std::ptrdiff_t>(step->size());
            axes.spacing[i] = along_one ? along : as_decimal(std::sqrt(squares));
            if (along == 0) axes.spacing[i] = NAN;   // nowhere: no distance
        }
        // From end to end an axis has as many steps as cells, and one less than nodes; cells where nothing is said, as in Teem.
        const bool nodes = centres.size() == count && in_lower_case(centres[i]) == "node";
        const std::int64_t steps = axes.sizes[i] - (nodes ? 1 : 0);
        if (!step && !std::isfinite(axes.spacing[i]) && starts.size() == count && ends.size() == count && steps > 0)
            axes.spacing[i] = as_decimal((ends[i] - starts[i]) / static_cast<double>(steps));
        // A 1 without a unit is what programs write that know of no time.
        if (of_time && (!(units.seconds > 0) || (!units.in_time && axes.spacing[i] == 1))) axes.spacing[i] = NAN;
        if (std::isfinite(axes.spacing[i]) && axes.spacing[i] != 0)
            axes.spacing[i] = scaled(std::abs(axes.spacing[i]), of_time ? units.seconds : scaled(scale, ratio));
        if (place == std::string_view::npos) continue;
        if (step && (step->size() == 2 || step->size() == 3 || (step->size() == 4 && ((known != std::end(spaces) && known->time) || step->back() == 0)))) {
            step->resize(3);
            std::copy(step->begin(), step->end(), space.steps[place].begin());
            // Of an axis of one index that goes nowhere only across the others can be meant.
            there[place] = length_of(space.steps[place]) > 0 || axes.sizes[i] > 1;
            parts = 3;
        } else if (starts.size() == count && std::isfinite(starts[i])) {
            // Towards lower numbers where it ends at one.
            const double way = ends.size() == count && ends[i] < starts[i] ? -1 : 1;
            space.steps[place][place] = way * (std::isfinite(axes.spacing[i]) ? axes.spacing[i] / scale : 1);
            space.origin[place] = starts[i] * ratio + (nodes ? 0 : space.steps[place][place] / 2);
            there[place] = true;
        }
    }
    const bool unlike_one =
        std::any_of(axes.spacing.begin(), axes.spacing.end(), [](double s) { return std::isfinite(s) && s != 1; });
    if (file.desc.unit.empty() && units.said.empty() && unlike_one)
        file.warnings.push_back(
            {"its distances are of a unit that it does not name, most often mm: \"spacing_mm\" of the input states it",
             Concern::spacing});
    const auto is_length = [&](std::size_t i) { return std::string_view("xyz").find(axes.names[i]) != std::string_view::npos; };
    std::size_t said = 0;
    for (std::size_t i = 0; i < count; ++i) said += is_length(i) && std::isfinite(axes.spacing[i]) ? 1 : 0;
    for (std::size_t i = 0; i < count && said > 0; ++i) {
        if (is_length(i) && !std::isfinite(axes.spacing[i]) && axes.sizes[i] > 1)
            file.warnings.push_back(without_spacing("its header", axes.names[i], file.desc.unit));
    }
    const std::string origin(field(header, "spaceorigin"));
    if (!there[0]) {   // nothing but distances
        if (dimension > 0 || !origin.empty())
            file.warnings.push_back("its space directions do not say how x, y and z go: they are left out, and so is where its voxels lie");
        return;
    }
    if (parts == 3) {
        const std::vector<std::string> words = vectors_of(origin);
        const std::optional<std::vector<double>> at = words.empty() ? std::nullopt : vector_from(words.front());
        if (!words.empty() && !at) {
            fail(source, fmt::format("has the space origin \"{}\" in its NRRD header, which is no place", shortened(origin)),
                 "(x,y,z) are three numbers: write the file again");
        } else if (at && at->size() != dimension) {
            fail(source, fmt::format("has the space origin \"{}\" in its NRRD header, of {} numbers in a space of {}", shortened(origin),
                                     at->size(), dimension),
                 again);
        } else if (at) {
            for (std::size_t i = 0; i < std::min<std::size_t>(3, at->size()); ++i) space.origin[i] = (*at)[i] * units.of_space[i];
        }
    }
    for (std::size_t i = 1; i < 3; ++i) {
        if (there[i]) continue;
        space.steps[i] = i == 2 ? across(space.steps[0], space.steps[1], 1) : Vector3{0, 1, 0};
    }
    // One direction alone may be any; two have a third across.
    if (there[1] || there[2] ? !spans(space) : !(length_of(space.steps[0]) > 0)) {
        file.warnings.push_back(
            "its space directions have the determinant 0, and go along fewer than its axes: they are left out, and so is where "
            "its "
            "voxels lie");
        return;
    }
    const Vector3 signs = anatomical ? known->signs : Vector3{1, 1, 1};
    for (std::size_t i = 0; i < 3; ++i) {
        space.origin[i] *= signs[i];
        for (Vector3& step : space.steps) step[i] *= signs[i];
    }
    if (!anatomical) {
        file.warnings.push_back(
            fmt::format("it names {} for its space: its axes are taken to go left, posterior and superior, as ITK takes them",
                        named.empty() ? "no sides of a body" : "\"" + named + "\""));
    }
    const double in_mm = file.desc.unit.empty() ? 1 : millimetres(file.desc.unit) * scale;
    file.metadata.affine = affine_of(space, in_mm);
}

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
        fail(source, fmt::format("declares \"{}\" dimensions; NRRD has 1 to {}", field(header, "dimension"), most_axes), again);
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
    axes.names = name_axes(source, header, count, directions, pairs);
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
        fail(source, fmt::format("has the byte order \"{}\" in its NRRD header", endian), again);
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
