// The set to be counted as bits on the device, where it is not the array as it stands: resampled, its outline, or in moved grids.
#pragma once

#include "algorithms/box_count/box_count.hpp"
#include "core/plan.hpp"
#include "core/slabs.hpp"

#include <memory>
#include <span>

namespace parallax::engine::box_count {

/// Words of each band that mask_box leaves: the lowest x, row and slice, then the highest, inverted.
constexpr std::size_t corner_words = 6;
/// The box around each band, from those words.
std::vector<Extent> extents_of(const BoxCountSpec&, std::span<const std::byte> corners);

/// Rows of bits along x, lowest first, each row whole 16 bytes. The slices of an image are its rows.
struct BitSize {
    BitSize(const std::array<std::int64_t, 3>& voxels, int dimensions);
    std::int64_t slice() const noexcept { return row * rows; }
    std::size_t bytes(std::int64_t count) const noexcept {
        return static_cast<std::size_t>(slice() * count) * sizeof(std::uint32_t);
    }
    std::array<std::int64_t, 3> voxels;
    std::int64_t row;            ///< words of 32
    std::int64_t rows, slices;
};

/// Bits of which `height` slices are there: slice z at the place z % height.
struct BitRing {
    Scratch memory;
    std::int64_t height = 0;
};

/// The kernels of mask.cl, for any of an array's slices, which become tiles of `tile` voxels a side.
class MaskKernels {
public:
    MaskKernels(PlanBuilder&, const BoxCountSpec&, int tile);
    const BitSize& size() const noexcept { return size_; }
    /// What shift() fills.
    const BitSize& moved_size() const noexcept { return moved_size_; }

    /// Voxels of a band, resampled, in places of `to` that do not go round. `array` begins with the slice `base` of what is
    /// stored.
    void bits(Execution&, const host::Buffer& array, std::int64_t base, const host::Buffer& bands, std::uint32_t band,
              const BitRing& to, const Slices&);
    /// Needs a slice more of `from` on either side.
    void outline(Execution&, const BitRing& from, const BitRing& to, const Slices&);
    /// corners: as mask_box leaves them, by band. First clear_corners(), then lower().
    void clear_corners(Execution&, Scratch corners);
    void lower(Execution&, const BitRing& from, Scratch corners, std::uint32_t band, const Slices&);
    /// `layer`, slices of the grid that begins `shift` voxels (x, y, z) before the array, or before the band's corner. Those of
    /// its tiles that precede all voxels are not there.
    void shift(Execution&, const BitRing& from, Scratch corners, std::uint32_t band, const std::array<std::int64_t, 3>& shift,
               const Slices& layer, Scratch to);

private:
    host::NDRange groups_for(std::int64_t words) const;

    BoxCountSpec spec_;
    std::int64_t tile_;
    BitSize size_, moved_size_;
    std::size_t group_, most_groups_;
    host::Buffer samples_;
    std::vector<std::uint32_t> no_corners_;
    std::unique_ptr<host::Kernel> bits_, outline_, lower_, shift_;
};

/// Whether grids begin elsewhere than at the array's first voxel.
bool moves(const BoxCountSpec&);

/// All of an array.
class MaskStages {
public:
    MaskStages(PlanBuilder&, const BoxCountSpec&, int tile);
    /// What moved() returns.
    const BitSize& size() const noexcept { return kernels_.moved_size(); }
    /// The voxels of a band as bits; `bands` as band_buffer() makes them.
    void enqueue(Execution&, const host::Buffer& volume, const host::Buffer& bands, std::uint32_t band);
    /// After enqueue(): the bits in the grid of shifts()[i], good until the next call.
    const host::Buffer& moved(Execution&, std::size_t i);
    /// After all bands.
    const host::Buffer& corners(Execution& x) const { return x.buffer(corners_); }

private:
    const BitRing& still() const noexcept { return spec_.surface ? outline_ : bits_; }

    BoxCountSpec spec_;
    std::vector<std::array<std::int64_t, 3>> shifts_;
    MaskKernels kernels_;
    BitRing bits_, outline_;
    Scratch corners_, moved_;
    std::uint32_t band_ = 0;
};

}  // namespace parallax::engine::box_count
