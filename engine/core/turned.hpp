// Arrays whose columns come before their rows, which is not how images lie.
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

}   // namespace parallax::engine
