// The pyramid of an array that comes slab by slab.
#pragma once

#include "algorithms/box_count/mask.hpp"
#include "algorithms/box_count/tiles.hpp"
#include "core/plan.hpp"

#include <memory>

namespace parallax::engine::box_count {

/// Of an array that ranks share: each folds the layers of tiles, of every grid, that begin in its slices, for which it needs a
/// few of those behind. Slices are of what is counted: resampled ones where the array is resampled.
class SlabCounting : public Plan {
public:
    virtual std::int64_t slices() const noexcept = 0;
    /// Slices that are folded at a time: what shares should be multiples of.
    virtual std::int64_t layer() const noexcept = 0;
    /// Slices of the array that these come from.
    virtual Slices stored(Slices) const = 0;

    /// Begins a pass over this rank's share, and says which slices of the array enqueue_slab() wants.
    virtual Slices begin(Execution&, int pass, Slices share) = 0;
    /// Whether a pass is there to find the boxes around the bands.
    virtual bool finds_boxes(int pass) const noexcept = 0;
    /// Whether the boxes are asked for, too: then they are complete after the last pass.
    virtual bool finds_extents() const noexcept = 0;
    /// After such a pass: corner_words of each band (mask.hpp) that this rank has seen. Of several the lowest word counts.
    virtual std::vector<std::uint32_t> boxes(Execution&) const = 0;
    /// What all have seen, before the next pass.
    virtual void set_boxes(Execution&, const std::vector<std::uint32_t>&) = 0;

    /// After the last pass: what it leaves of a rank's share, and all that enqueue() needs to know of it.
    virtual std::vector<Piece> pieces(Execution&, Slices share) const = 0;
};
std::unique_ptr<SlabCounting> make_slab_plan(PlanBuilder&, const Problem&, Shape);

}  // namespace parallax::engine::box_count
