#include "report/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "timing/statistics.hpp"

namespace parallax::engine::compare {

bool is_one_of(const Json& wanted, const std::string& value) {
    if (wanted.is_string()) return wanted == value;
    return std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool selected(const Json& selector, const Json& row, const Json& device) {
    if (selector.contains("case") && !is_one_of(selector["case"], row["case"].get<std::string>())) return false;
    if (selector.contains("variant") && !is_one_of(selector["variant"], row["way"].get<std::string>())) return false;
    if (selector.contains("device") && !is_one_of(selector["device"], device["label"].get<std::string>())) return false;
    if (selector.contains("backend") && !is_one_of(selector["backend"], device["info"]["backend"].get<std::string>()))
        return false;
    if (selector.contains("type") && !is_one_of(selector["type"], device["info"]["type"].get<std::string>())) return false;
    if (selector.contains("grid")) {
        for (const auto& [axis, value] : selector["grid"].items()) {
            if (!row["grid"].contains(axis) || row["grid"][axis] != value) return false;
        }
    }
    return true;
}

std::optional<double> number_of(const Json& row, const std::string& name) {
    const auto number = [](const Json& value) { return value.is_number() ? std::optional(value.get<double>()) : std::nullopt; };
    for (const char* place : {"grid", "variables", "metrics"})
        if (row.contains(place) && row[place].contains(name)) return number(row[place][name]);
    std::istringstream keys(name);
    std::string key;
    std::getline(keys, key, '.');
    const Json* at = key == "evaluation" && row.contains("evaluations") ? &row["evaluations"]
                     : key == "record" && row.contains("records")       ? &row["records"]
                                                                        : nullptr;
    while (at != nullptr && std::getline(keys, key, '.')) at = at->is_object() && at->contains(key) ? &(*at)[key] : nullptr;
    return at == nullptr ? std::nullopt : number(*at);
}

std::string short_number(double value) { return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value); }

std::string confidence_text(double confidence) {
    if (confidence >= usual_confidence) return {};
    return confidence > 0 ? fmt::format("{:.4g}%", 100 * confidence) : "one process";
}

std::string interval_text(double low, double high, double confidence) {
    const std::string sure = confidence_text(confidence);
    return fmt::format("[{} to {}{}]", short_number(low), short_number(high), sure.empty() ? "" : ", " + sure);
}

std::string grid_text(const Json& grid) {
    std::string text;
    for (const auto& [axis, value] : grid.items())
        text +=
            fmt::format("{}{} {}", text.empty() ? "" : ", ", axis, value.is_string() ? value.get<std::string>() : value.dump());
    return text;
}

}   // namespace parallax::engine::compare
