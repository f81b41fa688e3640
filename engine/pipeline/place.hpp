// Where the pixels of an array lie, and what arrays that are taken pixel by pixel should have in common.
#pragma once

#include <string>

#include "parallax/array.hpp"

namespace parallax::engine {

/// "RAS": where x, y and z go in a body, by the axis that each is nearest to; empty without an affine.
std::string orientation_of(const Metadata&);
/// "their pixels are not alike: x is 2 mm and 1 mm"; empty where nothing that both say differs.
std::string unlike_pixels(const ArrayDesc&, const ArrayDesc&);
/// "they lie elsewhere: the same voxel is up to 2 mm away"; empty where nothing that both say of an array like `desc` differs.
std::string unlike_places(const Metadata&, const Metadata&, const ArrayDesc& desc);

}   // namespace parallax::engine
