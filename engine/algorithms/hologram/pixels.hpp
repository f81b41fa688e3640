// Camera frames of any real type as the doubles that the host computes with.
#pragma once

#include "parallax/array.hpp"

#include <cstddef>
#include <cstdint>

namespace parallax::engine::hologram {

/// Rows of an image's y axis.
struct Rows {
    std::int64_t first, count;
};

/// Those rows of a real image into `out`, one after the other; false, and nothing read, where its elements are complex. `first`:
/// element 0, desc.offset counted in.
bool read_pixels(const ArrayDesc&, const std::byte* first, Rows, double* out);

}  // namespace parallax::engine::hologram
