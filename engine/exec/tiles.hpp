// A step cut into tiles: which stretch of an axis each computes, and which it reads for that.
//
//   whole   0 . . . . . . . . . . . . . . . . . . n
//   tile 1          [halo| its own   |halo]
//   tile 2                     [halo| its own   |halo]
//
// At the ends tiles are moved inwards, so that all have one size, and one plan serves them. Tiles whose results are added up read
// what is their own, and the last may be smaller.
#pragma once

#include "core/algorithm.hpp"

#include <cstdint>

namespace parallax::engine {

struct Tile {
    std::int64_t first = 0, size = 0;          ///< what it reads
    std::int64_t own_first = 0, own_size = 0;  ///< what it computes for good, counted from the start of the whole
};

struct Tiling {
    Chunking way;
    std::int64_t whole = 0;   ///< elements along the axis
    std::int64_t own = 0;     ///< of each tile, fewer for the last

    std::int64_t count() const noexcept;
    std::int64_t reads(std::int64_t size) const noexcept;   ///< elements for so many of a tile's own, wherever it may begin
    Tile at(std::int64_t tile) const noexcept;
};

/// The array with so many elements along an axis, dense; itself where it has no such axis.
ArrayDesc with_size(const ArrayDesc&, char axis, std::int64_t size);
/// Copies a stretch of one dense array into another place of another along an axis; both have the axis, and else one shape.
void copy_stretch(const ArrayDesc& from, const std::byte* source, std::int64_t from_first, const ArrayDesc& to, std::byte* target,
                  std::int64_t to_first, char axis, std::int64_t size);
/// sums += more, element by element: integers, modulo their range.
void add_up(const ArrayDesc&, std::byte* sums, const std::byte* more);

}  // namespace parallax::engine
