#include "io/tiff_describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/decimal.hpp"
#include "io/ome_read.hpp"
#include "io/text_header.hpp"
#include "io/units.hpp"

namespace parallax::io::tiff {
namespace {

using Extents = std::vector<ArrayDesc::Extent>;

void add(Extents& axes, char name, std::int64_t size) {
    if (size > 1) axes.push_back({name, size});
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

/// Once, however often what begins so is to be told.
void tell(std::vector<std::string>& warnings, const std::string& beginning, const std::string& rest) {
    if (std::none_of(warnings.begin(), warnings.end(), [&](const std::string& one) { return one.starts_with(beginning); }))
        warnings.push_back(beginning + rest);
}

template <class T>
T number_from(std::string_view name, std::string_view text, std::optional<T> number, T otherwise, std::vector<std::string>& warnings) {
    if (number || trimmed(text).empty()) return number.value_or(otherwise);
    tell(warnings, fmt::format("its {} is \"", name), shortened(text) + "\", which is no number: it is left out");
    return otherwise;
}

/// The lines of ImageJ's description that are followed.
class ImagejLines {
public:
    ImagejLines(std::string_view text, std::vector<std::string>& warnings) : warnings_(warnings) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            add(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    const std::string& operator[](std::string_view key) const {
        static const auto& none = *new std::string;   // to the end: what is destroyed then may still be asked
        const auto found = lines_.find(key);
        return found == lines_.end() ? none : found->second;
    }
    double real(std::string_view key, double otherwise) const { return real_from(key, (*this)[key], otherwise, warnings_); }
    std::int64_t whole(std::string_view key) const { return whole_from(key, (*this)[key], 1, warnings_); }

private:
    void add(std::string_view line) {
        constexpr std::string_view keys[] = {"images", "channels", "slices", "frames", "spacing", "finterval", "unit",
                                             "yunit",  "zunit",    "tunit",  "cf",     "c0",      "c1"};
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) return;
        const std::string_view key = line.substr(0, equals), value = line.substr(equals + 1);
        if (std::find(std::begin(keys), std::end(keys), key) == std::end(keys)) return;
        if (const std::string problem = problem_of_adding(lines_, key, value, "ImageJ"); problem.empty()) return;
        tell(warnings_, fmt::format("its ImageJ description gives {} several times", key),
             fmt::format(", as \"{}\" and as \"{}\": the last counts, as in ImageJ", shortened((*this)[key]), shortened(value)));
        lines_.find(key)->second = value;
    }

    Fields lines_;
    std::vector<std::string>& warnings_;
};

/// "images=78\nslices=13\nunit=micron\n"; of a hyperstack channels go fastest, then slices, then frames.
Description describe_imagej(std::string_view text, const PageShape& page) {
    Description d;
    d.by = "ImageJ";
    d.imagej = true;
    const ImagejLines lines(text, d.warnings);
    d.images = lines.whole("images");
    const std::int64_t channels = lines.whole("channels"), slices = lines.whole("slices"), frames = lines.whole("frames");
    const bool stated = !lines["spacing"].empty();   // it writes none of one unit
    const double spacing = std::abs(lines.real("spacing", stated ? 0 : 1));
    d.t = lines.real("finterval", 0);
    const std::string &unit = lines["unit"], &unit_of_y = lines["yunit"], &unit_of_z = lines["zunit"],
                      &unit_of_time = lines["tunit"], &function = lines["cf"];
    // ImageJ's function 0 is a straight line; so has it signed numbers of 16 bits, whose offset is undone as it does itself.
    const double offset = lines.real("c0", 0), slope = lines.real("c1", 1);
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
        d.warnings.push_back(
            fmt::format("its unit of time is \"{}\", which is none that is known: times are left out", unit_of_time));
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

/// An axis as tifffile names it; '\0': it does not.
struct NamedSize {
    char name;
    std::int64_t size;
};

/// Whether the last axes have the sizes of a page's.
bool ends_in(const std::vector<NamedSize>& all, const std::vector<NamedSize>& page) {
    const auto same = [](const NamedSize& one, const NamedSize& other) { return one.size == other.size; };
    return all.size() >= page.size() && std::equal(page.rbegin(), page.rend(), all.rbegin(), same);
}

/// The same without axes of one index, as where the last one has one: tifffile's pages are of the two before it then. What is left
/// stays in both, and is told where a page's own axes have other names. False, without a change, where it does not fit, or where
/// rows, columns or samples would be pages.
bool ends_in_others(std::vector<NamedSize>& all, std::vector<NamedSize>& page, std::vector<std::string>& warnings) {
    if (all.empty() || all.front().name == '\0') return false;
    std::vector<NamedSize> longer = all, own = page;
    const auto is_flat = [](const NamedSize& axis) { return axis.size == 1; };
    std::erase_if(longer, is_flat), std::erase_if(own, is_flat);
    if (!ends_in(longer, own)) return false;
    const auto first = longer.end() - static_cast<std::ptrdiff_t>(own.size());
    constexpr std::string_view no_pages = "YXS";
    const auto is_no_page = [&](const NamedSize& axis) { return no_pages.find(axis.name) != std::string_view::npos; };
    if (std::any_of(longer.begin(), first, is_no_page)) return false;
    std::string theirs, ours;
    std::for_each(first, longer.end(), [&](const NamedSize& axis) { theirs += axis.name; });
    for (const NamedSize& axis : own) ours += axis.name;
    if (theirs != ours)
        warnings.push_back(fmt::format("its description calls the axes of its pages {}, which are taken for {}: tifffile leaves out "
                                       "an axis of one index there",
                                       shortened(theirs), ours));
    all = std::move(longer), page = std::move(own);
    return true;
}

/// {"shape": [13, 34, 49], "axes": "ZYX"}
Description describe_tifffile(std::string_view text, const PageShape& page) {
    Description d;
    TifffileReader read;
    const bool whole = Json::sax_parse(text, &read);
    if (!read.sound) return {};
    if (!whole || !read.has_shape) return d;
    d.by = "tifffile";
    // Behind the pages come rows, columns and samples, as the directories have them.
    std::vector<NamedSize> one{{'Y', page.height}, {'X', page.width}};
    if (page.channels > 1) one.insert(page.planes ? one.begin() : one.end(), {'S', page.channels});
    std::vector<NamedSize> all;
    for (std::size_t i = 0; i < read.shape.size(); ++i)
        all.push_back({read.axes.size() == read.shape.size() ? read.axes[i] : '\0', read.shape[i]});
    if (!ends_in(all, one) && !ends_in_others(all, one, d.warnings)) {
        d.warnings.push_back("its description gives a shape that its pages have not, and is not followed");
        return d;
    }
    const std::size_t pages = all.size() - one.size();
    for (std::size_t i = 0; i < pages; ++i) {
        const std::size_t from_back = pages - 1 - i;
        const auto [name, size] = all[i];
        const char letter = name != '\0' ? name : from_back < 2 ? "ZT"[from_back] : 'Q';
        const bool known = letter == 'T' || letter == 'Z' || letter == 'C';
        if (!known && size > 1)
            d.warnings.push_back(
                fmt::format("its axis {} of {} indices is none that is known here, and called n", letter, size));
        add(d.axes, letter == 'T' ? 't' : letter == 'Z' ? 'z' : letter == 'C' ? 'c' : 'n', size);
        d.images = times(d.images, size);
    }
    return d;
}

}  // namespace

double real_from(std::string_view name, std::string_view text, double otherwise, std::vector<std::string>& warnings) {
    std::optional<double> number = number_of(text);
    if (number && !std::isfinite(*number)) number.reset();
    return number_from(name, text, number, otherwise, warnings);
}

std::int64_t whole_from(std::string_view name, std::string_view text, std::int64_t otherwise, std::vector<std::string>& warnings) {
    return number_from(name, text, whole_number_of(text), otherwise, warnings);
}

std::int64_t times(std::int64_t a, std::int64_t b) noexcept { return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b; }

Description describe(std::string_view text, const PageShape& page, std::int64_t series) {
    if (text.starts_with("ImageJ=")) return describe_imagej(text, page);
    if (text.starts_with("{")) return describe_tifffile(text, page);
    if (is_ome(text)) return describe_ome(text, page.channels, series);
    return {};
}

}  // namespace parallax::io::tiff
