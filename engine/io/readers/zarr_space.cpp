#include "io/readers/zarr_space.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/units.hpp"
#include "io/decimal.hpp"

namespace parallax::io::readers::zarr {
namespace {

std::pair<std::string, double> unit_of(const std::string& name) {
    static const std::map<std::string, std::pair<std::string, double>> units = {
        {"nanometer", {"nm", 1}},  {"micrometer", {"um", 1}},    {"millimeter", {"mm", 1}},
        {"centimeter", {"cm", 1}}, {"meter", {"m", 1}},          {"angstrom", {"nm", 0.1}},
        {"picometer", {"nm", 1e-3}}, {"decimeter", {"cm", 10}},  {"kilometer", {"m", 1000}},
        {"inch", {"mm", 25.4}},    {"foot", {"mm", 304.8}},      {"yard", {"mm", 914.4}},
        {"second", {"s", 1}},      {"millisecond", {"s", 1e-3}}, {"microsecond", {"s", 1e-6}},
        {"nanosecond", {"s", 1e-9}}, {"picosecond", {"s", 1e-12}}, {"minute", {"s", 60}},
        {"hour", {"s", 3600}},     {"day", {"s", 86400}}};
    const auto found = units.find(name);
    return found == units.end() ? std::pair<std::string, double>{"", 1} : found->second;
}

}   // namespace

std::vector<double> numbers_of(const Json& object, const char* key) {
    if (!object.is_object() || !object.contains(key) || !object[key].is_array()) return {};
    std::vector<double> numbers;
    for (const Json& number : object[key]) {
        if (!number.is_number()) return {};
        numbers.push_back(number.get<double>());
    }
    return numbers;
}

Placed placed_by(const Json& level, const Json& scales, std::size_t n) {
    Placed placed;
    placed.spacing.resize(n), placed.place.resize(n), placed.way.resize(n, 1), placed.zero.resize(n);
    for (const Json* const of : {&level, &scales}) {   // those of the whole come after those of the level
        for (const Json& transform : of->value("coordinateTransformations", Json::array())) {
            const std::vector<double> scale = numbers_of(transform, "scale"), shift = numbers_of(transform, "translation");
            placed.elsewhere = placed.elsewhere || (transform.is_object() && transform.contains("path"));
            for (const auto& [key, numbers] : {std::pair{"scale", &scale}, std::pair{"translation", &shift}})
                placed.unfit = placed.unfit || (transform.is_object() && transform.contains(key) && numbers->size() != n);
            for (std::size_t i = 0; i < n && scale.size() == n; ++i) {
                const double by = std::abs(scale[i]);
                placed.spacing[i] = placed.spacing[i] > 0 ? parallax::io::scaled(placed.spacing[i], by) : by;
                placed.place[i] *= scale[i];
                placed.way[i] *= scale[i] < 0 ? -1 : 1;
                placed.zero[i] = placed.zero[i] || !(by > 0);
            }
            for (std::size_t i = 0; i < n && shift.size() == n; ++i) placed.place[i] += shift[i];
        }
    }
    for (std::size_t i = 0; i < n; ++i)
        if (placed.zero[i]) placed.spacing[i] = 0;
    return placed;
}

void tell_scales(const Placed& placed, const std::string& names, const std::vector<std::int64_t>& sizes, std::string& unit,
                 Json& warnings) {
    const auto is_length = [&](std::size_t i) { return std::string("xyz").find(names[i]) != std::string::npos; };
    const auto is_told = [&](std::size_t i) { return std::isfinite(placed.spacing[i]) && placed.spacing[i] > 0; };
    bool some = false;   // of the lengths
    for (std::size_t i = 0; i < names.size(); ++i) some = some || (is_length(i) && is_told(i));
    if (!some && !unit.empty()) {
        warnings.push_back({{"text", "its axes are in " + unit + " and have no scale: the unit is left out"}, {"about", "spacing"}});
        unit.clear();
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string axis = "its axis " + std::string(1, names[i]);
        if (names[i] == 'c') continue;
        const std::string instead =
            is_length(i) && some ? "it is taken for 1 " + (unit.empty() ? "of the same unit" : unit) : "it is left out";
        if (placed.zero[i] || (is_length(i) && some && sizes[i] > 1 && !is_told(i)))
            warnings.push_back({{"text", axis + (placed.zero[i] ? " has a scale of 0, which is no distance: "
                                                                : " has no scale that is a distance: ") +
                                             instead},
                                {"about", names[i] == 'z' ? "slices" : is_length(i) ? "spacing" : "other"}});
        else if (placed.way[i] < 0)
            warnings.push_back(axis + " has a scale below 0: it counts by its size" +
                               (is_length(i) ? ", and the axis goes the other way" : ""));
    }
}

bool has_unit(const Json& axes, std::size_t axis) {
    if (!axes.is_array() || axis >= axes.size() || !axes[axis].is_object()) return false;
    return axes[axis].contains("unit") && axes[axis]["unit"].is_string();
}

/// An axis of a type of the writer's own: angles, say.
bool is_something_else(const Json& axes, std::size_t axis) {
    if (!axes.is_array() || axis >= axes.size() || !axes[axis].is_object()) return false;
    const Json type = axes[axis].value("type", Json());
    return type.is_string() && type != "space" && type != "time" && type != "channel";
}

std::string in_one_unit(const Json& axes, const std::string& names, Placed& placed, Json& warnings) {
    std::string unit;
    double unit_in_mm = 0;
    const auto each = [&](const auto& work) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (has_unit(axes, i)) work(i, axes[i]["unit"].get<std::string>());
    };
    each([&](std::size_t i, const std::string& said) {
        const std::string ours = unit_of(said).first;
        if (!ours.empty() && ours != "s" && (unit.empty() || names[i] == 'x')) unit = ours, unit_in_mm = engine::millimetres(ours);
    });
    each([&](std::size_t i, const std::string& said) {
        const auto [ours, factor] = unit_of(said);
        const bool fits = names[i] == 't' ? ours == "s" : ours != "s";
        if (ours.empty() || !fits) {
            warnings.push_back(
                "its axis " + std::string(1, names[i]) + " is in \"" + said + "\", " +
                (fits || ours.empty() ? "a unit that is not known" : "which is no unit of such an axis") +
                ": its distances are left out");
            placed.spacing[i] = placed.place[i] = 0;
            return;
        }
        const double to_ours =
            ours == "s" || ours == unit ? factor : parallax::io::as_decimal(factor * engine::millimetres(ours) / unit_in_mm);
        if (placed.spacing[i] > 0) placed.spacing[i] = parallax::io::scaled(placed.spacing[i], to_ours);
        placed.place[i] *= to_ours;
    });
    for (std::size_t i = 0; i < names.size() && !unit.empty(); ++i) {
        if (has_unit(axes, i) || is_something_else(axes, i) || std::string("xyz").find(names[i]) == std::string::npos ||
            !(placed.spacing[i] > 0))
            continue;
        warnings.push_back({{"text", "its axis " + std::string(1, names[i]) + " names no unit: its distance is taken to be in " +
                                         unit + ", as others are"},
                            {"about", names[i] == 'z' ? "slices" : "spacing"}});
    }
    return unit;
}

void place_axes(Json& said, const Json& ours, const std::string& names, const std::vector<double>& place, const Level* level) {
    const double known = engine::millimetres(said["unit"].get<std::string>()), mm = known > 0 ? known : 1;
    std::vector<double> affine = numbers_of(ours, "affine");
    const bool told = affine.size() == 16;
    bool turned = false;
    for (std::size_t i = 0; i < names.size() && level != nullptr; ++i)
        turned = turned || (std::string("xyz").find(names[i]) != std::string::npos && level->own.way[i] < 0);
    const bool placed = turned || std::any_of(place.begin(), place.end(), [](double p) { return p != 0; });
    if (!told && (!(known > 0) || !placed)) return;
    if (!told) affine = {-mm, 0, 0, 0, 0, -mm, 0, 0, 0, 0, mm, 0, 0, 0, 0, 1};
    for (std::size_t i = 0; i < names.size() && level != nullptr; ++i) {
        const Placed &own = level->own, &finest = level->finest;
        const std::size_t column = std::string("xyz").find(names[i]);
        if (column == std::string::npos) continue;
        const double spacing = said["axes"][i].value("spacing", 1.0);
        // Of a smaller level: so much longer steps, from a place so far along them.
        const bool finer = told && i < finest.spacing.size() && finest.spacing[i] > 0 && own.spacing[i] > 0;
        const double stretch = !told ? spacing * own.way[i] : finer ? own.spacing[i] / finest.spacing[i] : 1,
                     along = !told ? place[i] : finer ? (own.place[i] - finest.place[i]) / finest.spacing[i] : 0;
        for (std::size_t row = 0; row < 3; ++row) {
            affine[row * 4 + 3] += affine[row * 4 + column] * along;
            affine[row * 4 + column] = affine[row * 4 + column] * stretch + 0.0;
        }
    }
    if (!told)
        said["warnings"].push_back("it names no sides of a body for its origin: its axes are taken to go left, posterior "
                                    "and superior, as ITK takes them");
    said["affine"] = affine;
}

}   // namespace parallax::io::readers::zarr
