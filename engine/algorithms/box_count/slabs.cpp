// Slabs of any height become bits of a layer one tile high; a full layer is folded like any other, and only its tiles' flags and
// counts stay. So a volume takes the memory of two slabs, of a layer of bits, and of about 45 bytes for each 64^3 voxels.
#include "algorithms/box_count/slabs.hpp"

#include "algorithms/box_count/device.hpp"
#include "algorithms/box_count/mask.hpp"
#include "algorithms/box_count/tiles.hpp"
#include "core/integers.hpp"

#include <algorithm>

namespace parallax::engine::box_count {
namespace {

/// The axis that slabs follow: y of an image, z of a volume.
std::size_t slow_axis(const BoxCountSpec& spec) { return static_cast<std::size_t>(spec.dimensions - 1); }

std::array<std::int64_t, 3> layer_of(const BoxCountSpec& spec, int tile) {
    std::array<std::int64_t, 3> size = spec.size;
    size[slow_axis(spec)] = tile;
    return size;
}

class SlabPlan final : public Plan {
public:
    SlabPlan(PlanBuilder& builder, const Problem& problem, Shape shape)
        : problem_(problem),
          spec_(spec_of(problem)),
          tile_(shape.tile),
          layer_(layer_of(spec_, shape.tile)),
          layer_tiles_(tiles_of(layer_, shape.tile)),
          bits_stage_(builder, spec_),
          folder_(builder, bit_defines(spec_.dimensions), spec_, spec_.size, shape, spec_.bands.size(), spec_.bands.size()),
          bands_(band_buffer(builder, spec_)) {
        const BitSize bits(layer_);
        for (std::size_t band = 0; band < spec_.bands.size(); ++band) bits_.push_back(builder.scratch(static_cast<std::size_t>(bits.words()) * sizeof(std::uint32_t)));
    }

    void enqueue_slab(Execution& x, const host::Buffer& slices, int /*pass*/, std::int64_t first, std::int64_t count) override {
        for (std::int64_t taken = 0; taken < count;) {
            const std::int64_t at = (first + taken) % tile_, some = std::min(count - taken, tile_ - at);
            for (std::size_t band = 0; band < bits_.size(); ++band)
                bits_stage_.enqueue(x, slices, bands_, static_cast<std::uint32_t>(band), x.buffer(bits_[band]), taken, at, some);
            taken += some;
            if (at + some == tile_ || first + taken == spec_.size[slow_axis(spec_)]) fold_layer(x, (first + taken - 1) / tile_, at + some);
        }
    }

    void enqueue(Execution& x, const Bindings&) override {
        folder_.sum_up(x, 0);
        folder_.record(x, problem_, spec_);
    }

private:
    void fold_layer(Execution& x, std::int64_t layer, std::int64_t filled) {
        std::array<std::int64_t, 3> size = layer_;
        size[slow_axis(spec_)] = filled;
        size[0] = 32 * BitSize(layer_).row;
        for (std::size_t band = 0; band < bits_.size(); ++band) folder_.fold(x, x.buffer(bits_[band]), bands_, size, layer * layer_tiles_, band, 1);
    }

    Problem problem_;
    BoxCountSpec spec_;
    std::int64_t tile_;
    std::array<std::int64_t, 3> layer_;   ///< x, y, z in voxels
    std::int64_t layer_tiles_;
    BitsStage bits_stage_;
    TileFolder folder_;
    host::Buffer bands_;
    std::vector<Scratch> bits_;           ///< a layer of each band
};

}  // namespace

std::string why_no_slabs(const BoxCountSpec& spec) {
    if (spec.surface) return "a surface needs the array as a whole";
    if (spec.origin != Origin::corner) return "a bounding box needs the array as a whole";
    if (spec.offsets > 1) return "several grids need the array as a whole";
    if (spec.size != spec.stored) return "resampling needs the array as a whole";
    return {};
}

std::unique_ptr<Plan> make_slab_plan(PlanBuilder& builder, const Problem& problem, Shape shape) { return std::make_unique<SlabPlan>(builder, problem, shape); }

}  // namespace parallax::engine::box_count
