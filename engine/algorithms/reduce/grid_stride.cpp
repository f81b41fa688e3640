// `grid_stride` and `simd`: the array is read once, by as many work-groups as fill the device.
#include "algorithms/reduce/device.hpp"
#include "core/integers.hpp"
#include "core/simd.hpp"
#include "core/make_variant.hpp"

#include <algorithm>

namespace parallax::engine::reduce {
namespace {

// Fixed numbers, so that sums of real numbers are the same on every GPU, and on every processor.
constexpr std::int64_t gpu_groups = 1024, most_chunks = 64, smallest_chunk = 1 << 12;
// Additions one after another at most: what the rest of a compensated sum loses grows with the square of this number,
// 4096^2 2^-48 sum |x| = 2^-24 sum |x| at worst.
constexpr std::int64_t longest_chain = 4096;


class GridStridePlan final : public DevicePlan {
public:
    GridStridePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : DevicePlan(problem), group_(policy.at("work_group_size")) {
        const std::int64_t loads = policy.at("loads"), per = 16 / element_bytes();
        const std::int64_t wanted = policy.at("chains") != 0 ? policy.at("chains") : problem.wants("statistics") ? 2 : 4;
        const std::int64_t chains = std::min(wanted, per);
        const std::int64_t tiles = count() / (group_ * loads * per);
        const std::int64_t longest = std::max<std::int64_t>(longest_chain * chains / (loads * per), 1);
        groups_ = std::max({std::int64_t{1}, std::min(tiles, gpu_groups), divided_up(tiles, longest)});
        host::Defines d = defines();
        d.add("GROUP", group_).add("LOADS", loads).add("CHAINS", chains).add("ELEMENT_BYTES", element_bytes());
        kernel_ = builder.kernel({"reduce/grid_stride.cl", d}, "grid_stride");
        partial_ = builder.scratch(bytes(groups_));
    }

private:
    Left reduce(Execution& x, const host::Buffer& array) override {
        x.launch("reduce", *kernel_, {static_cast<std::size_t>(groups_), 1, 1}, {static_cast<std::size_t>(group_), 1, 1},
                 {array, x.buffer(partial_), u64(count())});
        return {&x.buffer(partial_), groups_};
    }

    std::int64_t group_, groups_;
    std::unique_ptr<host::Kernel> kernel_;
    Scratch partial_;
};

class SimdPlan final : public DevicePlan {
public:
    SimdPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy) : DevicePlan(problem) {
        const std::int64_t chains = policy.at("chains");
        const std::int64_t chunks = std::max(most_chunks, divided_up(count(), longest_chain * 16 * chains));
        chunk_ = 16 * divided_up(std::max(divided_up(count(), chunks), smallest_chunk), 16);
        chunks_ = std::max<std::int64_t>(divided_up(count(), chunk_), 1);
        host::Defines d = defines(true);
        d.add("CHAINS", chains);
        kernel_ = builder.kernel({"reduce/simd.cl", d}, "simd");
        partial_ = builder.scratch(bytes(16 * chunks_));
    }

private:
    Left reduce(Execution& x, const host::Buffer& array) override {
        x.launch("reduce", *kernel_, {static_cast<std::size_t>(chunks_), 1, 1}, {1, 1, 1},
                 {array, x.buffer(partial_), u64(count()), u64(chunk_)});
        return {&x.buffer(partial_), 16 * chunks_};
    }

    std::int64_t chunk_, chunks_;
    std::unique_ptr<host::Kernel> kernel_;
    Scratch partial_;
};

}  // namespace

Variant grid_stride_variant() {
    return make_variant<GridStridePlan>({
        .name = "grid_stride",
        .summary = "one pass, vectors in flight, several accumulators a work-item, a tree at the end",
        .role = Role::best,
        .policy = {{"work_group_size", 256, {32, 64, 128, 256, 512}, "work-items of a group"},
                   {"loads", 4, {1, 2, 4, 8}, "vectors of 16 bytes in flight for each work-item"},
                   {"chains", 0, {0, 1, 2, 4}, "accumulators of a work-item; 0: 2 for statistics, 4 otherwise"}},
        .supports = has_double_precision,
    });
}

Variant simd_variant() {
    return make_variant<SimdPlan>({
        .name = "simd",
        .formerly = {"lanes"},
        .summary = "for processors: wide vectors, a chunk a work-item, no barriers",
        .role = Role::best,
        .backends = {host::Backend::opencl},
        .policy = {{"chains", 2, {1, 2, 4}, "vectors of 16 accumulators"}},
        .supports =
            [](const Problem& problem, host::Context& context) {
                if (std::string reason = simd_why_not(context.info(), OnMesa::slowly); !reason.empty())
                    return Support::no(std::move(reason));
                return has_double_precision(problem, context);
            },
    });
}

}  // namespace parallax::engine::reduce
