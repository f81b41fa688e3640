// `pyramid` and `lanes`: pyramid.cl with work-groups of many work-items, or of one.
#include "algorithms/box_count/device.hpp"
#include "algorithms/box_count/mask.hpp"
#include "core/integers.hpp"
#include "core/lanes.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <memory>

namespace parallax::engine::box_count {
namespace {

std::int64_t tiles_of(const BoxCountSpec& spec, int tile) {
    std::int64_t tiles = 1;
    for (const std::int64_t size : spec.shifted_size()) tiles *= divided_up(size, tile);
    return tiles;
}

/// Of bits that MaskStages made.
host::Defines mask_defines(int dimensions) {
    host::Defines d;
    return d.add("ELEMENT_BYTES", 1).add("PACKED", 1).add("ALIGNED", 1).add("DIMS", dimensions);
}

class PyramidPlan final : public Plan {
public:
    PyramidPlan(PlanBuilder& builder, const Problem& problem, int tile, int group)
        : problem_(problem), spec_(spec_of(problem)), group_(static_cast<std::size_t>(group)),
          tiles_(tiles_of(spec_, tile)), bands_(band_buffer(builder, spec_)) {
        if (!spec_.as_it_is()) mask_ = std::make_unique<MaskStages>(builder, spec_);
        const int tile_bits = std::countr_zero(static_cast<unsigned>(tile));
        columns_ = static_cast<std::size_t>(2 * tile_bits - 1);
        for (std::size_t axis = 0; axis < 3; ++axis) tiles_by_axis_[axis] = static_cast<std::uint32_t>(divided_up(spec_.shifted_size()[axis], tile));
        host::Defines d = voxel_defines(spec_);
        if (mask_) d = mask_defines(spec_.dimensions);
        else if (spec_.packed) d.add("ALIGNED", spec_.pitch() % 16 == 0);
        else d.add("ALIGNED", spec_.size[0] % 16 == 0);
        d.add("TILE", tile).add("TILE_BITS", tile_bits).add("GROUP", group);
        const host::ProgramSpec program{"box_count/pyramid.cl", d};
        tile_kernel_ = builder.kernel(program, "box_tiles");
        top_kernel_ = builder.kernel(program, "box_tops");
        const std::size_t labels = mask_ ? 1 : spec_.bands.size(), tiles = static_cast<std::size_t>(tiles_);
        room_ = tiles + 64;   // halves of halves, and one more for each of at most 30 sizes
        tops_ = builder.scratch(labels * tiles);
        counts_ = builder.scratch(labels * tiles * columns_ * sizeof(std::uint32_t));
        higher_ = builder.scratch(labels * room_);
        results_ = builder.scratch(result_bytes());
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer& volume = arrays.input(spec_.port);
        if (!mask_) {
            const std::int64_t width = spec_.packed ? 8 * spec_.pitch() : spec_.size[0];
            count(x, volume, {width, spec_.size[1], spec_.size[2]}, 0, spec_.bands.size());
        } else {
            for (std::size_t band = 0, set = 0; band < spec_.bands.size(); ++band) {
                mask_->enqueue(x, volume, bands_, static_cast<std::uint32_t>(band));
                for (std::size_t grid = 0; grid < grids_; ++grid, ++set)
                    count(x, mask_->moved(x, grid), {32 * mask_->size().row, mask_->size().voxels[1], mask_->size().voxels[2]}, set, 1);
            }
        }
        record_counts(x, problem_, spec_, x.buffer(results_), result_bytes(), [spec = spec_, sets = spec_.bands.size() * grids_](std::span<const std::byte> bytes) {
            std::vector<BoxCounts> all(sets, BoxCounts(static_cast<std::size_t>(spec.top) + 1));
            for (BoxCounts& counts : all) {
                std::memcpy(counts.data(), bytes.data(), counts.size() * sizeof(Boxes));
                bytes = bytes.subspan(counts.size() * sizeof(Boxes));
            }
            return all;
        });
    }

private:
    /// `sets` bands of an array, as results from the set `first` on.
    void count(Execution& x, const host::Buffer& volume, const std::array<std::int64_t, 3>& size, std::size_t first, std::size_t sets) {
        const auto u32 = [](auto v) { return static_cast<std::uint32_t>(v); };
        x.launch("tiles", *tile_kernel_, {static_cast<std::size_t>(tiles_), 1, 1}, {group_, 1, 1},
                 {volume, bands_, x.buffer(tops_), x.buffer(counts_), u32(size[0]), u32(size[1]), u32(size[2]), tiles_by_axis_[0], tiles_by_axis_[1], u32(tiles_),
                  u32(sets)});
        x.launch("tops", *top_kernel_, {1 + columns_, sets, 1}, {group_, 1, 1},
                 {x.buffer(tops_), x.buffer(counts_), x.buffer(higher_), x.buffer(results_), tiles_by_axis_[0], tiles_by_axis_[1], tiles_by_axis_[2],
                  u32(tiles_), u32(room_), u32(spec_.top), u32(first)});
    }
    std::size_t result_bytes() const { return spec_.bands.size() * grids_ * (static_cast<std::size_t>(spec_.top) + 1) * sizeof(Boxes); }

    Problem problem_;
    BoxCountSpec spec_;
    std::unique_ptr<MaskStages> mask_;   ///< where the array is not counted as it stands
    std::size_t grids_ = spec_.shifts().size();
    std::size_t group_, columns_ = 0, room_ = 0;
    std::int64_t tiles_;
    std::array<std::uint32_t, 3> tiles_by_axis_{};
    host::Buffer bands_;
    std::unique_ptr<host::Kernel> tile_kernel_, top_kernel_;
    Scratch tops_, counts_, higher_, results_;
};

std::string too_many_tiles(const Problem& problem, int tile) {
    const std::int64_t tiles = tiles_of(spec_of(problem), tile);
    const std::int64_t most = std::numeric_limits<std::int32_t>::max() - 64;
    return tiles <= most ? "" : fmt::format("{} tiles, and it counts at most {}", tiles, most);
}

}  // namespace

Variant pyramid_variant() {
    Variant v = device_variant("pyramid", "one read: bits of any and all folded in registers and local memory, then the tiles' flags", Role::best,
                               {"box_count/pyramid.cl", "box_count/mask.cl"},
                               {{"tile", 0, {0, 32, 64, 128}, "voxels a side that a work-group folds; 0: 128 where there are two such tiles a compute unit, else 64"},
                                {"work_group_size", 256, {64, 128, 256, 512}, "work-items of a group, a power of two"}});
    v.supports = [](const Problem& problem, host::Context& context) {
        if (context.info().max_work_group < 64) return Support::no("the device runs fewer than 64 work-items a group");
        return Support{too_many_tiles(problem, 32)};
    };
    v.plan = [](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
        const auto most = static_cast<int>(std::bit_floor(static_cast<unsigned>(builder.device().max_work_group)));
        const bool many = tiles_of(spec_of(problem), 128) >= 2 * std::int64_t{builder.device().compute_units};
        const int tile = policy.at("tile") != 0 ? policy.at("tile") : many ? 128 : 64;
        return std::make_unique<PyramidPlan>(builder, problem, tile, std::min(policy.at("work_group_size"), most));
    };
    return v;
}

Variant lanes_variant() {
    Variant v = device_variant("lanes", "for processors: the pyramid with a tile a work-item, no barriers", Role::best, {"box_count/pyramid.cl", "box_count/mask.cl"},
                               {{"tile", 64, {32, 64, 128}, "voxels a side that a work-item folds"}});
    v.backends = {host::Backend::opencl};
    v.supports = [](const Problem& problem, host::Context& context) {
        if (std::string reason = lanes_why_not(context.info()); !reason.empty()) return Support::no(std::move(reason));
        return Support{too_many_tiles(problem, 32)};
    };
    v.plan = [](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
        return std::make_unique<PyramidPlan>(builder, problem, policy.at("tile"), 1);
    };
    return v;
}

}  // namespace parallax::engine::box_count
