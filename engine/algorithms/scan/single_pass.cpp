// `single_pass`: one launch, every element read once and written once.
#include "algorithms/scan/device.hpp"
#include "core/make_variant.hpp"
#include "core/tile_states.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace parallax::engine::scan {
namespace {

struct Shape {
    std::int64_t group, loads;
};

// u64 has twice the states for as many bytes, and gains by larger groups: on an H100 2^27 elements take .797 ms for .811 by CUDA,
// .795 for .815 through OpenCL, which does not hold groups of 384 to the registers of two.
Shape shape_for(ElementType type, host::Backend backend, const Policy& policy) {
    const Shape wide = backend == host::Backend::cuda ? Shape{384, 6} : Shape{512, 4};
    const Shape usual = type == ElementType::u64 ? wide : Shape{256, 10};
    const std::int64_t group = policy.at("work_group_size"), loads = policy.at("loads");
    if (group == 0 && loads == 0) return usual;
    return {group != 0 ? group : 256, loads != 0 ? loads : 10};
}

constexpr std::uint32_t trial_polls = 1u << 15;   // some 20 ms where groups do not run at once

class SinglePassPlan final : public Plan {
public:
    SinglePassPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : count_(problem.inputs.at("array").count()), exclusive_(problem.parameters.as<ScanParameters>().kind == Kind::exclusive),
          polls_(static_cast<std::uint32_t>(policy.at("polls"))) {
        if (count_ == 0) return;
        const ElementType type = problem.inputs.at("array").type;
        const bool wide = type == ElementType::u64;
        const Shape shape = shape_for(type, builder.device().backend, policy);
        const std::int64_t loads = shape.loads, units = builder.device().compute_units;
        group_ = shape.group;
        tile_ = group_ * loads * 16 / static_cast<std::int64_t>(bytes_of(type));
        tiles_ = divided_up(count_, tile_);
        host::Defines d = defines_of(problem);
        const std::int64_t wanted = policy.at("groups_per_unit") != 0 ? policy.at("groups_per_unit") : 2;
        d.add("GROUP", group_).add("LOADS", loads).add("LOOKS", divided_up(wanted * units, group_));
        // Two tiles stand in registers. Where a compiler is held to fewer than those take, it puts a part elsewhere.
        const bool fits = 65536 / (wanted * group_) >= 8 * loads + 30;
        kernel_ = builder.kernel({"scan/single_pass.cl", d, fits ? wanted * group_ : 0}, "single_pass",
                                 static_cast<std::size_t>(group_));
        const std::int64_t states = std::max(tiles_, 2 * wanted * units) * (wide ? 2 : 1);
        states_ = builder.constant(std::vector<std::uint64_t>(static_cast<std::size_t>(states)));
        control_ = builder.constant(std::vector<std::uint32_t>(TileControl::count));
        groups_ = resident(builder, bytes_of(type), wanted);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        if (count_ == 0) return;
        x.launch("scan", *kernel_, range(groups_), range(group_),
                 {arrays.input("array"), arrays.output("array"), states_, control_, u64(count_),
                  static_cast<std::int32_t>(exclusive_), polls_});
    }

private:
    /// As many groups as run at once, found by trying: how many registers a driver gives a work-item, nobody tells.
    std::int64_t resident(PlanBuilder& builder, std::size_t element_bytes, std::int64_t wanted) {
        if (tiles_ == 1) return 1;
        const std::int64_t units = builder.device().compute_units;
        for (std::int64_t each = wanted; each >= 1; --each) {
            const std::int64_t groups = units * each;
            const std::int64_t elements = 2 * groups * tile_;
            const std::size_t bytes = static_cast<std::size_t>(elements) * element_bytes;
            const host::Buffer in = builder.context().allocate(bytes), out = builder.context().allocate(bytes);
            const host::Arg arguments[]{in, out, states_, control_, u64(elements), std::int32_t{0}, trial_polls};
            builder.queue().launch({.kernel = *kernel_,
                                    .groups = range(groups),
                                    .local = range(group_),
                                    .args = arguments,
                                    .step = "scan/single_pass: trial"});
            std::uint32_t control[TileControl::count];
            builder.queue().read(control_, 0, control, sizeof control, "scan/single_pass: trial").wait();
            const bool all_ran = control[TileControl::times] == given_up_;
            given_up_ = control[TileControl::times];
            if (all_ran) return std::min(groups, tiles_);
        }
        throw UnsupportedError(
            fmt::format("scan variant \"single_pass\" cannot run on {}", builder.device().name),
            {fmt::format("{} work-groups of {} did not run at once; use the variant reduce_then_scan", units, group_)});
    }

    std::int64_t count_, group_ = 0, tile_ = 0, tiles_ = 0, groups_ = 0;
    bool exclusive_;
    std::uint32_t polls_, given_up_ = 0;
    std::unique_ptr<host::Kernel> kernel_;
    host::Buffer states_, control_;
};

}  // namespace

Variant single_pass_variant() {
    return make_variant<SinglePassPlan>({
        .name = "single_pass",
        .formerly = {"look_back"},
        .summary = "one pass in waves of tiles that run at once (after Merrill and Garland 2016)",
        .role = Role::best,
        .policy = {{"work_group_size",
                    0,
                    {0, 128, 256, 384, 512},
                    "work-items of a group; 0: 256, for u64 by CUDA 384, through OpenCL 512"},
                   {"loads",
                    0,
                    {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                    "vectors of 16 bytes a work-item and tile; 0: 10, with groups of 384 chosen for u64 6, of 512 4"},
                   {"groups_per_unit",
                    0,
                    {0, 1, 2, 3, 4},
                    "work-groups a compute unit; 0: two, or one where two do not run at once"},
                   {"polls",
                    1 << 20,
                    {0, 1 << 20},
                    "times that a group asks for a tile before one group does all the work; 0 is for tests"}},
        .supports =
            [](const Problem&, host::Context& context) {
                const host::Capabilities& can = context.capabilities();
                if (!can.inline_ptx) return Support::no("needs the words of a warp (inline PTX)");
                if (!can.grid_exchange) return Support::no("work-groups did not run at once when the driver was probed");
                return Support::yes();
            },
    });
}

}  // namespace parallax::engine::scan
