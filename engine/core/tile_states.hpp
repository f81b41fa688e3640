// Words by which the work-groups of a single-pass kernel agree: CONTROL of kernels_cl/common/tile_states.clh.
#pragma once

#include <cstddef>

namespace parallax::engine {

struct TileControl {
    enum Word : std::size_t { runs, left, gave_up, times, ticket, count };
};

}  // namespace parallax::engine
