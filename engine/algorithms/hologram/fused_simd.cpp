#include "algorithms/hologram/fused_simd.hpp"

#include <fmt/format.h>

namespace parallax::engine::hologram {

using namespace fft::simd;

std::string FusedSimd::why_not(std::int64_t width, std::int64_t height, const host::DeviceInfo& device) {
    if (std::string reason = simd_why_not(device, OnMesa::never); !reason.empty()) return reason;
    if (!rows_have_panels(width))
        return fmt::format(
            "fused_simd takes widths of 256 and more that are 16 times a number without prime factors above 17; the frame is {} "
            "wide",
            width);
    if (radices(height).empty() || height > line_limit)
        return fmt::format("fused_simd takes heights without prime factors above 17, up to {}; the frame is {} high", line_limit,
                           height);
    return {};
}

FusedSimd::FusedSimd(PlanBuilder& builder, const FusedSimdSpec& spec)
    : width_(static_cast<std::int32_t>(spec.width)),
      panels_(static_cast<std::int32_t>((spec.width / 2 + 16) / 16)),
      radices_(radices(spec.height)) {
    if (radices_.size() == 1) radices_.push_back(1);   // the product stands between two passes
    const std::int64_t height = spec.height;
    rows_.emplace(builder, LongRowsSpec{spec.width, height, height, Layout::real, Layout::halves, 0, spec.input_type});
    if (spec.modulus)
        modulus_rows_.emplace(
            builder, LongRowsSpec{spec.width, height, spec.out_height, Layout::folded, Layout::modulus, spec.out_width, "float"});
    if (spec.field)
        field_rows_.emplace(
            builder, LongRowsSpec{spec.width, height, spec.out_height, Layout::folded, Layout::complex, spec.out_width, "float"});

    host::Defines defines;
    define_length(defines, radices_);
    const std::int64_t panel_bytes = panel_floats(16, height, 1) * static_cast<std::int64_t>(sizeof(float));
    defines.add("SIMD_STREAM", std::int64_t{2 * panels_ * panel_bytes > streaming_bytes});
    columns_ = builder.kernel({"hologram/fused_simd.cl", defines}, "fused_columns");
    twiddles_ = builder.constant(twiddles(radices_));
    order_ = builder.constant(order(radices_));
    groups_ = group_count(builder.device(), panels_);
    half_ = builder.scratch(static_cast<std::size_t>(panels_ * panel_bytes));
    folded_ = builder.scratch(static_cast<std::size_t>(2 * panels_ * panel_bytes));
    scratch_ = builder.scratch(groups_ * static_cast<std::size_t>(2 * panel_bytes));
    // With nothing to do: drivers compile at the first launch.
    const host::Arg args[]{twiddles_, twiddles_, twiddles_, twiddles_, twiddles_, order_, width_, std::int32_t{0}};
    builder.queue()
        .launch({.kernel = *columns_, .groups = {groups_}, .local = {}, .args = args, .step = "hologram/fused_columns"})
        .wait();
}

void FusedSimd::forward(Execution& execution, const host::Buffer& real_in) {
    rows_->enqueue(execution, "rows forward", real_in, execution.buffer(half_), false);
}

void FusedSimd::columns(Execution& execution, const host::Buffer& transfer) {
    execution.launch("columns", *columns_, {groups_}, {},
                     {execution.buffer(half_), transfer, execution.buffer(folded_), execution.buffer(scratch_), twiddles_, order_,
                      width_, panels_});
}

void FusedSimd::modulus(Execution& execution, const host::Buffer& out, std::int64_t first) {
    modulus_rows_->enqueue_at(execution, "rows inverse", execution.buffer(folded_), out, true, first);
}

void FusedSimd::field(Execution& execution, const host::Buffer& out, std::int64_t first) {
    field_rows_->enqueue_at(execution, "rows inverse", execution.buffer(folded_), out, true, 2 * first);
}

std::string FusedSimd::describe() const {
    return fmt::format("lanes ({} x {})", rows_->describe(), fft::simd::describe(radices_));
}

}  // namespace parallax::engine::hologram
