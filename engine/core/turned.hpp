// Arrays that do not lie as images do: columns before rows, rows or columns where pages stand, or times where rows or columns do.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "parallax/array.hpp"

namespace parallax::engine {

inline bool is_turned(const ArrayDesc& desc) noexcept {
    const auto place = [&](char name) {
        return std::find_if(desc.axes.begin(), desc.axes.end(), [name](const Axis& axis) { return axis.name == name; });
    };
    return place('y') != desc.axes.end() && place('x') < place('y');
}

/// What a format that has rows of columns, and in front of them pages (so called there), would take for something else: its rows y or
/// columns x for pages, or, where there are pages, its times for rows or columns. Empty: nothing. A plane alone, and pages of planes
/// that have z for rows or columns, are pictures as they stand.
inline std::string mistaken_axes(const ArrayDesc& desc, std::string_view pages) {
    const auto any = [](auto begin, auto end, std::string_view names) {
        return std::any_of(begin, end, [names](const Axis& axis) { return names.find(axis.name) != names.npos; });
    };
    const bool channels = !desc.axes.empty() && desc.axes.back().name == 'c';
    const auto begin = desc.axes.begin(), end = desc.axes.end() - (channels ? 1 : 0);
    if (end - begin < 3) return {};
    if (any(begin, end - 2, "yx")) return "whose rows or columns would be " + std::string(pages);
    return any(end - 2, end, "t") ? "whose times would be rows or columns" : "";
}

}   // namespace parallax::engine
