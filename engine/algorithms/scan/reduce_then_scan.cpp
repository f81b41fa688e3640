// `reduce_then_scan`: three launches, no order among work-groups.
#include "algorithms/scan/device.hpp"
#include "core/make_variant.hpp"

#include <algorithm>

namespace parallax::engine::scan {
namespace {

// Tiles of a chunk at most: float sums run from tile to tile, and what they lose grows with their number.
constexpr std::int64_t longest_chain = 1024;

class ReduceThenScanPlan final : public Plan {
public:
    ReduceThenScanPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : count_(problem.inputs.at("array").count()),
          exclusive_(problem.parameters.as<ScanParameters>().kind == Kind::exclusive) {
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
        // Of 4 bytes: all chunks at once on NVIDIA's GPUs. Left to itself one of its compilers takes 40 registers, and a quarter
        // of them waits.
        const bool narrow = bytes_of(problem.inputs.at("array").type) <= 4;
        const host::ProgramSpec spec{"scan/reduce_then_scan.cl", d, narrow && group_ > 1 ? 2048 : 0};
        totals_kernel_ = builder.kernel(spec, "chunk_totals", static_cast<std::size_t>(group_));
        scan_kernel_ = builder.kernel(spec, "scan_chunks", static_cast<std::size_t>(group_));
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
        x.launch("scan", *scan_kernel_, range(chunks_), range(group_),
                 {in, out, totals, u64(count_), u64(chunk_), yes, exclusive});
    }

private:
    std::int64_t count_, group_ = 0, tile_ = 0, chunk_ = 0, chunks_ = 0;
    bool exclusive_;
    std::unique_ptr<host::Kernel> totals_kernel_, scan_kernel_;
    Scratch totals_;
};

}  // namespace

Variant reduce_then_scan_variant() {
    return make_variant<ReduceThenScanPlan>({
        .name = "reduce_then_scan",
        .summary = "totals of chunks, their scan, scans of chunks; no order among work-groups",
        .role = Role::best,
        .policy = {{"work_group_size", 0, {0, 1, 32, 64, 128, 256}, "work-items of a group; 0: 1 on CPUs, 256 elsewhere"},
                   {"items_per_work_item", 0, {0, 1, 2, 4, 8, 16}, "elements of a tile a work-item; 0: 16 on CPUs, 8 elsewhere"}},
    });
}

}  // namespace parallax::engine::scan
