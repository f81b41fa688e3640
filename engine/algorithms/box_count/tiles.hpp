// The two kernels of pyramid.cl and what goes between them: tiles are folded where they lie, then their flags and counts
// together.
#pragma once

#include "algorithms/box_count/box_count.hpp"
#include "core/plan.hpp"

#include <memory>
#include <vector>

namespace parallax::engine::box_count {

constexpr int smallest_tile = 32;
std::int64_t tiles_of(const std::array<std::int64_t, 3>& size, int tile);
/// Of pyramid.cl, for bits that mask.cl made.
host::Defines bit_defines(int dimensions);

/// How a work-group goes over an array: `wide` tiles side by side along x, each `tile` voxels a side; of `group` work-items.
struct Shape {
    int tile, wide, group;
};

/// A part of a buffer.
struct Piece {
    host::Buffer buffer;
    std::size_t offset, bytes;
};

class TileFolder {
public:
    /// `size`: what tiles cover. sets: what is folded before it is summed up. result_sets: all that is counted, the i-th of them
    /// in the grid of shifts()[i % their number].
    TileFolder(PlanBuilder&, host::Defines, const BoxCountSpec&, const std::array<std::int64_t, 3>& size, Shape, std::size_t sets,
               std::size_t result_sets);
    /// `bands` sets of an array of this size (width in voxels of a row, padding included), its first tile being `base`, by as
    /// many bands of the buffer from `first_band` on.
    void fold(Execution&, const host::Buffer& array, const host::Buffer& band_buffer, const std::array<std::int64_t, 3>& size,
              std::int64_t base, std::size_t set, std::size_t bands, std::size_t first_band = 0);
    /// Counts of the first `sets` folded sets, as results from the set `first` on.
    void sum_up(Execution&, std::size_t first, std::size_t sets);
    /// Memory of a set.
    static std::uint64_t bytes_of_set(const std::array<std::int64_t, 3>& size, const Shape&);
    /// Adds where what fold() leaves of tiles [first, end) of a set, whole rows, lies: all that sum_up() needs to know of them.
    void add_pieces(Execution&, std::size_t set, std::int64_t first, std::int64_t end, std::vector<Piece>& to) const;
    /// Leaves the records of all results, and of the boxes around the bands if `corners` has them (mask.hpp).
    void record(Execution&, const Problem&, const BoxCountSpec&, const host::Buffer* corners);

private:
    /// In one launch.
    void fold_some(Execution&, const host::Buffer& array, const host::Buffer& band_buffer,
                   const std::array<std::int64_t, 3>& size, std::int64_t base, std::size_t rows, std::size_t set,
                   std::size_t bands, std::size_t first_band);
    /// Corners lie behind the results, where any device lets a part of a buffer begin.
    std::size_t corners_at() const noexcept { return (result_sets_ * levels_ * sizeof(Boxes) + 4095) / 4096 * 4096; }

    Shape shape_;
    std::size_t result_sets_, levels_, columns_, room_;
    std::array<std::uint32_t, 3> by_axis_{};
    std::uint32_t tiles_, groups_ = 0, grids_;
    host::Buffer leads_;      ///< of each grid, x, y, z: tiles of it that precede the first
    std::size_t at_a_time_;   ///< sets of a launch: one where loops are cut, since box_tiles goes over all of them in one
    std::unique_ptr<host::Kernel> tile_kernel_, top_kernel_;
    Scratch tops_, counts_, higher_, results_;
};

}  // namespace parallax::engine::box_count
