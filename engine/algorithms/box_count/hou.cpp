// `hou`: the source paper's method on the device, with the engine's radix sort.
#include "algorithms/box_count/device.hpp"
#include "algorithms/box_count/hou.hpp"
#include "algorithms/box_count/mask.hpp"
#include "algorithms/box_count/tiles.hpp"
#include "core/long_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace parallax::engine::box_count {
namespace {

constexpr std::int64_t most_voxels = (std::int64_t{1} << 32) - 1;   // what a count of 32 bits holds

sort::SortSpec sort_spec(const BoxCountSpec& spec) {
    sort::SortSpec s;
    s.end = spec.top * spec.dimensions + 1;
    s.type = s.end <= 32 ? ElementType::u32 : ElementType::u64;
    s.count = spec.voxels();
    return s;
}

class HouPlan final : public Plan {
public:
    HouPlan(PlanBuilder& builder, const Problem& problem, int group, const MakeSorter& make_sorter)
        : problem_(problem), spec_(spec_of(problem)), bands_(band_buffer(builder, spec_)) {
        const sort::SortSpec keys = sort_spec(spec_);
        host::Defines d = voxel_defines(spec_);
        d.add("BITS", spec_.top).add("WIDE", keys.type == ElementType::u64);
        const host::ProgramSpec program{"box_count/hou.cl", d};
        group_ = std::min<std::size_t>(static_cast<std::size_t>(group), builder.device().max_work_group);
        keys_kernel_ = builder.kernel(program, "hou_keys", group_);
        clear_kernel_ = builder.kernel(program, "hou_clear", group_);
        count_kernel_ = builder.kernel(program, "hou_count", group_);
        const std::size_t key_bytes = static_cast<std::size_t>(keys.count) * bytes_of(keys.type);
        keys_ = builder.scratch(key_bytes);
        sorted_ = builder.scratch(key_bytes);
        counts_ = builder.scratch(spec_.bands.size() * (set_bytes() + corner_bytes));
        if (spec_.extents) mask_ = std::make_unique<MaskStages>(builder, spec_, smallest_tile);
        sorter_ = make_sorter(builder, keys);
        // A voxel takes a round for each of its bits at most, and two more.
        const std::int64_t a_voxel = spec_.top + 3;
        const std::size_t count = static_cast<std::size_t>(keys.count);
        groups_ = std::size_t{32} * builder.device().compute_units;
        if (!too_many_rounds(builder.context(), a_voxel * static_cast<std::int64_t>(count / group_ / groups_ + 1)).empty())
            groups_ = std::max(groups_, count / static_cast<std::size_t>(most_rounds(builder.context()) / a_voxel) / group_ + 1);
        groups_ = std::min((count + group_ - 1) / group_, groups_);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const auto count = static_cast<std::uint64_t>(spec_.voxels());
        const host::Buffer &keys = x.buffer(keys_), &sorted = x.buffer(sorted_), &all = x.buffer(counts_);
        for (std::uint32_t label = 0; label < spec_.bands.size(); ++label) {
            const host::Buffer counts = all.sub(label * set_bytes(), set_bytes());
            x.launch("interleave", *keys_kernel_, {groups_, 1, 1}, {group_, 1, 1},
                     {arrays.input(spec_.port), bands_, keys, static_cast<std::uint32_t>(spec_.size[0]),
                      static_cast<std::uint32_t>(spec_.size[1]), count, label});
            {
                const auto scope = x.scope("sort");
                sorter_->enqueue(x, {keys, {}}, {sorted, {}});
            }
            if (mask_) mask_->enqueue(x, arrays.input(spec_.port), bands_, label);
            x.launch("clear", *clear_kernel_, {1, 1, 1}, {group_, 1, 1}, {counts});
            x.launch("count", *count_kernel_, {groups_, 1, 1}, {group_, 1, 1}, {sorted, counts, count});
        }
        const std::size_t sets = spec_.bands.size() * set_bytes(), boxes = mask_ ? spec_.bands.size() * corner_bytes : 0;
        if (mask_) x.copy("bounding box", mask_->corners(x), all.sub(sets, boxes), boxes);
        record_counts(
            x, problem_, spec_, all, sets + boxes,
            [spec = spec_, stride = set_bytes(), sets, boxes](std::span<const std::byte> bytes) {
                Counted read{std::vector<BoxCounts>(spec.bands.size(), BoxCounts(static_cast<std::size_t>(spec.top) + 1)), {}};
                for (std::size_t label = 0; label < read.counts.size(); ++label)
                    for (std::size_t m = 0; m < read.counts[label].size(); ++m) {
                        std::uint32_t pair[2];
                        std::memcpy(pair, bytes.data() + label * stride + m * sizeof pair, sizeof pair);
                        read.counts[label][m] = {pair[0], pair[1]};
                    }
                if (boxes > 0) read.extents = extents_of(spec, bytes.subspan(sets, boxes));
                return read;
            });
    }

private:
    static constexpr std::size_t corner_bytes = corner_words * sizeof(std::uint32_t);
    static constexpr std::size_t set_bytes() { return 4096; }   // counts of a label, at the alignment of any device's sub-buffers

    Problem problem_;
    BoxCountSpec spec_;
    host::Buffer bands_;
    std::unique_ptr<host::Kernel> keys_kernel_, clear_kernel_, count_kernel_;
    std::unique_ptr<sort::Sorter> sorter_;
    std::unique_ptr<MaskStages> mask_;   ///< for the boxes around the sets, where these are asked for
    Scratch keys_, sorted_, counts_;
    std::size_t group_ = 0, groups_ = 0;
};

}  // namespace

std::string why_not_hou(const Problem& problem) {
    const BoxCountSpec spec = spec_of(problem);
    if (!spec.as_it_is())
        return "it counts the array's own voxels in the grid that begins at the first: resampling, surfaces, other origins and "
               "offsets are for the pyramids";
    return spec.voxels() <= most_voxels ? "" : fmt::format("{} voxels, and it sorts at most {}", spec.voxels(), most_voxels);
}

std::unique_ptr<Plan> make_hou_plan(PlanBuilder& builder, const Problem& problem, int group, const MakeSorter& make_sorter) {
    return std::make_unique<HouPlan>(builder, problem, group, make_sorter);
}

Variant hou_variant() {
    return {
        .name = "hou",
        .summary = "the source paper's: interleave, radix sort, mask, check, count",
        .role = Role::baseline,
        .policy = {{"work_group_size", 128, {64, 128, 256}, "work-items of a group"}},
        .supports = [](const Problem& problem, host::Context&) { return Support{why_not_hou(problem)}; },
        .plan = [](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
            return make_hou_plan(builder, problem, policy.at("work_group_size"),
                                 [](PlanBuilder& b, const sort::SortSpec& spec) { return sort::make_best(b, spec); });
        },
    };
}

}  // namespace parallax::engine::box_count
