#include "io/readers/hdf5_netcdf.hpp"

#include <cmath>
#include <cstdio>

#include "io/decimal.hpp"
#include "io/readers/hdf5_parts.hpp"

namespace parallax::io::readers {
namespace {

void tell_scale(hid_t dataset, Json& warnings) {
    const std::vector<double> scale = numbers_at(dataset, "scale_factor"), offset = numbers_at(dataset, "add_offset");
    if ((scale.size() != 1 || scale[0] == 1) && (offset.size() != 1 || offset[0] == 0)) return;
    char text[160];
    std::snprintf(text, sizeof text,
                  "its values stand for %g + %g times what is stored (add_offset, scale_factor): they are read as they are stored",
                  offset.size() == 1 ? offset[0] : 0.0, scale.size() == 1 ? scale[0] : 1.0);
    warnings.push_back(text);
}

}   // namespace

void tell_valid_range(hid_t dataset, Json& said) {
    const bool is_unsigned = said["type"].get<std::string>()[0] == 'u';   // stored with a sign, as negative numbers
    const double more = is_unsigned ? std::exp2(static_cast<double>(8 * H5Tget_size(Handle(H5Dget_type(dataset), H5Tclose)))) : 0;
    const auto number = [&](double value) { return shortest(value < 0 ? value + more : value); };
    const std::vector<double> range = numbers_at(dataset, "valid_range"), least = numbers_at(dataset, "valid_min"),
                              most = numbers_at(dataset, "valid_max");
    std::string beyond, by;
    const auto add = [&](const char* name, const std::string& words) {
        beyond += (beyond.empty() ? "" : " and ") + words, by += (by.empty() ? "" : ", ") + std::string(name);
    };
    if (range.size() == 2) add("valid_range", "beyond " + number(range[0]) + " to " + number(range[1]));
    if (least.size() == 1) add("valid_min", "below " + number(least[0]));
    if (most.size() == 1) add("valid_max", "above " + number(most[0]));
    if (!beyond.empty())
        said["warnings"].push_back("its values " + beyond + " stand for none (" + by + "): they are read as they are stored");
}

void follow_netcdf(hid_t dataset, Json& said) {
    const std::string type = said["type"].get<std::string>();
    double more = 0;   // that a negative number is as an unsigned one
    if (type[0] == 'i' && text_at(dataset, "_Unsigned") == "true") {
        said["type"] = "u" + type.substr(1);   // of the same bits
        more = std::exp2(static_cast<double>(8 * H5Tget_size(Handle(H5Dget_type(dataset), H5Tclose))));
    }
    Json& warnings = said["warnings"];
    tell_scale(dataset, warnings);
    double told = NAN;
    for (const char* const name : {"_FillValue", "missing_value"}) {
        const std::vector<double> none = numbers_at(dataset, name);
        if (none.size() != 1 || !std::isfinite(none[0]) || none[0] == told) continue;   // NaN says it by itself
        told = none[0];
        warnings.push_back("its values of " + shortest(none[0] < 0 ? none[0] + more : none[0]) + " stand for none (" + name +
                           "): they are read as they are stored");
    }
}

}   // namespace parallax::io::readers
