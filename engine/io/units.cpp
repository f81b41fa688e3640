#include "io/units.hpp"

#include <fmt/format.h>

#include <limits>

#include "io/decimal.hpp"

namespace parallax::io {

double converted(double length, const std::string& from, const std::string& to) {
    if (from == to) return millimetres(from) > 0 ? length : 0;
    const double theirs = millimetres(from), ours = millimetres(to);
    return theirs > 0 && ours > 0 ? as_decimal(length * theirs / ours) : 0;
}

Warning without_spacing(std::string_view by, char axis, std::string_view unit) {
    return {fmt::format("{} gives a spacing of other axes and none of {}: it is taken for 1 {}", by, axis,
                        unit.empty() ? "of the same unit" : unit),
            axis == 'z' ? Concern::slices : Concern::other};
}

void tell_unsaid(std::string_view by, std::string_view unsaid, FileInfo& file) {
    std::string without;
    bool some = false;
    for (const Axis& axis : file.desc.axes) {
        if (std::string_view("xyz").find(axis.name) == std::string_view::npos) continue;
        const bool said = unsaid.find(axis.name) == std::string_view::npos;
        some = some || said;
        if (!said && axis.size > 1) without += axis.name;
    }
    if (!some && !file.desc.unit.empty()) {
        file.warnings.push_back({fmt::format("{} names {} for its unit and gives no distance in it: the unit is left out", by,
                                             file.desc.unit),
                                 Concern::spacing});
        file.desc.unit.clear();
    }
    for (const char axis : without)
        if (some) file.warnings.push_back(without_spacing(by, axis, file.desc.unit));
}

std::string refusal_of_distance(std::string_view format, const Axis& axis, double stored, bool as_f32) {
    const double least = as_f32 ? double{std::numeric_limits<float>::min()} : std::numeric_limits<double>::min(),
                 most = as_f32 ? double{std::numeric_limits<float>::max()} : std::numeric_limits<double>::max();
    if (!(axis.spacing > 0) || (stored >= least && stored <= most)) return {};
    return fmt::format("{} holds distances from {:.2g} to {:.2g} in its unit, and that of {}, {}, is {} in it", format, least,
                       most, axis.name, axis.spacing, stored);
}

}   // namespace parallax::io
