#include "io/tiff_describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "io/decimal.hpp"
#include "io/units.hpp"

namespace parallax::io::tiff {
namespace {

using Extents = std::vector<ArrayDesc::Extent>;

template <class T>
T number_from(std::string_view text, T otherwise) {
    T value = otherwise;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() ? value : otherwise;
}

void add(Extents& axes, char name, std::int64_t size) {
    if (size > 1) axes.push_back({name, size});
}

std::int64_t product(const Extents& axes) {
    std::int64_t count = 1;
    for (const auto& axis : axes) count = times(count, axis.size);
    return count;
}

/// The two lists that matter of tifffile's JSON, whatever else it holds: nothing else is kept, and what lies deeper ends the
/// reading.
class TifffileReader : public nlohmann::json_sax<Json> {
public:
    std::vector<std::int64_t> shape;
    std::string axes;
    bool has_shape = false, sound = true;   ///< sound: of whole numbers from 1 on

    bool null() override { return other(); }
    bool boolean(bool) override { return other(); }
    bool number_integer(number_integer_t) override { return other(); }   // a negative one
    bool number_unsigned(number_unsigned_t value) override {
        if (!in_shape()) return true;
        sound = sound && value >= 1 && value <= static_cast<number_unsigned_t>(INT64_MAX);
        shape.push_back(static_cast<std::int64_t>(value));
        return sound && shape.size() <= most;
    }
    bool number_float(number_float_t, const string_t&) override { return other(); }
    bool string(string_t& value) override {
        if (depth_ == 1 && key_ == "axes") axes = value;
        return other();
    }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return deeper(); }
    bool key(string_t& name) override {
        if (depth_ == 1) key_ = name.size() <= most ? name : string_t();
        return true;
    }
    bool end_object() override { return --depth_, true; }
    bool start_array(std::size_t) override {
        if (depth_ == 1 && key_ == "shape") has_shape = true, shape.clear();
        return deeper();
    }
    bool end_array() override { return --depth_, true; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
    static constexpr std::size_t most = 64;

    bool in_shape() const { return has_shape && depth_ == 2 && key_ == "shape"; }
    bool other() { return sound = sound && !in_shape(); }
    bool deeper() {
        if (in_shape()) sound = false;
        return sound && ++depth_ <= most;
    }

    std::size_t depth_ = 0;
    string_t key_;
};

/// How many seconds one of these is, as ImageJ and those who write for it name them; 0: not known.
double seconds_of(std::string_view unit) {
    constexpr std::pair<std::string_view, double> units[] = {
        {"", 1},          {"s", 1},      {"sec", 1},       {"second", 1},     {"seconds", 1},      {"ms", 1e-3},
        {"msec", 1e-3},   {"us", 1e-6},  {"usec", 1e-6},   {"\xc2\xb5s", 1e-6}, {"\\u00B5s", 1e-6}, {"ns", 1e-9},
        {"min", 60},      {"minute", 60}, {"minutes", 60},  {"h", 3600},       {"hour", 3600},      {"hours", 3600},
        {"d", 86400},     {"day", 86400}, {"days", 86400},  {"millisecond", 1e-3}, {"milliseconds", 1e-3}, {"hr", 3600}};
    for (const auto& [name, seconds] : units)
        if (unit == name) return seconds;
    return 0;
}

/// "images=78\nslices=13\nunit=micron\n"; of a hyperstack channels go fastest, then slices, then frames.
Description describe_imagej(std::string_view text, const PageShape& page) {
    Description d;
    d.by = "ImageJ";
    d.imagej = true;
    std::int64_t channels = 1, slices = 1, frames = 1;
    double spacing = 1;   // it writes none of one unit
    std::string unit, unit_of_y, unit_of_z, unit_of_time, function;
    std::array<std::string, 2> coefficients;
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
        else if (key == "spacing") spacing = std::abs(number_from(value, 0.0));
        else if (key == "finterval") d.t = number_from(value, 0.0);
        else if (key == "unit") unit = value;
        else if (key == "yunit") unit_of_y = value;
        else if (key == "zunit") unit_of_z = value;
        else if (key == "tunit") unit_of_time = value;
        else if (key == "cf")
            function = value;
        else if (key == "c0")
            coefficients[0] = value;
        else if (key == "c1")
            coefficients[1] = value;
    }
    // ImageJ's function 0 is a straight line; so has it signed numbers of 16 bits, whose offset is undone as it does itself.
    const double offset = number_from(coefficients[0], 0.0), slope = number_from(coefficients[1], 1.0);
    d.signed_by_offset = page.u16 && function == "0" && offset == -32768 && slope == 1;
    if (!d.signed_by_offset && function == "0" && (offset != 0 || slope != 1))
        d.warnings.push_back(
            fmt::format("ImageJ shows its values as {} + {} times what is stored: they are read as they are stored",
                        offset, slope));
    else if (!function.empty() && function != "0")
        d.warnings.push_back("ImageJ shows its values through a calibration of its own: they are read as they are stored");
    if (const double seconds = seconds_of(unit_of_time); seconds > 0) {
        d.t = scaled(d.t, seconds);
    } else if (d.t != 0) {
        d.warnings.push_back(fmt::format("its unit of time is \"{}\", which is none that is known: times are left out", unit_of_time));
        d.t = 0;
    }
    add(d.axes, 't', frames);
    add(d.axes, 'z', slices);
    add(d.axes, 'c', channels);
    if (unit.empty() || unit == "pixel" || unit == "pixels") {
        d.z = spacing;
        return d;
    }
    const auto ours_is = unit_from(unit);   // by its own names below: clang 14 and 15 take no structured binding into a lambda
    const std::string& ours = ours_is.first;
    const double factor = ours_is.second;
    if (ours.empty()) {
        d.warnings.push_back(
            fmt::format("its unit of length is \"{}\", which is none that is known: distances are left out", unit));
        return d;
    }
    d.unit = ours;
    // In our unit: y and z may have ones of their own.
    const auto factor_of = [&](const std::string& own, const char* axis) {
        if (own.empty() || own == unit) return factor;
        const auto [theirs, more] = unit_from(own);
        if (theirs.empty() || !(millimetres(theirs) > 0) || !(millimetres(ours) > 0)) {
            d.warnings.push_back(
                fmt::format("its unit of length along {} is \"{}\", which is none that is known: {} is taken", axis, own, unit));
            return factor;
        }
        return as_decimal(more * millimetres(theirs) / millimetres(ours));
    };
    d.x = factor;   // what a pixel's resolution is to be divided into
    d.y = factor_of(unit_of_y, "y");
    d.z = scaled(spacing, factor_of(unit_of_z, "z"));
    return d;
}

/// {"shape": [13, 34, 49], "axes": "ZYX"}
Description describe_tifffile(std::string_view text, const PageShape& page) {
    Description d;
    TifffileReader read;
    const bool whole = Json::sax_parse(text, &read);
    if (!read.sound) return {};
    if (!whole || !read.has_shape) return d;
    d.by = "tifffile";
    const std::string& letters = read.axes;
    const std::vector<std::int64_t>& shape = read.shape;
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
        d.images = times(d.images, shape[i]);
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
        if (quote != '"' && quote != '\'') continue;
        const std::size_t end = tag.find(quote, equals + 2);
        if (end != std::string_view::npos) return tag.substr(equals + 2, end - equals - 2);
    }
    return {};
}

/// The next tag of a name, with or without a prefix ("<ome:Pixels ..."); its text without the brackets, empty: none. `from` moves
/// behind it.
std::string_view next_tag(std::string_view text, std::string_view name, std::size_t& from) {
    for (std::size_t open = text.find('<', from); open != std::string_view::npos; open = text.find('<', open + 1)) {
        // Inside a tag there is no other: so each byte is looked at once.
        const std::size_t end = text.find_first_of("<>", open + 1);
        if (end == std::string_view::npos) break;
        if (text[end] == '<') continue;
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
    return scaled(value, ours == unit ? factor : factor * from / to);
}

/// The text of an attribute, its entities replaced.
std::string plain(std::string_view text) {
    constexpr std::pair<std::string_view, char> entities[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    std::string out;
    while (!text.empty()) {
        const auto* const entity =
            std::find_if(std::begin(entities), std::end(entities), [&](const auto& e) { return text.starts_with(e.first); });
        const bool one = entity == std::end(entities);
        out += one ? text.front() : entity->second;
        text.remove_prefix(one ? 1 : entity->first.size());
    }
    return out;
}

/// Of all channels of an image; none where one has no name.
std::vector<std::string> channel_names(std::string_view text) {
    constexpr std::size_t most = 4096;
    std::vector<std::string> names;
    for (std::size_t at = 0; names.size() < most;) {
        const std::string_view tag = next_tag(text, "Channel", at);
        if (tag.empty()) return names;
        const std::string_view name = attribute(tag, "Name");
        if (name.empty()) return {};
        names.push_back(plain(name));
    }
    return {};
}

/// Which plane is the first of a run, the first axis of the order fastest; -1: one beyond the sizes.
std::int64_t first_plane(std::string_view block, std::string_view order, const std::array<std::int64_t, 3>& sizes) {
    std::int64_t plane = 0, stride = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t at = number_from(attribute(block, fmt::format("First{}", order[i])), std::int64_t{0});
        if (at < 0 || at >= sizes[i]) return -1;
        const std::int64_t further = times(at, stride);
        if (further >= INT64_MAX - plane) return -1;   // more than there can be
        plane += further;
        stride = times(stride, sizes[i]);
    }
    return plane;
}

/// Which pages have which planes. By OME's schema a run begins at page 0 and takes all planes that are left; where it states a
/// page, it takes one.
void place_planes(Description& d, std::string_view text, std::string_view order, const std::array<std::int64_t, 3>& sizes) {
    constexpr std::int64_t nowhere = -1, not_said = 0;
    constexpr std::int64_t most_pages = std::int64_t{1} << 40;
    std::vector<PlaneRun> runs;
    std::set<std::int64_t> begins;   // of the runs, in planes
    std::size_t without_page = 0;
    std::vector<bool> has_page;
    for (std::size_t from = 0;;) {
        const std::string_view block = next_tag(text, "TiffData", from);
        if (block.empty()) break;
        const std::string_view page = attribute(block, "IFD");
        PlaneRun run;
        run.page = std::clamp<std::int64_t>(number_from(page, std::int64_t{0}), nowhere, most_pages);
        run.plane = first_plane(block, order, sizes);
        run.count = std::max(not_said, number_from(attribute(block, "PlaneCount"), not_said));
        begins.insert(run.plane);
        without_page += page.empty();
        has_page.push_back(!page.empty());
        runs.push_back(run);
    }
    std::int64_t next = 0;      // the page behind the run before
    std::int64_t covered = 0;   // planes that stand one behind the other
    bool in_order = true;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        PlaneRun& run = runs[i];
        // Of several runs without a page each would begin at page 0: such files mean the pages that follow.
        if (!has_page[i] && without_page > 1) run.page = next;
        const bool in_line = run.plane == covered && run.page == covered;
        if (run.count == not_said) {
            // Of an image alone, planes in order that end early go on: programs write the first of them, and no number.
            const bool last = i + 1 == runs.size() && in_order && in_line && d.series == 1;
            const auto other = begins.upper_bound(run.plane);
            const bool one = run.plane < 0 || (has_page[i] && !last);
            run.count = one ? 1 : (other == begins.end() ? d.images : *other) - run.plane;
        }
        in_order = in_order && in_line;
        covered = run.count > d.images - covered ? d.images : covered + run.count;
        next = run.count > most_pages - run.page ? most_pages : run.page + run.count;
        d.first = i == 0 ? run.page : std::min(d.first, run.page);
    }
    d.in_order = in_order && covered == d.images;
    d.planes = std::move(runs);
}

Description describe_ome(std::string_view text, std::int64_t channels, std::int64_t series) {
    Description d;
    d.by = "OME-XML";
    // Where each image's tag ends, and the next one's begins.
    std::vector<std::string_view> images;
    std::vector<std::size_t> ends;
    for (std::size_t at = 0;;) {
        const std::string_view tag = next_tag(text, "Pixels", at);
        if (tag.empty()) break;
        images.push_back(tag);
        ends.push_back(at);
    }
    d.series = static_cast<std::int64_t>(images.size());
    std::size_t anywhere = 0;
    if (const std::string_view elsewhere = next_tag(text, "BinaryOnly", anywhere); images.empty() && !elsewhere.empty())
        d.warnings.push_back(
            fmt::format("its OME-XML stands in another file, {}, which is not read: its axes and distances are not known",
                        plain(attribute(elsewhere, "MetadataFile"))));
    if (series >= d.series) return d;
    const auto which = static_cast<std::size_t>(series);
    const std::string_view pixels = images[which];
    const std::size_t behind = ends[which];
    if (which + 1 < images.size()) text = text.substr(0, static_cast<std::size_t>(images[which + 1].data() - text.data()) - 1);
    const std::string_view order = attribute(pixels, "DimensionOrder");
    if (order.size() != 5 || !order.starts_with("XY") || order.substr(2).find_first_not_of("ZCT") != std::string_view::npos) {
        d.warnings.push_back(fmt::format("its OME-XML gives the order of axes as \"{}\", which is not followed", order));
        return d;
    }
    std::array<std::int64_t, 3> sizes{};   // of the pages, the first axis of the order fastest
    for (std::size_t i = 0; i < 3; ++i) {
        const std::string_view size = attribute(pixels, fmt::format("Size{}", order[i + 2]));
        sizes[i] = std::max<std::int64_t>(1, number_from(size, std::int64_t{1}));
        if (order[i + 2] == 'C' && channels > 1) sizes[i] = std::max<std::int64_t>(1, sizes[i] / channels);
    }
    for (std::size_t i = 3; i-- > 0;) add(d.axes, order[i + 2] == 'Z' ? 'z' : order[i + 2] == 'C' ? 'c' : 't', sizes[i]);
    d.images = product(d.axes);
    for (std::size_t from = behind;;) {
        const std::string_view uuid = next_tag(text, "UUID", from);
        if (uuid.empty()) break;
        const std::string name = plain(attribute(uuid, "FileName"));
        if (d.files.empty() || (d.files.size() < 2 && d.files.front() != name)) d.files.push_back(name);
    }
    place_planes(d, text.substr(behind), order.substr(2), sizes);
    d.x = length_of(pixels, "PhysicalSizeX", d.unit, d.warnings);
    d.y = length_of(pixels, "PhysicalSizeY", d.unit, d.warnings);
    d.z = length_of(pixels, "PhysicalSizeZ", d.unit, d.warnings);
    if (const double increment = number_from(attribute(pixels, "TimeIncrement"), 0.0); increment > 0) {
        const std::string_view unit = attribute(pixels, "TimeIncrementUnit");
        d.t = scaled(increment, seconds_of(unit));
        if (!(seconds_of(unit) > 0))
            d.warnings.push_back(fmt::format("its TimeIncrement is in \"{}\", a unit that is not known: it is left out", unit));
    }
    d.channels = channel_names(text.substr(behind));
    return d;
}

}  // namespace

std::int64_t times(std::int64_t a, std::int64_t b) noexcept { return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b; }

Description describe(std::string_view text, const PageShape& page, std::int64_t series) {
    if (text.starts_with("ImageJ=")) return describe_imagej(text, page);
    if (text.starts_with("{")) return describe_tifffile(text, page);
    if (text.find("<OME") != std::string_view::npos || text.find(":OME") != std::string_view::npos)
        return describe_ome(text, page.channels, series);
    return {};
}

}  // namespace parallax::io::tiff
