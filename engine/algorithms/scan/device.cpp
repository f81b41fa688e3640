// The variants that run kernels: reduce_then_scan, and the source papers' two.
#include "algorithms/scan/parameters.hpp"
#include "core/plan.hpp"

#include <algorithm>
#include <vector>

namespace parallax::engine::scan {
namespace {

// Tiles of a chunk at most: float sums run from tile to tile, and what they lose grows with their number.
constexpr std::int64_t longest_chain = 1024;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::uint64_t u64(std::int64_t v) { return static_cast<std::uint64_t>(v); }
host::NDRange range(std::int64_t x) { return {static_cast<std::size_t>(x), 1, 1}; }

host::Defines defines_of(const Problem& problem) {
    const ElementType type = problem.inputs.at("array").type;
    const std::int64_t number = type == ElementType::u32 ? 0 : type == ElementType::i32 ? 1 : type == ElementType::u64 ? 2 : 3;
    host::Defines d;
    d.add("TYPE", number).add("OP", static_cast<std::int64_t>(problem.parameters.as<ScanParameters>().op));
    return d;
}

class ReduceThenScanPlan final : public Plan {
public:
    ReduceThenScanPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : count_(problem.inputs.at("array").count()), exclusive_(problem.parameters.as<ScanParameters>().kind == Kind::exclusive) {
        if (count_ == 0) return;
        const bool cpu = builder.device().type == host::DeviceType::cpu;
        group_ = policy.at("work_group_size") != 0 ? policy.at("work_group_size") : cpu ? 1 : 256;
        const std::int64_t items = policy.at("items_per_work_item") != 0 ? policy.at("items_per_work_item") : cpu ? 16 : 8;
        const std::int64_t tiles = divided_up(count_, group_ * items);
        const std::int64_t chunks = std::max(std::min<std::int64_t>(tiles, cpu ? 32 : 1024), divided_up(tiles, longest_chain));
        chunk_ = divided_up(tiles, chunks) * group_ * items;
        chunks_ = divided_up(count_, chunk_);
        host::Defines d = defines_of(problem);
        d.add("GROUP", group_).add("ITEMS", items);
        const host::ProgramSpec spec{"scan/reduce_then_scan.cl", d};
        totals_kernel_ = builder.kernel(spec, "chunk_totals");
        scan_kernel_ = builder.kernel(spec, "scan_chunks");
        totals_ = builder.scratch(static_cast<std::size_t>(chunks_) * bytes_of(problem.inputs.at("array").type));
        tile_ = group_ * items;
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        if (count_ == 0) return;
        const host::Buffer &in = arrays.input("array"), &out = arrays.output("array"), &totals = x.buffer(totals_);
        const auto exclusive = static_cast<std::int32_t>(exclusive_);
        const std::int32_t yes = 1, no = 0;
        if (chunks_ == 1) {
            x.launch("scan", *scan_kernel_, range(1), range(group_), {in, out, totals, u64(count_), u64(chunk_), no, exclusive});
            return;
        }
        x.launch("totals", *totals_kernel_, range(chunks_), range(group_), {in, totals, u64(count_), u64(chunk_)});
        x.launch("scan of totals", *scan_kernel_, range(1), range(group_),
                 {totals, totals, totals, u64(chunks_), u64(divided_up(chunks_, tile_) * tile_), no, yes});
        x.launch("scan", *scan_kernel_, range(chunks_), range(group_), {in, out, totals, u64(count_), u64(chunk_), yes, exclusive});
    }

private:
    std::int64_t count_, group_ = 0, tile_ = 0, chunk_ = 0, chunks_ = 0;
    bool exclusive_;
    std::unique_ptr<host::Kernel> totals_kernel_, scan_kernel_;
    Scratch totals_;
};

/// Blocks are scanned on their own, their totals by the same kernel in turn, until one block is left.
class BlockPlan final : public Plan {
public:
    BlockPlan(PlanBuilder& builder, const Problem& problem, std::int64_t group, bool blelloch)
        : count_(problem.inputs.at("array").count()), group_(group), block_(blelloch ? 2 * group : group),
          exclusive_(problem.parameters.as<ScanParameters>().kind == Kind::exclusive) {
        if (count_ == 0) return;
        host::Defines d = defines_of(problem);
        d.add("GROUP", group_);
        const host::ProgramSpec spec{"scan/seeds.cl", d};
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
    void level(Execution& x, const host::Buffer& in, const host::Buffer& out, std::int64_t count, bool exclusive, std::size_t depth) {
        const std::int64_t blocks = divided_up(count, block_);
        const host::Buffer& totals = x.buffer(totals_[depth]);
        x.launch("blocks", *scan_, range(blocks), range(group_), {in, out, totals, u64(count), static_cast<std::int32_t>(exclusive)});
        if (blocks == 1) return;
        level(x, totals, totals, blocks, true, depth + 1);
        x.launch("offsets", *add_, range(divided_up(count, group_)), range(group_), {out, totals, u64(count), static_cast<std::uint32_t>(block_)});
    }

    std::int64_t count_, group_, block_;
    bool exclusive_;
    std::unique_ptr<host::Kernel> scan_, add_;
    std::vector<Scratch> totals_;
};

Variant device_variant(std::string name, std::string summary, Role role, std::string file) {
    Variant v;
    v.name = std::move(name);
    v.summary = std::move(summary);
    v.role = role;
    v.backends = {host::Backend::opencl, host::Backend::cuda};
    v.kernels = {std::move(file)};
    return v;
}

Variant block_variant(std::string name, std::string summary, bool blelloch) {
    Variant v = device_variant(std::move(name), std::move(summary), Role::seed, "scan/seeds.cl");
    v.policy = {{"work_group_size", 256, {32, 64, 128, 256}, "work-items of a group"}};
    v.plan = [blelloch](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
        return std::make_unique<BlockPlan>(builder, problem, policy.at("work_group_size"), blelloch);
    };
    return v;
}

}  // namespace

Variant reduce_then_scan_variant() {
    Variant v = device_variant("reduce_then_scan", "totals of chunks, their scan, scans of chunks; no order among work-groups", Role::best,
                               "scan/reduce_then_scan.cl");
    v.policy = {{"work_group_size", 0, {0, 1, 32, 64, 128, 256}, "work-items of a group; 0: 1 on CPUs, 256 elsewhere"},
                {"items_per_work_item", 0, {0, 1, 2, 4, 8, 16}, "elements of a tile a work-item; 0: 16 on CPUs, 8 elsewhere"}};
    v.plan = [](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
        return std::make_unique<ReduceThenScanPlan>(builder, problem, policy);
    };
    return v;
}

Variant hillis_steele_variant() { return block_variant("hillis_steele", "log2 n steps, n log2 n additions a block (Hillis and Steele 1986)", false); }
Variant blelloch_variant() { return block_variant("blelloch", "up and down a tree, 2 n additions a block (Blelloch 1990)", true); }

}  // namespace parallax::engine::scan
