// `pyramid` and `simd`: pyramid.cl with work-groups of many work-items, or of one.
#include "algorithms/box_count/device.hpp"
#include "algorithms/box_count/mask.hpp"
#include "algorithms/box_count/part.hpp"
#include "algorithms/box_count/slabs.hpp"
#include "algorithms/box_count/tiles.hpp"
#include "core/integers.hpp"
#include "core/simd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <utility>

namespace parallax::engine::box_count {
namespace {

/// Whether the set is made bits before it is counted.
bool needs_bits(const BoxCountSpec& spec) { return !spec.as_it_is() || spec.extents; }

host::Defines tile_defines(const BoxCountSpec& spec) {
    if (needs_bits(spec)) return bit_defines(spec.dimensions);
    return voxel_defines(spec).add("ALIGNED", spec.packed ? spec.pitch() % 16 == 0 : spec.size[0] % 16 == 0);
}

/// Bands that are folded at a time, so that memory does not grow with labels.
constexpr std::size_t most_sets = 512;

class PyramidPlan final : public Plan {
public:
    PyramidPlan(PlanBuilder& builder, const Problem& problem, Shape shape)
        : problem_(problem),
          spec_(spec_of(problem)),
          mask_(needs_bits(spec_) ? std::make_unique<MaskStages>(builder, spec_, shape.tile) : nullptr),
          grids_(spec_.shifts().size()),
          folder_(builder, tile_defines(spec_), spec_, spec_.covered_size(shape.tile), shape,
                  mask_ ? 1 : std::min(spec_.bands.size(), most_sets), spec_.bands.size() * grids_),
          bands_(band_buffer(builder, spec_)) {}

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer& volume = arrays.input(spec_.port);
        if (!mask_) {
            const std::int64_t width = spec_.packed ? 8 * spec_.pitch() : spec_.size[0];
            for (std::size_t first = 0; first < spec_.bands.size(); first += most_sets) {
                const std::size_t sets = std::min(most_sets, spec_.bands.size() - first);
                folder_.fold(x, volume, bands_, {width, spec_.size[1], spec_.size[2]}, 0, 0, sets, first);
                folder_.sum_up(x, first, sets);
            }
        } else {
            const auto& bits = mask_->size();
            for (std::size_t band = 0, set = 0; band < spec_.bands.size(); ++band) {
                mask_->enqueue(x, volume, bands_, static_cast<std::uint32_t>(band));
                for (std::size_t grid = 0; grid < grids_; ++grid, ++set) {
                    folder_.fold(x, mask_->moved(x, grid), bands_, {32 * bits.row, bits.voxels[1], bits.voxels[2]}, 0, 0, 1);
                    folder_.sum_up(x, set, 1);
                }
            }
        }
        folder_.record(x, problem_, spec_, mask_ && spec_.extents ? &mask_->corners(x) : nullptr);
    }

private:
    Problem problem_;
    BoxCountSpec spec_;
    std::unique_ptr<MaskStages> mask_;   ///< where the array is not counted as it stands
    std::size_t grids_;
    TileFolder folder_;
    host::Buffer bands_;
};

std::unique_ptr<Plan> make_plan(PlanBuilder& builder, const Problem& problem, Shape shape) {
    if (problem.slab > 0) return make_slab_plan(builder, problem, shape);
    return std::make_unique<PyramidPlan>(builder, problem, shape);
}

/// Empty: it can be counted.
std::string why_not(const Problem& problem) {
    const BoxCountSpec spec = spec_of(problem);
    if (problem.slab > 0 || problem.ranks > 1) {   // axes of one element may lie before those of the voxels
        const char front = problem.inputs.at(spec.port).axes.front().name, slow = "xyz"[spec.dimensions - 1];
        if (front != slow)
            return fmt::format("parts of an array are cut along its first axis: that is {}, and boxes are counted along {}",
                               front, slow);
    }
    const std::int64_t tiles = tiles_of(spec.covered_size(smallest_tile), smallest_tile);
    const std::int64_t most = std::numeric_limits<std::int32_t>::max() - 64;
    return tiles <= most ? "" : fmt::format("{} tiles, and it counts at most {}", tiles, most);
}

/// What the policy says; where it leaves the choice, tiles that leave no compute unit idle. Of bits a work-group takes 1024 along
/// x: whole lines of 128 bytes (measured on an H200, 2048^3: 16 bytes .56 ms, 32 .35, 64 .32, 128 .27).
Shape shape_of(const BoxCountSpec& spec, bool slabs, const Policy& policy, const host::DeviceInfo& device) {
    const bool bits = spec.packed || slabs || needs_bits(spec);
    const auto many = [&](std::int64_t groups) { return groups >= 2 * std::int64_t{device.compute_units}; };
    Shape shape{
        policy.at("tile"), policy.at("wide"),
        std::min(policy.at("work_group_size"), static_cast<int>(std::bit_floor(static_cast<unsigned>(device.max_work_group))))};
    if (shape.tile == 0) shape.tile = !bits && many(tiles_of(spec.size, 128)) ? 128 : 64;
    if (shape.wide == 0) {
        const auto size = spec.covered_size(shape.tile);
        const auto across = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(divided_up(size[0], shape.tile))));
        const int most = !bits ? 1 : many(tiles_of(size, shape.tile) * shape.tile / 1024) ? 1024 / shape.tile : 256 / shape.tile;
        shape.wide = std::min(most, across);
    }
    return shape;
}

}  // namespace

Variant pyramid_variant() {
    return {
        .name = "pyramid",
        .summary = "one read: bits of any and all folded in registers and local memory, then the tiles' flags",
        .role = Role::best,
        .policy = {{"tile",
                    0,
                    {0, 32, 64, 128},
                    "voxels a side; 0: 64, or 128 where these are not bits and two such tiles a compute unit"},
                   {"wide",
                    0,
                    {0, 1, 2, 4, 8, 16},
                    "tiles side by side along x that a work-group folds; 0: as many as make 128 or 32 bytes of bits, else 1"},
                   {"work_group_size", 256, {64, 128, 256, 512}, "work-items of a group, a power of two"}},
        .slabs = true,
        .supports =
            [](const Problem& problem, host::Context& context) {
                if (context.info().max_work_group < 64) return Support::no("the device runs fewer than 64 work-items a group");
                return Support{why_not(problem)};
            },
        .plan = [](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
            return make_plan(builder, problem, shape_of(spec_of(problem), problem.slab > 0, policy, builder.device()));
        },
        .part =
            [](PlanBuilder& builder, const Problem& problem, const Policy& policy, int rank) {
                return make_part(builder, problem, shape_of(spec_of(problem), true, policy, builder.device()), rank);
            },
    };
}

Variant simd_variant() {
    return {
        .name = "simd",
        .formerly = {"lanes"},
        .summary = "for processors: the pyramid with a tile a work-item, no barriers",
        .role = Role::best,
        .backends = {host::Backend::opencl},
        .policy = {{"tile", 64, {32, 64, 128}, "voxels a side that a work-item folds"}},
        .slabs = true,
        .supports =
            [](const Problem& problem, host::Context& context) {
                if (std::string reason = simd_why_not(context.info(), OnMesa::well); !reason.empty())
                    return Support::no(std::move(reason));
                return Support{why_not(problem)};
            },
        .plan = [](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
            return make_plan(builder, problem, {policy.at("tile"), 1, 1});
        },
        .part =
            [](PlanBuilder& builder, const Problem& problem, const Policy& policy, int rank) {
                return make_part(builder, problem, {policy.at("tile"), 1, 1}, rank);
            },
    };
}

}  // namespace parallax::engine::box_count
