// `simd`: rows and columns in one kernel of wide vectors for CPUs; chunks and scratch.
#include "algorithms/box_filter/planes.hpp"
#include "core/simd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace parallax::engine::box_filter {
namespace {

constexpr std::int64_t strip_columns = 4096;
constexpr std::size_t most_scratch = std::size_t{1} << 30;

/// Rows that a group makes, what it needs for them, and how many there are.
struct Shape {
    std::int64_t line, span, chunk, groups;
    std::size_t group_bytes;
    std::size_t bytes() const noexcept { return group_bytes * static_cast<std::size_t>(groups); }
};

std::string column_name(const BoxSpec& spec, const PlanePass& pass) {
    if (spec.is_float()) return "float";
    return pass.first && spec.largest() * static_cast<std::uint64_t>(pass.window_y) <= 65535 ? "ushort" : "uint";
}

Shape shape_of(const BoxSpec& spec, const PlanePass& pass, const host::DeviceInfo& device, std::int64_t groups_per_unit) {
    Shape s{};
    s.span = pass.window_x == 1 ? std::min(pass.width, strip_columns) : pass.width;
    const std::int64_t strips = divided_up(pass.width, s.span), groups = groups_per_unit * device.compute_units;
    s.line = divided_up((s.span + pass.window_x - 1) * pass.channels + 32, 64) * 64;
    const std::int64_t wanted = std::max<std::int64_t>(1, groups / (pass.planes * strips));
    // A chunk reads a window's rows before its first one: it should have a few times as many.
    const std::int64_t rows = std::max(divided_up(pass.height, wanted), std::min(pass.height, 2 * pass.window_y));
    s.chunk = divided_up(rows, rows_a_turn) * rows_a_turn;
    s.groups = std::min(groups, divided_up(pass.height, s.chunk) * pass.planes * strips);
    const std::int64_t ring = spec.is_float() ? pass.window_y / block_of(pass.window_y) - 1 : 0;
    const std::int64_t lines = 4 * ((spec.is_float() ? rows_a_turn : 1) + 2 + 1 + ring);   // of four bytes at most
    s.group_bytes = static_cast<std::size_t>(lines * s.line);
    return s;
}

class SimdKernel final : public PlaneKernel {
public:
    SimdKernel(PlanBuilder& builder, const BoxSpec& spec, const PlanePass& pass, const Policy& policy)
        : spec_(spec), pass_(pass), shape_(shape_of(spec, pass, builder.device(), policy.at("groups_per_unit"))) {
        host::Defines d;
        const bool narrow =
            !spec.is_float() && pass.last && pass.first && spec.largest() * static_cast<std::uint64_t>(spec.taps()) <= 65535;
        column_ = column_name(spec, pass);
        d.add("IN", pass.first ? element_name(spec) : sum_name(spec))
            .add("SUM", narrow ? "ushort" : sum_name(spec))
            .add("COLUMN", column_)
            .add("EIGHT",
                 narrow || (column_ == "ushort" && 8 * spec.largest() * static_cast<std::uint64_t>(pass.window_y) <= 65535)
                     ? "ushort"
                     : sum_name(spec))
            .add("OUT", pass.last ? element_name(spec) : sum_name(spec))
            .add("FLOATS", spec.is_float())
            .add("MEAN", pass.last);
        if (spec.is_float()) d.add("BLOCK", block_of(pass.window_y));
        else d.add("CORRECT", !rounds_at_once());
        kernel_ = builder.kernel({"box_filter/simd.cl", d}, "simd");
        scratch_ = builder.scratch(shape_.bytes());
    }

    void enqueue(Execution& x, const char* stage, const host::Buffer& in, const host::Buffer& out) override {
        const auto i32 = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
        const host::Arg fill = pass_.first ? element_argument(spec_) : fill_argument(spec_, pass_.taps);
        const std::int64_t column = pass_.taps * pass_.window_y;
        const host::Arg fill_column = column_ == "ushort"
                                          ? host::Arg(static_cast<std::uint16_t>(spec_.fill() * static_cast<double>(column)))
                                          : fill_argument(spec_, column);
        x.launch(stage, *kernel_, {static_cast<std::size_t>(shape_.groups), 1, 1}, {1, 1, 1},
                 {in, out, x.buffer(scratch_), static_cast<std::uint64_t>(shape_.group_bytes), i32(pass_.planes),
                  i32(pass_.width), i32(pass_.height), i32(pass_.channels), i32(pass_.window_x), i32(pass_.window_y),
                  i32(shape_.line), i32(shape_.chunk), i32(shape_.span), border_argument(spec_), fill, fill_column,
                  static_cast<float>(1.0 / static_cast<double>(spec_.taps())), i32(spec_.taps())});
    }

private:
    /// No mean is as near to a half as (float)sum * (1 / taps) may err: two roundings, 24 bits.
    bool rounds_at_once() const {
        const auto taps = static_cast<double>(spec_.taps()), largest = static_cast<double>(spec_.largest());
        return spec_.taps() % 2 == 1 && largest * taps < 0x1p24 && largest * 0x3p-24 < 0.5 / taps;
    }

    BoxSpec spec_;
    PlanePass pass_;
    Shape shape_;
    std::string column_;
    std::unique_ptr<host::Kernel> kernel_;
    Scratch scratch_;
};

Support simd_support(const Problem& problem, host::Context& context) {
    if (std::string reason = simd_why_not(context.info(), OnMesa::slowly); !reason.empty()) return Support::no(std::move(reason));
    const BoxSpec spec = spec_of(problem);
    if (spec.is_wide())
        return Support::no(fmt::format("sums of {} elements of type {} pass 32 bits", spec.taps(), to_string(spec.type)));
    if (spec.taps() > (std::int64_t{1} << 29))
        return Support::no(fmt::format("windows of up to 2^29 elements; this one has {}", spec.taps()));
    for (const PlanePass& pass : plane_passes_of(spec)) {
        if (std::max(pass.width * pass.channels, pass.planes) > std::numeric_limits<std::int32_t>::max() / 2)
            return Support::no("rows of up to 2^30 elements, and as many planes");
        const Shape shape = shape_of(spec, pass, context.info(), 4);
        if (shape.bytes() > most_scratch) return Support::no(fmt::format("it would need {} bytes for its lines", shape.bytes()));
    }
    return Support::yes();
}

}  // namespace

Variant simd_variant() {
    return {
        .name = "simd",
        .formerly = {"lanes"},
        .summary = "rows and columns in one kernel of vectors of 16, sums of rows in the cache; for CPUs",
        .role = Role::best,
        .backends = {host::Backend::opencl},
        .policy = {{"groups_per_unit", 4, {1, 2, 4, 8, 16}, "chunks of rows for each core"}},
        .supports = simd_support,
        .plan = planes_plan<SimdKernel>,
    };
}

}  // namespace parallax::engine::box_filter
