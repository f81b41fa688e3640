// `plot`: the numbers of boxes against their edges, both logarithmic, and the fitted line; an SVG of nothing but lines,
// circles and text, that reads the same in a browser, in a paper and in print.
#include "algorithms/box_count/box_count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

namespace parallax::engine::box_count {
namespace {

constexpr double left = 76, top = 56, plot_width = 520, plot_height = 360, legend_width = 190, row_height = 20;

/// The points of one set of boxes.
struct Series {
    std::string name, colour;
    std::vector<double> numbers;   ///< by m; 0: no point
    int from = 0, to = -1;         ///< of the fit; to < from: none
    bool has_dimension = false;
    double dimension = 0, level = 0;   ///< the line: log10 N = level - dimension * m * log10 2
};

double number_of(const Json& level, const std::string& count) {
    const double black = level.at("black").get<double>(), grey = level.at("grey").get<double>();
    return count == "black" ? black : count == "grey" ? grey : black + grey;
}

/// Colours that differ in lightness too, so that a grey print still tells neighbours apart.
std::string colour_of(std::size_t index, std::size_t of) {
    static constexpr std::array<const char*, 6> few{"#1f5fa8", "#c4561b", "#2a8a57", "#8a3f97", "#a88412", "#4a4a4a"};
    if (of <= few.size()) return few[index];
    return fmt::format("hsl({:.0f}, 65%, {}%)", 360.0 * static_cast<double>(index) / static_cast<double>(of),
                       index % 2 == 0 ? 36 : 52);
}

Series series_of(const Json& set, const std::string& count, std::string name, std::string colour) {
    Series s{std::move(name), std::move(colour), {}};
    for (const Json& level : set.at("levels")) s.numbers.push_back(number_of(level, count));
    if (set.at("dimension").is_null()) return s;
    s.dimension = set.at("dimension").get<double>();
    s.has_dimension = true;
    if (set.at("fit").is_null()) return s;   // it fills its box
    s.from = set.at("fit").at("from").get<int>();
    s.to = set.at("fit").at("to").get<int>();
    for (int m = s.from; m <= s.to; ++m)   // the line goes through the mean of its points
        s.level += (std::log10(s.numbers[static_cast<std::size_t>(m)]) + s.dimension * m * std::log10(2.0)) / (s.to - s.from + 1);
    return s;
}

std::vector<Series> all_series(const Json& record) {
    const auto count = record.at("count").get<std::string>();
    if (!record.contains("labels")) return {series_of(record, count, "", colour_of(0, 1))};
    std::vector<Series> all;
    const Json& labels = record.at("labels");
    for (std::size_t i = 0; i < labels.size(); ++i)
        all.push_back(series_of(
            labels[i], count,
            labels[i].contains("name") ? labels[i].at("name").get<std::string>() : "label " + labels[i].at("label").dump(),
            colour_of(i, labels.size())));
    return all;
}

/// From levels and decades to the paper.
struct Frame {
    int levels = 1;    ///< m from 0 to this
    int decades = 1;   ///< N from 1 to 10^this
    double x(double m) const { return left + plot_width * (m + .5) / (levels + 1); }
    double y(double log_number) const { return top + plot_height * (1 - log_number / decades); }
};

class Drawing {
public:
    Drawing(double width, double height) {
        add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
            R"(font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#333">)",
            width, height);
        add(R"(<rect width="{}" height="{}" fill="#fff"/>)", width, height);
    }
    template <class... T> void add(fmt::format_string<T...> format, T&&... values) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
        text_ += '\n';
    }
    void line(double x1, double y1, double x2, double y2, std::string_view colour, double width) {
        add(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="{}" stroke-linecap="round"/>)", x1,
            y1, x2, y2, colour, width);
    }
    std::string finish() { return std::move(text_) + "</svg>\n"; }

private:
    std::string text_;
};

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        if (c == '&') safe += "&amp;";
        else if (c == '<') safe += "&lt;";
        else safe += c;
    }
    return safe;
}

/// A number of up to two digits as an exponent.
std::string raised(int number) {
    static constexpr std::array<const char*, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const std::string last = digits[static_cast<std::size_t>(number % 10)];
    return number < 10 ? last : digits[static_cast<std::size_t>(number / 10 % 10)] + last;
}

/// The edge as one number; none where voxels are anisotropic.
std::optional<double> unit_edge(const Json& record) {
    const Json& levels = record.contains("labels") ? record.at("labels").front().at("levels") : record.at("levels");
    const Json& edge = levels.front().at("edge");
    return edge.is_number() ? std::optional(edge.get<double>()) : std::nullopt;
}

void draw_axes(Drawing& d, const Frame& frame, const Json& record) {
    const auto unit = record.at("unit").get<std::string>();
    const std::optional<double> edge = unit_edge(record);
    for (int decade = 0; decade <= frame.decades; ++decade) {
        d.line(left, frame.y(decade), left + plot_width, frame.y(decade), "#e4e4e4", 1);
        d.add(R"(<text x="{}" y="{:.1f}" text-anchor="end">10{}</text>)", left - 8, frame.y(decade) + 4, raised(decade));
    }
    const int step = frame.levels > 12 ? 2 : 1;
    for (int m = 0; m <= frame.levels; m += step) {
        d.line(frame.x(m), top + plot_height, frame.x(m), top + plot_height + 5, "#333", 1);
        d.add(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{:.4g}</text>)", frame.x(m), top + plot_height + 20,
              std::ldexp(edge.value_or(1.0), m));
    }
    d.line(left, top, left, top + plot_height, "#333", 1);
    d.line(left, top + plot_height, left + plot_width, top + plot_height, "#333", 1);
    d.add(R"(<text x="{}" y="{}" text-anchor="middle" font-size="13">Box edge, {}</text>)", left + plot_width / 2,
          top + plot_height + 42,
          !edge || unit == "voxel" ? "voxels"
          : unit == "unstated"     ? "unit not stated"
                                   : escaped(unit));
    d.add(R"-(<text transform="translate(22 {}) rotate(-90)" text-anchor="middle" font-size="13">{} boxes</text>)-",
          top + plot_height / 2,
          record.at("count") == "black"  ? "Black"
          : record.at("count") == "grey" ? "Grey"
                                         : "Occupied");
}

void draw_series(Drawing& d, const Frame& frame, const Series& s) {
    if (s.from <= s.to) {
        const auto log_at = [&](double m) { return s.level - s.dimension * m * std::log10(2.0); };
        // A little beyond the fitted points, as far as the frame goes.
        const auto end = [&](double m) {
            return s.dimension == 0 ? m : std::clamp(log_at(m), 0.0, static_cast<double>(frame.decades));
        };
        double a = s.from - .3, b = s.to + .3;
        if (s.dimension != 0) {
            const double slope = s.dimension * std::log10(2.0);
            a = (s.level - end(a)) / slope;
            b = (s.level - end(b)) / slope;
        }
        d.line(frame.x(a), frame.y(log_at(a)), frame.x(b), frame.y(log_at(b)), s.colour, 1.5);
    }
    for (std::size_t m = 0; m < s.numbers.size(); ++m) {
        if (s.numbers[m] <= 0) continue;
        const bool fitted = static_cast<int>(m) >= s.from && static_cast<int>(m) <= s.to;
        d.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="{}" stroke="{}" stroke-width="1.5"/>)",
              frame.x(static_cast<double>(m)), frame.y(std::log10(s.numbers[m])), fitted ? s.colour : "#fff", s.colour);
    }
}

std::string summary_of(const Json& record) {
    if (record.contains("labels"))
        return fmt::format("Dimension by label, grid of {} voxels a side", record.at("grid").get<std::int64_t>());
    if (record.at("dimension").is_null()) return "No dimension: " + record.at("why_no_dimension").get<std::string>();
    std::string text = fmt::format("Dimension {:.4f}", record.at("dimension").get<double>());
    if (!record.at("standard_error").is_null()) text += fmt::format(" ± {:.4f}", record.at("standard_error").get<double>());
    if (!record.at("r").is_null()) text += fmt::format(", R {:.6f}", record.at("r").get<double>());
    return text + (record.at("fit").is_null() ? ": it fills its box" : "; filled points are fitted");
}

}  // namespace

std::string plot_of(const Json& record) {
    const std::vector<Series> all = all_series(record);
    const bool legend = record.contains("labels");
    Frame frame;
    for (const Series& s : all) {
        frame.levels = std::max(frame.levels, static_cast<int>(s.numbers.size()) - 1);
        for (const double n : s.numbers)
            if (n > 1) frame.decades = std::max(frame.decades, static_cast<int>(std::ceil(std::log10(n))));
    }
    const double rows = legend ? row_height * static_cast<double>(all.size()) : 0;
    Drawing d(left + plot_width + (legend ? legend_width : 24), top + std::max(plot_height, rows) + 60);
    d.add(R"(<text x="{}" y="30" font-size="15">{}</text>)", left, escaped(summary_of(record)));
    draw_axes(d, frame, record);
    for (const Series& s : all) draw_series(d, frame, s);
    for (std::size_t i = 0; legend && i < all.size(); ++i) {
        const double y = top + row_height * (static_cast<double>(i) + .5), x = left + plot_width + 24;
        d.add(R"(<circle cx="{}" cy="{}" r="4" fill="{}"/>)", x, y, all[i].colour);
        d.add(R"(<text x="{}" y="{}">{}{}</text>)", x + 12, y + 4, escaped(all[i].name),
              all[i].has_dimension ? fmt::format(": {:.4f}", all[i].dimension) : std::string(": none"));
    }
    return d.finish();
}

}  // namespace parallax::engine::box_count
