// The pyramid of an array that comes slab by slab.
#pragma once

#include "algorithms/box_count/tiles.hpp"
#include "core/plan.hpp"

#include <memory>

namespace parallax::engine::box_count {

/// Why several devices cannot share the counting; empty: they can.
std::string why_no_ranks(const BoxCountSpec&);

class SlabCounting : public Plan {
public:
    /// Of an array that ranks share: this one's slabs begin at this slice, which is where a layer begins.
    virtual void begin_at(std::int64_t first) = 0;
    /// Slices that are folded at a time.
    virtual std::int64_t layer() const noexcept = 0;
    /// What enqueue_slab() leaves of slices [first, end), whole layers: all that enqueue() needs to know of them.
    virtual std::vector<Piece> pieces(Execution&, std::int64_t first, std::int64_t end) const = 0;
};
std::unique_ptr<SlabCounting> make_slab_plan(PlanBuilder&, const Problem&, Shape);

}  // namespace parallax::engine::box_count
