// `fused`: rows and columns in one kernel on GPUs; strips, segments and capacities.
#include "algorithms/box_filter/planes.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/implementation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace parallax::engine::box_filter {
namespace {

constexpr std::int64_t largest_window = 129;
constexpr int groups[] = {64, 128, 256, 384, 448, 512, 768, 1024};

/// Blocks that a window holds whole, which a build is for: eight windows in a row share one.
std::int64_t whole_blocks(std::int64_t window) { return window / block_of(window); }

/// Whether a group may go by sixteen rows a turn, which takes 160 registers a work-item. Half as many columns are then on their
/// way, so that the cache still has what leaves large windows. Known of devices with inline PTX.
bool takes_large_turns(const BoxSpec& spec, host::Context& context) {
    return spec.is_float() && context.capabilities().inline_ptx;
}

constexpr std::int64_t large_turn_groups[] = {384, 448, 512};   // beyond, neither registers nor local memory reach
constexpr std::int64_t largest_cached_window = 384 * largest_window;   // columns x rows of a group; an H100's cache has 132
constexpr std::int64_t least_window_of_large_turns = 40;     // below, the cache holds what leaves anyhow

std::int64_t rows_of(const PlanePass& pass, std::int64_t group, bool large_turns) {
    const bool large = large_turns && pass.window_y >= least_window_of_large_turns && group <= large_turn_groups[2];
    return large ? 2 * rows_a_turn : rows_a_turn;
}

std::int64_t columns_of(const PlanePass& pass, std::int64_t group) { return group / pass.channels / 8 * 8; }
/// Columns of a strip that windows begin at.
std::int64_t wide_of(const PlanePass& pass, std::int64_t group) { return (columns_of(pass, group) - pass.window_x + 1) / 8 * 8; }

std::size_t local_bytes(const PlanePass& pass, std::int64_t group, bool large_turns) {
    const std::int64_t block = block_of(pass.window_x), totals = block == 8 ? group / 8 + 4 : 0;
    return static_cast<std::size_t>(rows_of(pass, group, large_turns) * (group + 1 + totals) * 4);
}

bool fits(const PlanePass& pass, std::int64_t group, bool large_turns, const host::DeviceInfo& device) {
    return group <= device.max_work_group && wide_of(pass, group) >= 8 &&
           local_bytes(pass, group, large_turns) <= device.local_memory;
}

/// Rows of a group's segment: at most one wave of groups, and segments that are longer than what they read before their first
/// row.
std::int64_t segment_of(const PlanePass& pass, std::int64_t group, std::int64_t turn, std::int64_t groups_at_once) {
    const std::int64_t strips = divided_up(pass.width, wide_of(pass, group)), planes = std::min<std::int64_t>(pass.planes, 65535);
    const std::int64_t wanted = std::max<std::int64_t>(1, groups_at_once / (strips * planes));
    const std::int64_t rows = std::max(divided_up(pass.height, wanted), std::min(pass.window_y, pass.height));
    return divided_up(std::max(rows, divided_up(pass.height, 65535)), turn) * turn;
}

/// Of the groups that go by large turns, alone on their units, the one that adds up the fewest elements: strips and segments
/// never come out even with the units of a device.
std::int64_t large_turn_group(const PlanePass& pass, const host::DeviceInfo& device) {
    std::int64_t best = 384, least = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t group : large_turn_groups) {
        if (!fits(pass, group, true, device) || group * pass.window_y > largest_cached_window) continue;
        const std::int64_t rows = segment_of(pass, group, 2 * rows_a_turn, device.compute_units) + pass.window_y;
        if (group * rows < least) {
            best = group;
            least = group * rows;
        }
    }
    return best;
}

/// The group that a device takes where the policy leaves it open; 0: none will do.
std::int64_t default_group(const PlanePass& pass, bool large_turns, const host::DeviceInfo& device) {
    const std::int64_t most = std::max(pass.window_x, pass.window_y);
    std::int64_t wanted = device.type == host::DeviceType::cpu ? 64 : most < 8 ? 256 : most < 48 ? 384 : 768;
    if (large_turns && pass.window_y >= least_window_of_large_turns && pass.channels == 1)
        wanted = large_turn_group(pass, device);
    std::int64_t best = 0;
    for (const std::int64_t group : groups) {
        if (!fits(pass, group, large_turns, device)) continue;
        if (best == 0 || group <= wanted) best = group;
    }
    return best;
}

std::string why_none(const PlanePass& pass) {
    return fmt::format("a work-group does not hold windows of {} elements in {} channels", pass.window_x, pass.channels);
}

class FusedKernel final : public PlaneKernel {
public:
    FusedKernel(PlanBuilder& builder, const BoxSpec& spec, const PlanePass& pass, const Policy& policy)
        : spec_(spec), pass_(pass) {
        const host::DeviceInfo& device = builder.device();
        const bool large_turns = takes_large_turns(spec, builder.context());
        group_ = policy.at("work_group_size");
        if (group_ == 0) {
            group_ = default_group(pass, large_turns, device);
            if (group_ == 0)
                throw UnsupportedError("box_filter variant \"fused\" cannot run on " + device.name, {why_none(pass)});
        }
        if (!fits(pass, group_, large_turns, device))
            throw ConfigError("/policy/work_group_size", std::to_string(group_),
                              fmt::format("a work-group that holds windows of {} elements in {} channels, on a device with "
                                          "groups of up to {} and {} bytes of local memory",
                                          pass.window_x, pass.channels, device.max_work_group, device.local_memory),
                              "0 chooses one");
        wide_ = wide_of(pass, group_);
        strips_ = divided_up(pass.width, wide_);
        planes_ = std::min<std::int64_t>(pass.planes, 65535);
        const std::int64_t turn = rows_of(pass, group_, large_turns), a_wave = turn > rows_a_turn ? 384 : 768;
        const std::int64_t a_unit =
            policy.at("groups_per_unit") != 0 ? policy.at("groups_per_unit") : std::max<std::int64_t>(1, a_wave / group_);
        segment_ = segment_of(pass, group_, turn, a_unit * device.compute_units);

        host::Defines d = defines_of(spec, pass.first, pass.last);
        d.add("GROUP", group_)
            .add("ROWS", turn)
            .add("BLOCK_X", block_of(pass.window_x))
            .add("BLOCKS_X", whole_blocks(pass.window_x));
        if (spec.is_float())
            d.add("BLOCK_Y", block_of(pass.window_y))
                .add("BLOCKS_Y", whole_blocks(pass.window_y))
                .add("PTX", builder.context().capabilities().inline_ptx);
        // Small groups alone: wider ones are held to their registers as they are, and NVIDIA's OpenCL wants their size in the
        // kernel.
        const std::int64_t resident = group_ <= 256 && turn == rows_a_turn ? 768 : 0;
        kernel_ = builder.kernel({"box_filter/fused.cl", d, resident}, "fused", static_cast<std::size_t>(group_));
    }

    void enqueue(Execution& x, const char* stage, const host::Buffer& in, const host::Buffer& out) override {
        const auto i32 = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
        x.launch(stage, *kernel_,
                 {static_cast<std::size_t>(strips_), static_cast<std::size_t>(divided_up(pass_.height, segment_)),
                  static_cast<std::size_t>(planes_)},
                 {static_cast<std::size_t>(group_), 1, 1},
                 {in, out, i32(pass_.width), i32(pass_.height), i32(pass_.planes), i32(pass_.channels), i32(pass_.window_x),
                  i32(pass_.window_y), i32(columns_of(pass_, group_)), i32(wide_), i32(segment_), border_argument(spec_),
                  fill_argument(spec_, pass_.taps), divisor_argument(spec_)});
    }

private:
    BoxSpec spec_;
    PlanePass pass_;
    std::int64_t group_ = 0, wide_ = 0, strips_ = 0, planes_ = 0, segment_ = 0;
    std::unique_ptr<host::Kernel> kernel_;
};

Support fused_support(const Problem& problem, host::Context& context) {
    // Measured with PoCL 3.1: each value that outlives a barrier becomes an array, and a ring of 16 takes its compiler minutes.
    if (is_pocl(context.info()))
        return Support::no("PoCL's compiler takes minutes for it; simd is for CPUs");
    const BoxSpec spec = spec_of(problem);
    if (spec.is_wide())
        return Support::no(fmt::format("sums of {} elements of type {} pass 32 bits", spec.taps(), to_string(spec.type)));
    for (const PlanePass& pass : plane_passes_of(spec)) {
        const std::int64_t window = std::max(pass.window_x, pass.window_y);
        if (window > largest_window)
            return Support::no(fmt::format("windows of up to {} elements an axis; this one has {}", largest_window, window));
        if (std::max(pass.width, pass.planes) > std::numeric_limits<std::int32_t>::max() / 2)
            return Support::no("planes of up to 2^30 columns, and as many of them");
        if (default_group(pass, takes_large_turns(spec, context), context.info()) == 0) return Support::no(why_none(pass));
    }
    return Support::yes();
}

}  // namespace

Variant fused_variant() {
    return {
        .name = "fused",
        .summary = "rows and columns in one kernel: strips of columns, sums of rows in local memory; for GPUs",
        .role = Role::best,
        .policy = {{"work_group_size",
                    0,
                    {0, 64, 128, 256, 384, 448, 512, 768, 1024},
                    "columns that a group adds up; 0: chosen by the window"},
                   {"groups_per_unit",
                    0,
                    {0, 1, 2, 3, 4, 6, 8, 12, 16},
                    "work-groups for each compute unit, which sets the length of segments; 0: 768 work-items, of 16 rows a turn "
                    "384"}},
        .supports = fused_support,
        .plan = planes_plan<FusedKernel>,
    };
}

}  // namespace parallax::engine::box_filter
