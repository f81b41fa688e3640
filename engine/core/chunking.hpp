// Ways to cut that many algorithms share.
#pragma once

#include "core/algorithm.hpp"

#include <string_view>

namespace parallax::engine {

/// Along each axis of `desc` that is not one of `but`, slowest first: for results that need no neighbour. `like` has the rest.
inline Division along_axes(const ArrayDesc& desc, std::string_view but = {}, const Chunking& like = {}) {
    Division division;
    for (const Axis& axis : desc.axes) {
        if (axis.size < 2 || but.find(axis.name) != std::string_view::npos) continue;
        division.ways.push_back(like);
        division.ways.back().axis = axis.name;
    }
    if (division.ways.empty()) division.why_not = "it has one slice, and that is computed as a whole";
    return division;
}

/// Along the axes before the last `inner` ones.
inline Division along_stack(const ArrayDesc& desc, std::size_t inner, const Chunking& like = {}) {
    std::string last;
    for (std::size_t i = desc.axes.size() - std::min(inner, desc.axes.size()); i < desc.axes.size(); ++i)
        last += desc.axes[i].name;
    return along_axes(desc, last, like);
}

}  // namespace parallax::engine
