// `onesweep`: all digits are counted in one read, then each pass reads and writes the keys once.
#include "algorithms/sort/passes.hpp"
#include "core/tile_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace parallax::engine::sort {
namespace {

constexpr std::int64_t count_words = 8192;   // 32 KiB of local memory for counting

// Work-items of the sweep that a compute unit should hold: with 64 to 85 registers each; left to itself NVIDIA's compiler has
// taken 116, and one group of 512 ran where two do. Where the keys and values of a tile alone fill so many, one group has all.
std::int64_t resident_items(const SortSpec& spec, std::int64_t group, std::int64_t items) {
    constexpr std::int64_t all_registers = 65536, besides = 20;
    const std::int64_t together = 1024 / group * group;
    const bool crowded = spec.values && spec.type == ElementType::u32 && 2 * items + besides > all_registers / together;
    return crowded ? group : together;
}

class OnesweepSorter final : public RadixPasses {
public:
    OnesweepSorter(PlanBuilder& builder, const SortSpec& spec, const RadixShape& shape, int looks, int polls)
        : RadixPasses(builder, spec, shape.digit_bits, 32),
          group_(shape.work_group),
          count_group_(shape.count_group),
          polls_(u32(polls)) {
        if (!sorts()) return;
        const std::int64_t tiles = divided_up(spec.count, group_ * shape.items), units = builder.device().compute_units;
        groups_ = std::min(tiles, units * shape.groups_per_unit);
        count_groups_ = std::min(divided_up(spec.count, count_group_ * 16), units * 4);
        const auto copies =
            static_cast<std::int64_t>(std::bit_floor(u64(std::clamp<std::int64_t>(count_words / (passes() * bins()), 1, 32))));

        host::ProgramSpec count{"sort/onesweep_count.cl", defines()}, sweep{"sort/onesweep.cl", defines()};
        const bool cuda = builder.device().backend == host::Backend::cuda;
        sweep.resident_items = cuda ? resident_items(spec, group_, shape.items) : 1024 / group_ * group_;
        count.defines.add("GROUP", count_group_).add("PASSES", passes()).add("COPIES", copies);
        sweep.defines.add("GROUP", group_)
            .add("ITEMS", shape.items)
            .add("MATCH", static_cast<std::int64_t>(shape.match))
            .add("HALVES", ranks_by_halves(spec, builder.device()) ? 1 : 0)
            .add("LOOKS", looks)
            // Through OpenCL, NVIDIA's compiler keeps them outside registers.
            .add("VALUES_EARLY", cuda && spec.values && spec.type == ElementType::u32);
        clear_kernel_ = builder.kernel(count, "clear_totals");
        count_kernel_ = builder.kernel(count, "count_all");
        starts_kernel_ = builder.kernel(count, "digit_starts");
        sweep_kernel_ = builder.kernel(sweep, "onesweep", static_cast<std::size_t>(group_));
        totals_ = builder.scratch(static_cast<std::size_t>(passes() * bins()) * sizeof(std::uint32_t));
        // Kept from launch to launch: states name the launch that published them.
        states_ = builder.constant(std::vector<std::uint64_t>(static_cast<std::size_t>(tiles * bins())));
        control_ = builder.constant(std::vector<std::uint32_t>(TileControl::count));
    }

private:
    void clear(Execution& x, const host::Buffer& varying) override {
        x.launch("clear", *clear_kernel_, range(1), range(count_group_), {x.buffer(totals_), varying});
    }

    void pass(Execution& x, std::uint32_t number, const Arrays& from, const Arrays& to, const Arrays& spare,
              const host::Buffer& varying) override {
        const host::Buffer& totals = x.buffer(totals_);
        const std::uint32_t count = u32(spec_.count), begin = u32(spec_.begin), end = u32(spec_.end);
        if (number == 0) {
            x.launch("count", *count_kernel_, range(count_groups_), range(count_group_),
                     {from.keys, totals, varying, count, begin, end, flip()});
            x.launch("starts", *starts_kernel_, range(passes()), range(count_group_), {totals});
        }
        x.launch("sweep", *sweep_kernel_, range(groups_), range(group_),
                 {from.keys, to.keys, spare.keys, from.values, to.values, spare.values, totals, varying, states_, control_, count,
                  number, begin, end, flip(), polls_});
    }

    std::int64_t group_, count_group_, groups_ = 0, count_groups_ = 0;
    std::uint32_t polls_;
    std::unique_ptr<host::Kernel> clear_kernel_, count_kernel_, starts_kernel_, sweep_kernel_;
    Scratch totals_;
    host::Buffer states_, control_;
};

}  // namespace

std::string onesweep_why_not(const SortSpec& spec, host::Context& context) {
    if (spec.count >> 32 != 0) return fmt::format("sorts fewer than 2^32 keys; these are {}", spec.count);
    if (std::string reason = radix_warp_why_not(spec, context); !reason.empty()) return reason;
    if (!context.capabilities().grid_exchange) return "work-groups did not run at once when the driver was probed";
    return {};
}

std::unique_ptr<Sorter> make_onesweep(PlanBuilder& builder, const SortSpec& spec, const RadixShape& shape, int looks, int polls) {
    RadixShape wanted = shape;
    const bool wide = spec.type == ElementType::u64;
    const bool cuda = builder.device().backend == host::Backend::cuda;
    // Few keys: smaller tiles, that every compute unit has one. Many with values: the largest tiles, whose runs are the longest.
    constexpr std::uint64_t large_tile = 512 * 23, many = 10 * large_tile;
    const std::uint64_t a_unit = spec.count / std::max<std::uint32_t>(builder.device().compute_units, 1);
    if (shape.items == 0 && shape.work_group == 0 && !(wide && spec.values)) {
        if (a_unit <= 2048) wanted.work_group = 256, wanted.items = wide ? 5 : 7;
        else if (spec.values && (!cuda || a_unit >= many)) wanted.work_group = 512, wanted.items = 23;
        else if (!wide) wanted.work_group = 384;
    }
    if (wanted.items == 0) wanted.items = wide ? (spec.values ? 9 : 12) : !spec.values ? 23 : cuda ? 21 : 23;
    if (looks == 0) looks = wide && !spec.values ? 4 : 2;
    RadixShape s = fitted_for_warps(spec, wanted, builder.device());
    if (shape.groups_per_unit == 0) s.groups_per_unit = 4;
    return std::make_unique<OnesweepSorter>(builder, spec, s, looks, polls);
}

Variant onesweep_variant() {
    // Where items alone are named they were tuned with the sizes that were the defaults then.
    PolicyTable policy = warp_policy("where items_per_work_item is 0, too, 384 for u32, with values through OpenCL 512, 512 for "
                                     "u64, and for up to 2048 keys a compute unit 256, but for u64 with values; with values by "
                                     "CUDA 512 from 117,760 keys a compute unit on; else 384 for u32 "
                                     "with values, 512 for others",
                                     "23 for u32, with values by CUDA 21 (23 for many keys), 12 and 9 for u64; 7, of u64 5, "
                                     "where groups of 256 are chosen for few keys");
    policy.push_back(
        {"groups_per_unit", 0, {0, 1, 2, 3, 4, 6, 8}, "work-groups for each compute unit, which take tiles in turn; 0: 4"});
    policy.push_back({"count_work_group_size", 0, {0, 256, 512, 1024}, "work-items of a group that counts; 0: 512"});
    policy.push_back(
        {"looks", 0, {0, 1, 2, 4, 8}, "tiles that a look back asks for at once; 0: 4 for u64 without values, else 2"});
    policy.push_back({"polls",
                      1 << 20,
                      {0, 1 << 20},
                      "times that a group asks for a tile before one group does all the work; 0 is for tests"});
    return sort_variant(
        {.name = "onesweep",
         .summary =
             "one read and one write a digit: tiles look back for their counts (Adinets and Merrill 2022); fewer than 2^32 keys",
         .role = Role::best,
         .policy = std::move(policy)},
        onesweep_why_not, [](PlanBuilder& builder, const SortSpec& spec, const Policy& chosen) {
            RadixShape shape;
            shape.work_group = chosen.at("work_group_size");
            shape.items = chosen.at("items_per_work_item");
            shape.digit_bits = chosen.at("digit_bits");
            shape.match = static_cast<Match>(chosen.at("match"));
            shape.groups_per_unit = chosen.at("groups_per_unit");
            shape.count_group = chosen.at("count_work_group_size");
            return make_onesweep(builder, spec, shape, chosen.at("looks"), chosen.at("polls"));
        });
}

}  // namespace parallax::engine::sort
