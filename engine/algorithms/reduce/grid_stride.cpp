// `grid_stride`: the array is read once, by as many work-groups as fill the device.
#include "algorithms/reduce/device.hpp"

#include <algorithm>

namespace parallax::engine::reduce {
namespace {

constexpr std::int64_t gpu_groups = 1024, cpu_groups = 32;
// Tiles that a work-group adds up at most: what the rest of a compensated sum loses grows with the square of this number,
// 4096^2 2^-48 sum |x| = 2^-24 sum |x| at worst.
constexpr std::int64_t longest_chain = 4096;

class GridStridePlan final : public DevicePlan {
public:
    GridStridePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy) : DevicePlan(problem) {
        const bool cpu = builder.device().type == host::DeviceType::cpu;
        group_ = policy.at("work_group_size") != 0 ? policy.at("work_group_size") : cpu ? 1 : 256;
        std::int64_t items = policy.at("items_per_work_item");
        if (items == 0) items = problem.wants("statistics") ? 4 : cpu ? 16 : 8;
        const std::int64_t tiles = count() / (group_ * items);
        groups_ = std::max({std::int64_t{1}, std::min(tiles, cpu ? cpu_groups : gpu_groups), (tiles + longest_chain - 1) / longest_chain});
        each_ = (tiles + groups_ - 1) / groups_;
        host::Defines d = defines();
        d.add("GROUP", group_).add("ITEMS", items);
        kernel_ = builder.kernel({"reduce/grid_stride.cl", d}, "grid_stride");
        partial_ = builder.scratch(bytes(groups_));
    }

private:
    Left reduce(Execution& x, const host::Buffer& array) override {
        const bool blocked = group_ == 1;
        const auto u64 = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
        x.launch("reduce", *kernel_, {static_cast<std::size_t>(groups_), 1, 1}, {static_cast<std::size_t>(group_), 1, 1},
                 {array, x.buffer(partial_), u64(count()), u64(each_), u64(blocked ? each_ : 1), u64(blocked ? 1 : groups_)});
        return {&x.buffer(partial_), groups_};
    }

    std::int64_t group_, groups_, each_;
    std::unique_ptr<host::Kernel> kernel_;
    Scratch partial_;
};

}  // namespace

Variant grid_stride_variant() {
    Variant v = device_variant("grid_stride", "one pass, several accumulators a work-item, a tree at the end", Role::best, "reduce/grid_stride.cl");
    v.policy = {{"work_group_size", 0, {0, 1, 32, 64, 128, 256}, "work-items of a group; 0: 1 on CPUs, 256 elsewhere"},
                {"items_per_work_item", 0, {0, 1, 2, 4, 8, 16}, "accumulators of a work-item; 0: 4 for statistics, else 16 on CPUs, 8 elsewhere"}};
    v.plan = [](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
        return std::make_unique<GridStridePlan>(builder, problem, policy);
    };
    return v;
}

}  // namespace parallax::engine::reduce
