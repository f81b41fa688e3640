// What travels beside an array through a step.
#pragma once

#include "core/algorithm.hpp"

#include <array>

namespace parallax::engine {

/// The metadata of a step's output, from that of its input (Algorithm::carry).
Metadata carry(const Algorithm&, const Parameters&, const ArrayDesc& input, Metadata);

/// The origin of the affine, as many voxels further along x, y and z.
Metadata with_origin_moved(Metadata, const std::array<double, 3>& voxels);
Metadata without_affine(Metadata);
/// With the names of so many channels from the first on. What is left of colours is named; else none where they are not named.
Metadata with_channels_cut(Metadata, const ArrayDesc& input, std::size_t first, std::size_t count);

}  // namespace parallax::engine
