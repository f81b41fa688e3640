// `packed`: small windows of bytes on GPUs, whose sums of columns stand two in a register.
#include "algorithms/box_filter/planes.hpp"
#include "core/long_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace parallax::engine::box_filter {
namespace {

constexpr std::int64_t packed_reach = 4, tallest_window = 129, least_width = 8;

std::int64_t packed_left(const PlanePass& pass) { return pass.window_x / 2 * pass.channels; }

class PackedKernel final : public PlaneKernel {
public:
    PackedKernel(PlanBuilder& builder, const BoxSpec& spec, const PlanePass& pass, const Policy& policy)
        : spec_(spec), pass_(pass) {
        const host::DeviceInfo& device = builder.device();
        group_ = std::min<std::int64_t>(policy.at("work_group_size"), device.max_work_group);
        width_ = pass.width * pass.channels;
        const std::int64_t words = width_ >= least_width + 4 ? policy.at("words_per_work_item") : 1;
        items_ = divided_up(width_, 4 * words);
        strips_ = divided_up(items_, group_);
        planes_ = std::min<std::int64_t>(pass.planes, 65535);
        // Work-items for every compute unit, and segments that are longer than what they read before their first row.
        const std::int64_t wanted = std::max<std::int64_t>(
            1, std::int64_t{policy.at("items_per_unit")} * device.compute_units / (group_ * strips_ * planes_));
        const std::int64_t rows = std::max({divided_up(pass.height, wanted), 2 * pass.window_y, std::int64_t{8}});
        segment_ = divided_up(std::max(std::min(rows, pass.height), divided_up(pass.height, 65535)), 4) * 4;

        require_rounds(builder.context(),
                       divided_up(pass.planes, planes_) * (2 * divided_up(pass.window_y, 4) + divided_up(segment_, 4) + 16));

        const std::int64_t taps = pass.window_x * pass.window_y;
        host::Defines d;
        d.add("GROUP", group_)
            .add("WORDS", words)
            .add("TAPS", pass.window_x)
            .add("STEP", pass.channels)
            .add("LEFT", packed_left(pass))
            .add("ALIGNED", width_ % 4 == 0)
            .add("TIES", taps % 2 == 0);
        kernel_ = builder.kernel({"box_filter/packed.cl", d}, "packed", static_cast<std::size_t>(group_));
        divisor_ = static_cast<std::uint32_t>(taps);
        // With e = magic * divisor - 2^32 <= divisor, mul_hi(n, magic) is n / divisor where n e < 2^32: here n is at most
        // 255.5 * 9 * 129, and e 9 * 129.
        magic_ = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / divisor_ + 1);
    }

    void enqueue(Execution& x, const char* stage, const host::Buffer& in, const host::Buffer& out) override {
        const auto i32 = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
        x.launch(stage, *kernel_,
                 {static_cast<std::size_t>(strips_), static_cast<std::size_t>(divided_up(pass_.height, segment_)),
                  static_cast<std::size_t>(planes_)},
                 {static_cast<std::size_t>(group_), 1, 1},
                 {in, out, i32(width_), i32(pass_.height), i32(pass_.planes), i32(items_), i32(pass_.window_y), i32(segment_),
                  border_argument(spec_), static_cast<std::uint32_t>(spec_.fill()), divisor_, magic_});
    }

private:
    BoxSpec spec_;
    PlanePass pass_;
    std::int64_t group_ = 0, width_ = 0, items_ = 0, strips_ = 0, planes_ = 0, segment_ = 0;
    std::uint32_t divisor_ = 1, magic_ = 0;
    std::unique_ptr<host::Kernel> kernel_;
};

Support packed_support(const Problem& problem, host::Context&) {
    const BoxSpec spec = spec_of(problem);
    if (spec.type != ElementType::u8) return Support::no("it is for u8");
    const auto passes = plane_passes_of(spec);
    if (passes.size() != 1 || spec.window[2] != 1) return Support::no("it is for windows along x and y");
    const PlanePass& pass = passes[0];
    if (spec.taps() < 2) return Support::no("it is for windows of two elements and more");
    if (pass.width * pass.channels < least_width)
        return Support::no(fmt::format("rows of {} elements and more, channels counted", least_width));
    if (packed_left(pass) > packed_reach || pass.window_y > tallest_window)
        return Support::no(
            fmt::format("windows that reach {} elements to either side, channels counted, and have {} rows at most", packed_reach,
                        tallest_window));
    if (std::max({pass.width * pass.channels, pass.height, pass.planes}) > std::numeric_limits<std::int32_t>::max() / 2)
        return Support::no("rows of up to 2^30 elements, and as many rows and planes");
    return Support::yes();
}

}  // namespace

Variant packed_variant() {
    return {
        .name = "packed",
        .summary = "u8 in small windows: four columns a work-item, sums of two in a register, no local memory; for GPUs",
        .role = Role::best,
        .policy = {{"work_group_size", 128, {32, 64, 128, 256}, "work-items of a group, side by side in a row"},
                   {"words_per_work_item", 2, {1, 2}, "each of four elements"},
                   {"items_per_unit",
                    2048,
                    {256, 512, 1024, 2048, 4096, 8192},
                    "work-items for each compute unit, which sets the length of segments"}},
        .supports = packed_support,
        .plan = planes_plan<PackedKernel>,
    };
}

}  // namespace parallax::engine::box_filter
