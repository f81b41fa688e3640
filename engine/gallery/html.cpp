#include "gallery/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "support/markup.hpp"

namespace parallax::engine::gallery {

using host::on_page;

namespace {

constexpr double width = 320, height = 140, left = 8, right = 312, top = 10, bottom = 112;
constexpr std::size_t most_points = 2000;

std::optional<std::vector<double>> numbers_in(const Json& list) {
    if (!list.is_array() || list.size() < 3) return std::nullopt;
    std::vector<double> numbers;
    for (const Json& value : list) {
        if (value.is_number())
            numbers.push_back(value.get<double>());
        else if (value.is_null())
            numbers.push_back(std::numeric_limits<double>::quiet_NaN());
        else
            return std::nullopt;
    }
    return numbers;
}

bool only_rises(const std::vector<double>& numbers) {
    for (std::size_t i = 1; i < numbers.size(); ++i) {
        if (!(numbers[i] > numbers[i - 1])) return false;
    }
    return true;
}

struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    void take(double value) {
        if (!std::isfinite(value)) return;
        low = std::min(low, value), high = std::max(high, value);
    }
    /// Its place from 0 to 1.
    double place(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

/// The cells of one line; quotes may hold commas and line ends.
std::vector<std::string> cells_of(std::string_view csv, std::size_t& at) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (; at < csv.size(); ++at) {
        const char c = csv[at];
        if (c == '"') {
            if (quoted && at + 1 < csv.size() && csv[at + 1] == '"')
                cells.back() += csv[++at];
            else
                quoted = !quoted;
        } else if (!quoted && c == ',') {
            cells.emplace_back();
        } else if (!quoted && c == '\n') {
            ++at;
            break;
        } else if (c != '\r') {
            cells.back() += c;
        }
    }
    return cells;
}

}   // namespace

std::string data_link(std::string_view type, std::string_view bytes) {
    return fmt::format("data:{};base64,{}", type, host::base64(bytes));
}

std::string drawn(const Curve& curve) {
    Range across, up;
    for (const double x : curve.x) across.take(x);
    for (const double y : curve.y) up.take(y);
    if (up.low > up.high) return {};
    std::string path;
    bool gap = true;
    const std::size_t step = (curve.y.size() + most_points - 1) / most_points;
    for (std::size_t i = 0; i < curve.y.size(); i += step) {
        if (!std::isfinite(curve.y[i]) || !std::isfinite(curve.x[i])) {
            gap = true;
            continue;
        }
        path += fmt::format("{}{:.1f} {:.1f}", gap ? "M" : "L", left + (right - left) * across.place(curve.x[i]),
                            bottom - (bottom - top) * up.place(curve.y[i]));
        gap = false;
    }
    return fmt::format(
        "<figure class=\"curve\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{} from {:.4g} to {:.4g}\">"
        "<path class=\"axis\" d=\"M{} {}V{}H{}\"/><path class=\"line\" d=\"{}\"/>"
        "<text x=\"{}\" y=\"{}\">{:.5g}</text><text x=\"{}\" y=\"{}\" class=\"end\">{:.5g}</text>"
        "<text x=\"{}\" y=\"9\">{:.4g}</text><text x=\"{}\" y=\"{}\">{:.4g}</text></svg>"
        "<figcaption>{}{}</figcaption></figure>",
        width, height, on_page(curve.name), up.low, up.high, left, top, bottom, right, path, left, height - 14, across.low, right,
        height - 14, across.high, left + 4, up.high, left + 4, bottom - 3, up.low, on_page(curve.name),
        curve.of.empty() ? std::string() : " over " + on_page(curve.of));
}

std::vector<Curve> curves_of(const Json& record) {
    std::vector<Curve> curves;
    if (!record.is_object()) return curves;
    std::vector<std::pair<std::string, std::vector<double>>> lists;
    for (const auto& [name, value] : record.items()) {
        if (auto numbers = numbers_in(value)) lists.emplace_back(name, std::move(*numbers));
    }
    for (const auto& [name, values] : lists) {
        const auto base = std::find_if(lists.begin(), lists.end(), [&values = values](const auto& l) {
            return l.second.size() == values.size() && only_rises(l.second);
        });
        if (base != lists.end() && base->first == name) continue;
        Curve curve{name, base != lists.end() ? base->first : std::string(), {}, values};
        if (base != lists.end())
            curve.x = base->second;
        else
            for (std::size_t i = 0; i < values.size(); ++i) curve.x.push_back(static_cast<double>(i));
        curves.push_back(std::move(curve));
    }
    return curves;
}

std::string scalars_of(const Json& record) {
    std::string rows;
    if (!record.is_object()) return rows;
    for (const auto& [name, value] : record.items()) {
        if (value.is_structured() || value.is_null()) continue;
        rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>", on_page(name),
                            on_page(value.is_string() ? value.get<std::string>() : value.dump()));
    }
    return rows.empty() ? rows : "<table class=\"facts\">" + rows + "</table>";
}

std::string table_of(std::string_view csv, std::size_t most_rows, Json& columns) {
    std::size_t at = 0, rows = 0;
    const std::vector<std::string> names = cells_of(csv, at);
    std::vector<Json> lists(names.size(), Json::array());
    std::string html = "<div class=\"wide\"><table><thead><tr>";
    for (const std::string& name : names) html += "<th>" + on_page(name) + "</th>";
    html += "</tr></thead><tbody>";
    while (at < csv.size()) {
        const std::vector<std::string> cells = cells_of(csv, at);
        if (rows++ < most_rows) {
            html += "<tr>";
            for (const std::string& cell : cells) html += "<td>" + on_page(cell) + "</td>";
            html += "</tr>";
        }
        for (std::size_t i = 0; i < std::min(cells.size(), lists.size()); ++i) {
            double value = 0;
            const std::string& cell = cells[i];
            const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
            if (cell.empty())
                lists[i].push_back(nullptr);
            else if (error == std::errc() && end == cell.data() + cell.size())
                lists[i].push_back(value);
            else
                lists[i].push_back(cell);
        }
    }
    html += "</tbody></table></div>";
    if (rows > most_rows) html += fmt::format("<p>{} of {} rows</p>", most_rows, rows);
    columns = Json::object();
    for (std::size_t i = 0; i < names.size(); ++i) columns[names[i]] = std::move(lists[i]);
    return html;
}

}   // namespace parallax::engine::gallery
