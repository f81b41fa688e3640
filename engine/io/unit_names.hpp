// Names of units as programs write them. For the programs that read heavy formats, too: without fmt.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace parallax::io {

/// A unit of length by the names that programs write; ours, and how many of ours one of theirs is. Empty: none that is known.
inline std::pair<std::string, double> unit_from(std::string_view name) {
    struct Row {
        std::string_view theirs, ours;
        double factor;
    };
    constexpr Row rows[] = {{"micron", "um", 1},     {"microns", "um", 1},  {"micrometer", "um", 1}, {"um", "um", 1},
                            {"\\u00B5m", "um", 1},   {"\\u00b5m", "um", 1}, {"\xc2\xb5m", "um", 1},  {"\xce\xbcm", "um", 1},
                            {"\xb5m", "um", 1},      {"nm", "nm", 1},       {"mm", "mm", 1},         {"cm", "cm", 1},
                            {"m", "m", 1},           {"inch", "mm", 25.4},  {"in", "mm", 25.4},      {"\xc3\x85", "nm", 0.1},
                            {"\\u00C5", "nm", 0.1},   {"kilometer", "m", 1000}, {"centimeter", "cm", 1}, {"Angstrom", "nm", 0.1},
                            {"millimeter", "mm", 1}, {"meter", "m", 1},     {"nanometer", "nm", 1},  {"pm", "nm", 1e-3},
                            {"dm", "cm", 10},        {"km", "m", 1000}};
    // Also as many words are written: "metre", and several of them.
    std::string word(name);
    if (const std::size_t metre = word.find("metre"); metre != word.npos) word.replace(metre, 5, "meter");
    if (word.size() > 5 && word.ends_with("meters")) word.pop_back();
    for (const Row& row : rows) {
        if (word == row.theirs) return {std::string(row.ours), row.factor};
    }
    return {};
}

/// How many seconds one of these is, as ImageJ, OME and those who write for them name it; 0: not known.
inline double seconds_of(std::string_view unit) {
    constexpr std::pair<std::string_view, double> units[] = {
        {"", 1},          {"s", 1},      {"sec", 1},       {"second", 1},     {"seconds", 1},      {"ms", 1e-3},
        {"msec", 1e-3},   {"us", 1e-6},  {"usec", 1e-6},   {"\xc2\xb5s", 1e-6}, {"\\u00B5s", 1e-6}, {"ns", 1e-9},
        {"min", 60},      {"minute", 60}, {"minutes", 60},  {"h", 3600},       {"hour", 3600},      {"hours", 3600},
        {"d", 86400},     {"day", 86400}, {"days", 86400},  {"millisecond", 1e-3}, {"milliseconds", 1e-3}, {"hr", 3600},
        {"microsecond", 1e-6}, {"microseconds", 1e-6}, {"\xce\xbcs", 1e-6}, {"nanosecond", 1e-9}, {"nanoseconds", 1e-9}};
    for (const auto& [name, seconds] : units)
        if (unit == name) return seconds;
    return 0;
}

}   // namespace parallax::io
