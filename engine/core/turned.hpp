// Arrays that do not lie as images do: columns before rows, or rows or columns where pages stand.
#pragma once

#include <algorithm>

#include "parallax/array.hpp"

namespace parallax::engine {

inline bool is_turned(const ArrayDesc& desc) noexcept {
    const auto place = [&](char name) {
        return std::find_if(desc.axes.begin(), desc.axes.end(), [name](const Axis& axis) { return axis.name == name; });
    };
    return place('y') != desc.axes.end() && place('x') < place('y');
}

/// Whether a format that has rows of columns, and in front of them pages, would take its rows y or its columns x for pages.
inline bool has_rows_for_pages(const ArrayDesc& desc) noexcept {
    const bool channels = !desc.axes.empty() && desc.axes.back().name == 'c';
    const std::size_t n = desc.axes.size() - (channels ? 1 : 0), pages = n > 2 ? n - 2 : 0;
    return std::any_of(desc.axes.begin(), desc.axes.begin() + static_cast<std::ptrdiff_t>(pages),
                       [](const Axis& axis) { return axis.name == 'y' || axis.name == 'x'; });
}

}   // namespace parallax::engine
