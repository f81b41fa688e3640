// What to do with an array that an algorithm does not take.
#pragma once

#include "parallax/array.hpp"

#include <string>
#include <string_view>

namespace parallax::engine {

/// Of another type than the algorithm takes, which takes `type`.
std::string how_to_convert(const ArrayDesc&, std::string_view type = "f32");
/// With an axis too many: how one slice, volume or channel of it is taken. `slices`: the algorithm takes (z, y, x), too.
std::string how_to_take_one(const ArrayDesc&, char axis, bool slices = false);

}  // namespace parallax::engine
