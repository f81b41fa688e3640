#include "job/display.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/picture/colour_map.hpp"

namespace parallax::engine {
namespace {

std::array<double, 2> read_window(const JsonValue& window, double least, double most) {
    const Json& value = window.json();
    const auto good = [&](const Json& v) {
        return v.is_number() && std::isfinite(v.get<double>()) && v.get<double>() >= least && v.get<double>() <= most;
    };
    if (!value.is_array() || value.size() != 2 || !good(value[0]) || !good(value[1]) ||
        !(value[0].get<double>() < value[1].get<double>())) {
        throw ConfigError(window.pointer(), value.is_array() && value.size() == 2 ? value.dump() : describe(value),
                          std::isfinite(least) ? fmt::format("[low, high] with {:g} <= low < high <= {:g}", least, most)
                                               : "[low, high] with low < high");
    }
    return {value[0].get<double>(), value[1].get<double>()};
}

/// Which endings a key of a picture is for.
struct DisplayKey {
    const char* name;
    std::vector<std::string> endings;
};

const std::vector<DisplayKey>& endings_of_keys() {
    static const auto& pictures = *new std::vector<std::string>{".png", ".jpg", ".jpeg", ".gif", ".mp4", "\"-\""};
    static const auto& keys = *new std::vector<DisplayKey>{{"window", pictures},
                                                           {"window_percentile", pictures},
                                                           {"colour_map", pictures},
                                                           {"scale_bar", pictures},
                                                           {"colour_bar", pictures},
                                                           {"montage", {".png", ".jpg", ".jpeg"}},
                                                           {"bits", {".png"}},
                                                           {"format", {"\"-\""}},
                                                           {"compression", {".png", ".tif", ".tiff", ".zarr"}},
                                                           {"quality", {".jpg", ".jpeg"}},
                                                           {"frames_a_second", {".mp4", ".gif", "\"-\""}}};
    return keys;
}

bool is_of_values(std::string_view key) { return key.starts_with("window") || key.starts_with("colour") || key == "scale_bar"; }

void check_display_keys(const JsonObject& object, const std::string& extension, const std::string& file) {
    for (const DisplayKey& key : endings_of_keys()) {
        const bool fits =
            std::find(key.endings.begin(), key.endings.end(), file == "-" ? "\"-\"" : extension) != key.endings.end();
        if (object.contains(key.name) && !fits)
            throw ConfigError(object.pointer(key.name), fmt::format("\"{}\" for \"{}\"", key.name, file),
                              fmt::format("it beside a {} file only", fmt::join(key.endings, " or ")),
                              is_of_values(key.name) ? "other formats keep the values as they are" : "");
    }
}

int read_integer(const JsonValue& value, int least, int most) {
    const Json& json = value.json();
    const double number = json.is_number() ? json.get<double>() : 0.5;   // 4.0 is a whole number, too
    if (number != std::floor(number) || number < least || number > most)
        value.refuse(fmt::format("a whole number from {} to {}", least, most));
    return json.get<int>();
}

}   // namespace

std::vector<std::string> display_keys() {
    std::vector<std::string> keys;
    for (const DisplayKey& key : endings_of_keys()) keys.emplace_back(key.name);
    return keys;
}

void read_display(const JsonObject& object, const std::string& extension, const std::string& file, io::WriteOptions& write) {
    check_display_keys(object, extension, file);
    constexpr double endless = std::numeric_limits<double>::infinity();
    if (object.contains("frames_a_second")) write.frames_a_second = object.at("frames_a_second").number(0.01, 1000);
    if (object.contains("window")) {
        if (object.contains("window_percentile"))
            throw ConfigError(object.pointer("window_percentile"), "\"window_percentile\" beside \"window\"", "one of the two");
        write.window = read_window(object.at("window"), -endless, endless);
    }
    if (object.contains("window_percentile")) write.window_percentile = read_window(object.at("window_percentile"), 0, 100);
    if (object.contains("bits")) {
        const Json& bits = object.json().at("bits");
        if (bits != 8 && bits != 16) object.at("bits").refuse("8 or 16");
        write.png_bits = bits.get<int>();
    }
    if (object.contains("colour_map")) write.colour_map = object.word("colour_map", io::picture::colour_map_names);
    if (object.contains("scale_bar")) {
        const Json& bar = object.json().at("scale_bar");
        if (bar.is_number() && bar.get<double>() > 0 && std::isfinite(bar.get<double>()))
            write.scale_bar = bar.get<double>();
        else if (!bar.is_boolean())
            object.at("scale_bar").refuse("true, or a length in the unit of the array's spacing");
        else if (bar.get<bool>())
            write.scale_bar = 0;
    }
    if (object.contains("colour_bar")) write.colour_bar = object.at("colour_bar").flag();
    if (object.contains("montage")) {
        const Json& montage = object.json().at("montage");
        if (montage.is_boolean())
            write.montage = montage.get<bool>() ? std::optional<std::int64_t>(0) : std::nullopt;
        else
            write.montage = read_integer(object.at("montage"), 1, 10000);
    }
    if (object.contains("format")) write.format = object.word("format", {"raw", "pgm", "y4m"});
    if (object.contains("compression")) write.compression = read_integer(object.at("compression"), 0, 9);
    if (object.contains("quality")) write.quality = read_integer(object.at("quality"), 1, 100);
}

}   // namespace parallax::engine
