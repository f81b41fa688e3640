// `radix` and `radix_warp`: three launches a digit, and no work-group waits for another.
#include "algorithms/sort/passes.hpp"

#include <fmt/format.h>

namespace parallax::engine::sort {
namespace {

constexpr std::int64_t warp = 32;

std::int64_t power_of_two_up_to(std::int64_t n, std::int64_t most) {
    std::int64_t p = 1;
    while (2 * p <= std::min(n, most)) p *= 2;
    return p;
}

/// uint of local memory that ranking a tile needs: RANK_WORDS of rank_counters.clh and rank_warp.clh.
std::int64_t rank_words(const RadixShape& shape, bool by_warp) {
    const std::int64_t bins = std::int64_t{1} << shape.digit_bits;
    if (!by_warp) return (bins / 2 + 2) * shape.work_group;
    const std::int64_t warps = shape.work_group / warp;
    return (shape.match == Match::atomics ? 2 : 1) * warps * bins + warps;
}

std::int64_t local_bytes(const SortSpec& spec, const RadixShape& shape, bool by_warp) {
    const std::int64_t tile = std::int64_t{shape.work_group} * shape.items, bins = std::int64_t{1} << shape.digit_bits;
    return std::max(tile * key_bytes(spec), rank_words(shape, by_warp) * 4) + 8 * bins;
}

RadixShape portable_defaults(const SortSpec& spec, RadixShape s) {
    if (s.work_group == 0) s.work_group = 256;
    if (s.items == 0) s.items = spec.type == ElementType::u64 ? 7 : 15;
    if (s.digit_bits == 0) s.digit_bits = 4;
    return s;
}

// 64 registers or 80 a work-item: 32 or 24 warps of an NVIDIA compute unit.
RadixShape warp_defaults(const SortSpec& spec, RadixShape s) {
    const bool wide = spec.type == ElementType::u64;
    // u64 on an H200: with 512 .91 to .96 of the time with 384 from six million keys on, and the same below.
    if (s.work_group == 0) s.work_group = wide || !spec.values ? 512 : 384;
    if (s.items == 0) s.items = wide ? (spec.values ? 9 : 11) : spec.values ? 15 : 19;
    if (s.digit_bits == 0) s.digit_bits = 8;
    return s;
}

/// The same shape with as many keys a work-item, and then as many work-items, as local memory holds.
RadixShape fitted(const SortSpec& spec, RadixShape s, bool by_warp, const host::DeviceInfo& device) {
    const int step = by_warp ? 1 : 2;   // rank_counters.clh wants odd numbers
    while (s.items > step && local_bytes(spec, s, by_warp) > static_cast<std::int64_t>(device.local_memory)) s.items -= step;
    while (s.work_group > 256 && local_bytes(spec, s, by_warp) > static_cast<std::int64_t>(device.local_memory))
        s.work_group /= 2;
    if (s.groups_per_unit == 0) s.groups_per_unit = 16;
    const std::int64_t largest = device.max_work_group;
    if (s.count_group == 0) s.count_group = static_cast<int>(std::min<std::int64_t>(512, largest));
    if (s.copies == 0) s.copies = static_cast<int>(std::min<std::int64_t>(32, 4096 >> s.digit_bits));
    return s;
}

class RadixSorter final : public RadixPasses {
public:
    RadixSorter(PlanBuilder& builder, const SortSpec& spec, const RadixShape& shape, bool by_warp)
        : RadixPasses(builder, spec, shape.digit_bits, shape.index_bits),
          group_(shape.work_group),
          count_group_(shape.count_group) {
        if (!sorts()) return;
        const std::int64_t tile = group_ * shape.items, tiles = divided_up(spec.count, tile);
        const std::int64_t wanted =
            std::min<std::int64_t>(tiles, std::int64_t{builder.device().compute_units} * shape.groups_per_unit);
        chunk_ = divided_up(tiles, wanted) * tile;
        chunks_ = divided_up(spec.count, chunk_);
        scan_group_ = power_of_two_up_to(shape.scan_group != 0 ? shape.scan_group
                                         : chunks_ > 1024      ? 1024
                                                               : 256,
                                         builder.device().max_work_group);

        host::ProgramSpec count{"sort/count_digits.cl", defines()}, scan{"sort/scan_counts.cl", defines()};
        // NVIDIA's compilers take 114 and 80 registers of themselves: three groups of 256 that run at once suit both.
        host::ProgramSpec scatter{by_warp ? "sort/radix_warp.cl" : "sort/radix.cl", defines(),
                                  by_warp || shape.work_group != 256 ? 0 : 768};
        count.defines.add("GROUP", shape.count_group).add("COPIES", shape.copies);
        scan.defines.add("GROUP", scan_group_);
        scatter.defines.add("GROUP", shape.work_group).add("ITEMS", shape.items);
        if (by_warp)
            scatter.defines.add("MATCH", static_cast<std::int64_t>(shape.match))
                .add("HALVES", ranks_by_halves(spec, builder.device()) ? 1 : 0);
        clear_kernel_ = builder.kernel(count, "clear_varying");
        count_kernel_ = builder.kernel(count, "count_digits");
        scan_kernel_ = builder.kernel(scan, "scan_counts");
        scatter_kernel_ = builder.kernel(scatter, "scatter_keys", static_cast<std::size_t>(group_));
        counts_ = builder.scratch(static_cast<std::size_t>(chunks_ * bins() * index_bytes()));
        totals_ = builder.scratch(static_cast<std::size_t>(bins() * index_bytes()));
    }

private:
    void clear(Execution& x, const host::Buffer& varying) override {
        x.launch("clear", *clear_kernel_, range(1), range(1), {varying});
    }

    void pass(Execution& x, std::uint32_t number, const Arrays& from, const Arrays& to, const Arrays& spare,
              const host::Buffer& varying) override {
        const host::Buffer &counts = x.buffer(counts_), &totals = x.buffer(totals_);
        const std::uint32_t begin = u32(spec_.begin), end = u32(spec_.end);
        x.launch("count", *count_kernel_, range(chunks_), range(count_group_),
                 {from.keys, to.keys, spare.keys, counts, varying, u64(spec_.count), u64(chunk_), number, begin, end, flip()});
        x.launch("scan", *scan_kernel_, range(bins()), range(scan_group_),
                 {counts, totals, varying, u32(chunks_), number, begin, end});
        x.launch("scatter", *scatter_kernel_, range(chunks_), range(group_),
                 {from.keys, to.keys, spare.keys, from.values, to.values, spare.values, counts, totals, varying, u64(spec_.count),
                  u64(chunk_), number, begin, end, flip()});
    }

    std::int64_t group_, count_group_, scan_group_ = 1, chunk_ = 0, chunks_ = 0;
    std::unique_ptr<host::Kernel> clear_kernel_, count_kernel_, scan_kernel_, scatter_kernel_;
    Scratch counts_, totals_;
};

std::string shape_why_not(const host::DeviceInfo& device, std::int64_t group, std::int64_t bytes) {
    if (device.max_work_group < group)
        return fmt::format("needs work-groups of {}; the device has {}", group, device.max_work_group);
    if (device.local_memory < u64(bytes))
        return fmt::format("needs {} bytes of local memory; the device has {}", bytes, device.local_memory);
    return {};
}

RadixShape shape_of(const Policy& policy) {
    RadixShape s;
    s.work_group = policy.at("work_group_size");
    s.items = policy.at("items_per_work_item");
    s.digit_bits = policy.at("digit_bits");
    s.groups_per_unit = policy.at("groups_per_unit");
    s.count_group = policy.at("count_work_group_size");
    s.scan_group = policy.at("scan_work_group_size");
    s.copies = policy.at("copies");
    s.index_bits = policy.at("index_bits");
    return s;
}

void add_common_policy(PolicyTable& table) {
    table.push_back({"groups_per_unit",
                     0,
                     {0, 2, 4, 8, 16, 32, 64, 128, 256},
                     "work-groups for each compute unit, each with a chunk of the keys; 0: 16"});
    table.push_back({"count_work_group_size", 0, {0, 64, 128, 256, 512, 1024}, "work-items of a group that counts; 0: 512"});
    table.push_back({"scan_work_group_size",
                     0,
                     {0, 32, 256, 1024},
                     "work-items of a group that scans counts; 0: 1024 for more than 1024 chunks, else 256"});
    table.push_back(
        {"copies", 0, {0, 4, 8, 16, 32}, "histograms in local memory while counting; 0: what 16 KiB hold, 32 at most"});
    table.push_back({"index_bits", 0, {0, 32, 64}, "bits of positions; 0: 64 from 2^32 keys on"});
}

}  // namespace

RadixShape fitted_for_warps(const SortSpec& spec, const RadixShape& shape, const host::DeviceInfo& device) {
    return fitted(spec, warp_defaults(spec, shape), true, device);
}

bool ranks_by_halves(const SortSpec& spec, const host::DeviceInfo& device) {
    return spec.type != ElementType::u64 && !(spec.values && device.backend == host::Backend::cuda);
}

PolicyTable warp_policy(const char* work_group, const char* items) {
    return {
        {"work_group_size",
         0,
         {0, 256, 384, 512, 768, 1024},
         fmt::format("work-items of a group that scatters, fewer where local memory does not hold their counters; 0: {}",
                     work_group)},
        {"items_per_work_item",
         0,
         {0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 19, 21, 23},
         fmt::format("keys of a tile a work-item, fewer where local memory does not hold them; 0: {}", items)},
        {"digit_bits", 0, {0, 5, 6, 7, 8}, "bits of a digit; 0: 8"},
        {"match", 2, {0, 1, 2}, "how lanes find equal digits: 0 match.any, 1 a ballot for each bit, 2 atomics in local memory"}};
}

std::string radix_why_not(const SortSpec&, host::Context& context) {
    return shape_why_not(context.info(), 256, 32768);
}

std::string radix_warp_why_not(const SortSpec&, host::Context& context) {
    if (!context.capabilities().inline_ptx) return "needs inline PTX, which this device does not compile and run";
    return shape_why_not(context.info(), 512, 49152);
}

std::unique_ptr<Sorter> make_radix(PlanBuilder& builder, const SortSpec& spec, const RadixShape& shape) {
    return std::make_unique<RadixSorter>(builder, spec, fitted(spec, portable_defaults(spec, shape), false, builder.device()),
                                         false);
}

std::unique_ptr<Sorter> make_radix_warp(PlanBuilder& builder, const SortSpec& spec, const RadixShape& shape) {
    return std::make_unique<RadixSorter>(builder, spec, fitted_for_warps(spec, shape, builder.device()), true);
}

Variant radix_variant() {
    PolicyTable policy = {{"work_group_size", 0, {0, 32, 64, 128, 256}, "work-items of a group that scatters; 0: 256"},
                          {"items_per_work_item",
                           0,
                           {0, 3, 5, 7, 9, 11, 15},
                           "keys of a tile a work-item, fewer where local memory does not hold them; 0: 15 for u32, 7 for u64"},
                          {"digit_bits", 0, {0, 2, 3, 4, 5}, "bits of a digit; 0: 4"}};
    add_common_policy(policy);
    return sort_variant(
        {.name = "radix",
         .summary = "least significant digit first, ranks from counters of each work-item; no order among work-items or groups",
         .policy = std::move(policy)},
        radix_why_not, [](PlanBuilder& builder, const SortSpec& spec, const Policy& chosen) {
            return make_radix(builder, spec, shape_of(chosen));
        });
}

Variant radix_warp_variant() {
    PolicyTable policy = warp_policy("384 for u32 with values, else 512", "19 for u32, 15 with values, 11 and 9 for u64");
    add_common_policy(policy);
    return sort_variant({.name = "radix_warp",
                         .summary = "least significant digit first, ranks by warps that match digits",
                         .role = Role::best,
                         .policy = std::move(policy)},
                        radix_warp_why_not, [](PlanBuilder& builder, const SortSpec& spec, const Policy& chosen) {
                            RadixShape shape = shape_of(chosen);
                            shape.match = static_cast<Match>(chosen.at("match"));
                            return make_radix_warp(builder, spec, shape);
                        });
}

}  // namespace parallax::engine::sort
