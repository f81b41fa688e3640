// The set to be counted as bits on the device, where it is not the array as it stands: resampled, its outline, or in moved grids.
#pragma once

#include "algorithms/box_count/box_count.hpp"
#include "core/plan.hpp"

#include <memory>

namespace parallax::engine::box_count {

/// Rows of bits along x, lowest first, each row whole 16 bytes.
struct BitSize {
    explicit BitSize(const std::array<std::int64_t, 3>& voxels);
    std::int64_t words() const noexcept { return row * voxels[1] * voxels[2]; }
    std::array<std::int64_t, 3> voxels;
    std::int64_t row;   ///< words of 32
};

/// The voxels of a band as bits.
class BitsStage {
public:
    BitsStage(PlanBuilder&, const BoxCountSpec&);
    /// All of an array.
    void enqueue(Execution&, const host::Buffer& volume, const host::Buffer& bands, std::uint32_t band, const host::Buffer& bits);
    /// `count` slices (rows of an image) from the one at `from` on, to the slice `to` of the bits.
    void enqueue(Execution&, const host::Buffer& slices, const host::Buffer& bands, std::uint32_t band, const host::Buffer& bits, std::int64_t from, std::int64_t to,
                 std::int64_t count);

private:
    BoxCountSpec spec_;
    std::int64_t row_words_;
    std::size_t group_, most_groups_;
    host::Buffer samples_;
    std::unique_ptr<host::Kernel> kernel_;
};

class MaskStages {
public:
    MaskStages(PlanBuilder&, const BoxCountSpec&);
    /// What moved() returns.
    const BitSize& size() const noexcept { return moved_size_; }
    /// The voxels of a band as bits; `bands` as band_buffer() makes them.
    void enqueue(Execution&, const host::Buffer& volume, const host::Buffer& bands, std::uint32_t band);
    /// After enqueue(): the bits in the grid of shifts()[i], good until the next call.
    const host::Buffer& moved(Execution&, std::size_t i);

private:
    const host::Buffer& still(Execution& x) const { return x.buffer(spec_.surface ? outline_ : bits_); }
    host::NDRange groups_for(std::int64_t words) const;

    BoxCountSpec spec_;
    std::vector<std::array<std::int64_t, 3>> shifts_;
    BitSize size_, moved_size_;
    std::size_t group_, most_groups_;
    BitsStage bits_stage_;
    Scratch bits_, outline_, corner_, moved_;
    std::unique_ptr<host::Kernel> outline_kernel_, clear_kernel_, box_kernel_, shift_kernel_;
};

}  // namespace parallax::engine::box_count
