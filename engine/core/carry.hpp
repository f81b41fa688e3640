// What travels beside an array through a step.
#pragma once

#include "core/parameters.hpp"
#include "parallax/array.hpp"

#include <string>

namespace parallax::engine {

/// The metadata of a step's output, from that of its input. Most steps leave every element where it is in space; one that
/// takes a part moves the affine's origin to the part's first voxel, and one whose elements are in no such space any more
/// gives none.
Metadata carry(const std::string& algorithm, const Parameters&, const ArrayDesc& input, Metadata);

}  // namespace parallax::engine
