// `hillis_steele` and `blelloch`: the source papers' scans of a block, made to go beyond one work-group.
#include "algorithms/scan/device.hpp"
#include "core/make_variant.hpp"

#include <vector>

namespace parallax::engine::scan {
namespace {

/// Blocks are scanned on their own, their totals by the same kernel in turn, until one block is left.
class BlockPlan final : public Plan {
public:
    BlockPlan(PlanBuilder& builder, const Problem& problem, std::int64_t group, bool blelloch)
        : count_(problem.inputs.at("array").count()), group_(group), block_(blelloch ? 2 * group : group),
          exclusive_(problem.parameters.as<ScanParameters>().kind == Kind::exclusive) {
        if (count_ == 0) return;
        host::Defines d = defines_of(problem);
        d.add("GROUP", group_);
        const host::ProgramSpec spec{"scan/baselines.cl", d};
        scan_ = builder.kernel(spec, blelloch ? "blelloch" : "hillis_steele");
        add_ = builder.kernel(spec, "add_offsets");
        std::int64_t n = count_;
        do {
            n = divided_up(n, block_);
            totals_.push_back(builder.scratch(static_cast<std::size_t>(n) * bytes_of(problem.inputs.at("array").type)));
        } while (n > 1);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        if (count_ != 0) level(x, arrays.input("array"), arrays.output("array"), count_, exclusive_, 0);
    }

private:
    void level(Execution& x, const host::Buffer& in, const host::Buffer& out, std::int64_t count, bool exclusive,
               std::size_t depth) {
        const std::int64_t blocks = divided_up(count, block_);
        const host::Buffer& totals = x.buffer(totals_[depth]);
        x.launch("blocks", *scan_, range(blocks), range(group_),
                 {in, out, totals, u64(count), static_cast<std::int32_t>(exclusive)});
        if (blocks == 1) return;
        level(x, totals, totals, blocks, true, depth + 1);
        x.launch("offsets", *add_, range(divided_up(count, group_)), range(group_),
                 {out, totals, u64(count), static_cast<std::uint32_t>(block_)});
    }

    std::int64_t count_, group_, block_;
    bool exclusive_;
    std::unique_ptr<host::Kernel> scan_, add_;
    std::vector<Scratch> totals_;
};

Variant block_variant(std::string name, std::string summary, bool blelloch) {
    return make_variant<BlockPlan>({
        .name = std::move(name),
        .summary = std::move(summary),
        .role = Role::baseline,
        .policy = {{"work_group_size", 256, {32, 64, 128, 256}, "work-items of a group"}},
    }, blelloch);
}

}  // namespace

Variant hillis_steele_variant() {
    return block_variant("hillis_steele", "log2 n steps, n log2 n additions a block (Hillis and Steele 1986)", false);
}
Variant blelloch_variant() {
    return block_variant("blelloch", "up and down a tree, 2 n additions a block (Blelloch 1990)", true);
}

}  // namespace parallax::engine::scan
