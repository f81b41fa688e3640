#include "io/readers/hdf5_units.hpp"

#include <cmath>

#include "core/units.hpp"
#include "io/decimal.hpp"
#include "io/unit_names.hpp"

namespace parallax::io::readers {

double millimetres_in(const std::string& unit) {
    const auto [ours, factor] = unit_from(unit);
    return as_decimal(engine::millimetres(ours) * factor);
}

std::string in_our_unit(const std::string& unit, const std::string& names, std::vector<double>& spacing, Json& warnings) {
    const auto [ours, factor] = unit_from(unit);
    if (spacing.empty()) return {};   // it is the unit of the values, say
    bool told = false, some = false;   // a 1 is what stands there where nothing is said
    for (std::size_t i = 0; i < spacing.size(); ++i) {
        if (std::string("xyz").find(names[i]) == std::string::npos) continue;
        if (!std::isfinite(spacing[i]) || !(spacing[i] > 0)) {
            warnings.push_back({{"text", "it tells no distance above 0 along " + names.substr(i, 1) + ": 1 stands for it"},
                                {"about", names[i] == 'z' ? "slices" : "spacing"}});
            continue;
        }
        some = true, told = told || spacing[i] != 1;
        if (!ours.empty()) spacing[i] = scaled(spacing[i], factor);
    }
    if (!some) return {};
    if (!ours.empty()) return ours;
    if (unit.starts_with("1/") && unit_from(unit.substr(2)).second == 1) return unit;   // as Parallax writes it behind an fft
    if (told)
        warnings.push_back({{"text", "its distances are " +
                                         (unit.empty() ? "of a unit that it does not name"
                                                       : "in \"" + unit.substr(0, 40) + "\", a unit that is not known") +
                                         ": \"spacing_um\" of the input states it"},
                            {"about", "spacing"}});
    return {};
}

}   // namespace parallax::io::readers
