// `device`: histogram -> table -> map; nothing leaves the device in between. Tables of 256 levels are made by whoever maps.
#include "algorithms/equalize/equalize.hpp"
#include "algorithms/histogram/histogram.hpp"
#include "core/make_variant.hpp"
#include "core/plan.hpp"
#include "parallax/host/implementation.hpp"

#include <algorithm>
#include <bit>
#include <memory>

namespace parallax::engine::equalize {
namespace {

constexpr std::size_t block_levels = 1024;            // of a work-group that makes a part of a large table
constexpr std::size_t cpu_block_levels = 16384;
constexpr std::uint64_t most_steps = 8192;            // vectors of a work-item, four turns each: llvmpipe ends loops after 65535
constexpr std::int64_t pixels_for_pairs = 1 << 20;    // from here on, a table of pairs is worth making
constexpr std::int64_t pixels_for_large_groups = 1 << 25;

std::int64_t i64(std::size_t v) { return static_cast<std::int64_t>(v); }

/// Whether kernels can look bytes up in registers there (equalize/shuffled.clh): AVX2 through PoCL, whose compiler is Clang.
bool shuffles_bytes(const host::DeviceInfo& device) {
#if defined(__x86_64__) && defined(__GNUC__)
    return device.type == host::DeviceType::cpu && host::is_pocl(device) && __builtin_cpu_supports("avx2");
#else
    static_cast<void>(device);
    return false;
#endif
}

class DevicePlan final : public Plan {
public:
    DevicePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : spec_(spec_of(problem.inputs.at("image"))), histogram_(histogram::make_best(builder, spec_)) {
        const Formula formula = problem.parameters.as<EqualizeParameters>().formula;
        const histogram::HistogramSpec& spec = spec_;
        // Work-groups of several work-items are for GPUs, and can be asked for elsewhere.
        const bool cpu = builder.device().type == host::DeviceType::cpu && policy.at("work_group_size") <= 1;
        const std::size_t output_bytes = formula == Formula::skimage ? sizeof(float) : bytes_of(spec.type);
        const auto slots = static_cast<std::size_t>(spec.slots());
        counts_ = builder.scratch(slots * sizeof(std::uint32_t));
        plan_map(builder, formula, policy, cpu);
        if (from_counts_) return;
        table_ = builder.scratch(slots * output_bytes);
        plan_table(builder, formula, cpu);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer& image = arrays.input("image");
        const host::Buffer& counts = x.buffer(counts_);
        {
            const auto scope = x.scope("histogram");
            histogram_->enqueue(x, image, image, counts);
        }
        x.launch("map", *map_, {map_groups_, 1, 1}, {map_group_, 1, 1},
                 {image, levels(x, counts), arrays.output("image"), spec_.count(), static_cast<std::uint32_t>(spec_.pixels)});
    }

private:
    /// What the pixels are mapped by.
    const host::Buffer& levels(Execution& x, const host::Buffer& counts) {
        if (from_counts_) return counts;
        const host::Buffer& table = x.buffer(table_);
        x.launch("table", *make_table_, {table_groups_, static_cast<std::size_t>(spec_.channels), 1}, {table_group_, 1, 1},
                 {counts, table, static_cast<std::uint32_t>(spec_.pixels)});
        if (!make_pairs_) return table;
        x.launch("pairs", *make_pairs_, {256, 1, 1}, {1, 1, 1}, {table, x.buffer(pairs_)});
        return x.buffer(pairs_);
    }

    void plan_table(PlanBuilder& builder, Formula formula, bool cpu) {
        const auto levels = static_cast<std::size_t>(spec_.bins);
        const std::size_t block = std::min(levels, cpu ? cpu_block_levels : block_levels);
        table_group_ = cpu ? 1 : std::min<std::size_t>(block, std::bit_floor(std::size_t{builder.device().max_work_group}));
        table_groups_ = levels / block;
        host::Defines d;
        d.add("LEVELS", spec_.bins).add("BLOCK", i64(block)).add("FORMULA", static_cast<std::int64_t>(formula));
        d.add("OUTPUT", formula == Formula::skimage      ? "float"
                        : spec_.type == ElementType::u16 ? "ushort"
                                                         : "uchar")
            .add("GROUP", i64(table_group_));
        make_table_ = builder.kernel({"equalize/table.cl", d}, "equalize_table");
    }

    void plan_map(PlanBuilder& builder, Formula formula, const Policy& policy, bool cpu) {
        const host::DeviceInfo& device = builder.device();
        const auto wanted = [&](const char* name, int on_cpus, int elsewhere) {
            return policy.at(name) != 0 ? policy.at(name) : cpu ? on_cpus : elsewhere;
        };
        const bool is_float = formula == Formula::skimage;
        const std::size_t bytes = bytes_of(spec_.type), per_item = is_float ? 4 : 16 / bytes;
        const int loads = policy.at("loads");
        // Groups of 64 are the first to go on from counting to mapping; more pixels pay for larger ones.
        const int on_gpus = spec_.count() < pixels_for_large_groups ? 64 : 256;
        map_group_ = std::min<std::size_t>(static_cast<std::size_t>(wanted("work_group_size", 1, on_gpus)),
                                           std::bit_floor(std::size_t{device.max_work_group}));
        from_counts_ = bytes == 1 && map_group_ > 1;
        const bool one_byte = cpu && map_group_ == 1 && !is_float && bytes == 1 && spec_.channels == 1;
        const bool shuffle = one_byte && shuffles_bytes(device);
        if (one_byte && !shuffle && spec_.pixels >= pixels_for_pairs) {
            make_pairs_ = builder.kernel({"equalize/pairs.cl", {}}, "equalize_pairs");
            pairs_ = builder.scratch(65536 * sizeof(std::uint16_t));
        }
        int copies = from_counts_ && !is_float ? std::max(policy.at("copies"), 1) : 1;
        const std::size_t table = static_cast<std::size_t>(spec_.slots()) * (is_float ? sizeof(float) : 1);
        const auto local = [&] { return table * (static_cast<std::size_t>(copies) + 1) + 8 * map_group_ + 16; };   // of map.cl
        while (copies > 1 && local() > device.local_memory) copies /= 2;
        host::Defines d;
        d.add("INPUT_BYTES", i64(bytes)).add("IS_FLOAT", is_float).add("CHANNELS", spec_.channels).add("GROUP", i64(map_group_));
        d.add("COPIES", copies)
            .add("LOADS", loads)
            .add("FROM_END", policy.at("from_end"))
            .add("FROM_COUNTS", from_counts_)
            .add("PAIRS", make_pairs_ != nullptr)
            .add("SHUFFLE", shuffle);
        if (from_counts_) d.add("FORMULA", static_cast<std::int64_t>(formula));
        map_ = builder.kernel({"equalize/map.cl", d}, "equalize_map");
        const std::uint64_t a_group = map_group_ * per_item * static_cast<std::uint64_t>(loads);
        const std::uint64_t most =
            std::uint64_t{device.compute_units} * static_cast<std::uint64_t>(wanted("groups_per_unit", 8, 8));
        const std::uint64_t least = spec_.count() / (map_group_ * per_item * most_steps) + 1;
        map_groups_ = static_cast<std::size_t>(std::max(least, std::min((spec_.count() + a_group - 1) / a_group, most)));
    }

    histogram::HistogramSpec spec_;
    std::unique_ptr<histogram::Histogram> histogram_;
    std::unique_ptr<host::Kernel> make_table_, make_pairs_, map_;
    bool from_counts_ = false;
    Scratch counts_, table_, pairs_;
    std::size_t table_group_ = 1, table_groups_ = 1, map_group_ = 1, map_groups_ = 1;
};

}  // namespace

Variant device_variant() {
    return make_variant<DevicePlan>({
        .name = "device",
        .summary = "histogram, table and map on the device",
        .role = Role::best,
        .policy =
            {{"work_group_size",
              0,
              {0, 1, 64, 128, 256, 512, 1024},
              "work-items of a group that maps pixels; 0: 1 on CPUs, elsewhere 64, or 256 from 2^25 elements on; 1 on CPUs: no "
              "barriers"},
             {"copies",
              0,
              {0, 1, 2, 4, 8, 16, 32},
              "copies of a table of bytes in local memory, up to one for each bank; 0: 1, which is made the fastest"},
             {"loads", 2, {1, 2, 4, 8}, "vectors in flight for each work-item that maps"},
             {"groups_per_unit", 0, {0, 1, 2, 4, 8, 16}, "work-groups that map for each compute unit; 0: 8"},
             {"from_end",
              1,
              {0, 1},
              "1: pixels are mapped from the last to the first, whose end the histogram left in the cache"}},
    });
}

}  // namespace parallax::engine::equalize
