// `simd`: for processors, a chunk of the array for each of a few work-items.
#include "algorithms/scan/device.hpp"
#include "core/simd.hpp"
#include "core/make_variant.hpp"

#include <algorithm>

namespace parallax::engine::scan {
namespace {

// Their number is fixed, so that float sums are the same on every processor; a chunk is no smaller than this.
constexpr std::int64_t most_chunks = 64, smallest_chunk = 1 << 14;

class SimdPlan final : public Plan {
public:
    SimdPlan(PlanBuilder& builder, const Problem& problem)
        : count_(problem.inputs.at("array").count()),
          exclusive_(problem.parameters.as<ScanParameters>().kind == Kind::exclusive) {
        if (count_ == 0) return;
        const std::int64_t vectors = divided_up(std::max(divided_up(count_, most_chunks), smallest_chunk), 16);
        chunk_ = 16 * vectors;
        chunks_ = divided_up(count_, chunk_);
        const host::ProgramSpec spec{"scan/simd.cl", defines_of(problem)};
        totals_kernel_ = builder.kernel(spec, "simd_totals");
        offsets_kernel_ = builder.kernel(spec, "simd_offsets");
        scan_kernel_ = builder.kernel(spec, "simd_scan");
        totals_ = builder.scratch(static_cast<std::size_t>(chunks_) * bytes_of(problem.inputs.at("array").type));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        if (count_ == 0) return;
        const host::Buffer &in = arrays.input("array"), &out = arrays.output("array"), &totals = x.buffer(totals_);
        x.launch("totals", *totals_kernel_, range(chunks_), range(1), {in, totals, u64(count_), u64(chunk_)});
        x.launch("scan of totals", *offsets_kernel_, range(1), range(1), {totals, static_cast<std::uint32_t>(chunks_)});
        x.launch("scan", *scan_kernel_, range(chunks_), range(1),
                 {in, out, totals, u64(count_), u64(chunk_), static_cast<std::int32_t>(exclusive_)});
    }

private:
    std::int64_t count_, chunk_ = 0, chunks_ = 0;
    bool exclusive_;
    std::unique_ptr<host::Kernel> totals_kernel_, offsets_kernel_, scan_kernel_;
    Scratch totals_;
};

}  // namespace

Variant simd_variant() {
    return make_variant<SimdPlan>({
        .name = "simd",
        .formerly = {"lanes"},
        .summary = "for processors: wide vectors, a chunk a work-item, no barriers",
        .role = Role::best,
        .backends = {host::Backend::opencl},
        .supports = [](const Problem&, host::Context& context) { return Support{simd_why_not(context.info(), OnMesa::well)}; },
    });
}

}  // namespace parallax::engine::scan
