// `simd`: for processors, one launch of a work-item for each core.
#include "algorithms/scan/device.hpp"
#include "core/long_loops.hpp"
#include "core/simd.hpp"
#include "core/make_variant.hpp"

#include <algorithm>
#include <vector>

namespace parallax::engine::scan {
namespace {

// Of a tile: one that a core's second cache holds beside its results, and the same everywhere, so that float sums are.
constexpr std::int64_t tile_bytes = 128 << 10;
// Beyond this, results would only push other data out of the caches.
constexpr std::int64_t streaming_bytes = 16 << 20;

class SimdPlan final : public Plan {
public:
    SimdPlan(PlanBuilder& builder, const Problem& problem)
        : count_(problem.inputs.at("array").count()),
          exclusive_(problem.parameters.as<ScanParameters>().kind == Kind::exclusive) {
        if (count_ == 0) return;
        const auto element = static_cast<std::int64_t>(bytes_of(problem.inputs.at("array").type));
        const std::int64_t tile = tile_bytes / element, tiles = divided_up(count_, tile);
        groups_ = std::min<std::int64_t>(tiles, builder.device().compute_units);
        host::Defines d = defines_of(problem);
        d.add("TILE", tile).add("STREAM", std::int64_t{count_ * element > streaming_bytes});
        kernel_ = builder.kernel({"scan/simd.cl", d}, "simd_scan");
        board_ = builder.constant(std::vector<std::uint32_t>(static_cast<std::size_t>(4 + tiles * (1 + 2 * element / 4))));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        if (count_ == 0) return;
        x.launch("scan", *kernel_, range(groups_), range(1),
                 {arrays.input("array"), arrays.output("array"), board_, u64(count_), static_cast<std::int32_t>(exclusive_)});
    }

private:
    std::int64_t count_, groups_ = 0;
    bool exclusive_;
    std::unique_ptr<host::Kernel> kernel_;
    host::Buffer board_;
};

}  // namespace

Variant simd_variant() {
    return make_variant<SimdPlan>({
        .name = "simd",
        .formerly = {"lanes"},
        .summary = "for processors: wide vectors, one launch, tiles that stay in a core's cache",
        .role = Role::best,
        .backends = {host::Backend::opencl},
        .supports =
            [](const Problem& problem, host::Context& context) {
                if (Support s{simd_why_not(context.info(), OnMesa::well)}; !s) return s;
                // One work-item may take every tile.
                return Support{too_many_rounds(context, problem.inputs.at("array").count() / 8 + 64)};
            },
    });
}

}  // namespace parallax::engine::scan
