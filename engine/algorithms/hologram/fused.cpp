// `fused`: three kernels a frame. Real rows -> half spectrum (fused_rows_forward.cl); columns forward x H x back in one
// kernel (fused_columns.cl); rows back, stored as what was asked for (fused_rows_inverse.cl). 32 bytes a pixel in all. Of a
// padded frame (mean, zero) only the rows of the frame itself are read and written: 61 bytes a pixel with the mean, 53 with
// zeros.
#include <fmt/format.h>

#include <algorithm>

#include "algorithms/fft/line_kernel.hpp"
#include "algorithms/fft/radices.hpp"
#include "algorithms/hologram/axis_table.hpp"
#include "algorithms/hologram/fused_rows_back.hpp"
#include "algorithms/hologram/kept_transfer.hpp"
#include "algorithms/hologram/plane_batches.hpp"
#include "algorithms/hologram/plane_plan.hpp"
#include "algorithms/hologram/propagator.hpp"
#include "algorithms/hologram/variants.hpp"
#include "core/integers.hpp"
#include "core/make_variant.hpp"

namespace parallax::engine::hologram {

namespace {

constexpr int most_columns = 4;   // of a tile: 4 complex numbers are a memory sector, and more do not fit local memory

class FusedPlan : public PlanePlan {
public:
    FusedPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : PlanePlan(builder, problem, batch_of(builder, problem, policy)),
          width_(static_cast<int>(geometry_.padded_width)),
          height_(static_cast<int>(geometry_.padded_height)) {
        const int group = policy.at("work_group_size");
        if (has_impulse_response(geometry_)) {
            transform_ = fft::make_transform(builder, {width_, height_, 1, fft::Kind::c2c}, parameters_.fft);
            table_.emplace(builder, geometry_, transform_.get(), false, has_endless_mean(), group);
        }
        // H is even: of the half spectrum's columns half the rows are kept.
        // One distance's is read as fast as it is made.
        const bool kept = keeps_transfer(builder, geometry_, policy, complex_bytes(geometry_) / 4);
        const bool of_axes = !table_ && !kept && makes_of_axes(builder, geometry_, policy);
        host::Defines method;
        add_transfer_method(method, builder, geometry_, table_.has_value(), of_axes, kept);
        add_phase_defines(method, geometry_);
        method.add("KEPT", geometry_.height).add("MEAN", has_endless_mean());
        method.add("STACK", most_planes_ > 1);
        columns_ = fft::build_line_kernel(builder, {"hologram/fused_columns.cl", method}, "columns", height_,
                                          fft::LineLayout::filter, most_columns);
        forward_columns_ = builder.constant(fft::line_table(columns_.line));
        inverse_columns_ = builder.constant(fft::line_table(columns_.line, fft::Order::backward));

        make_rows_forward(builder, problem, group);
        rows_back_.emplace(builder, problem, geometry_, width_, height_, geometry_.height, tile(), false);

        const std::int64_t columns = divided_up(width_ / 2 + 1, tile_columns()) * tile_columns();
        if (of_axes) axes_.emplace(builder, geometry_, height_ / 2 + 1, group);
        if (kept) kept_.emplace(builder, geometry_, TransferTiles{columns, height_ / 2 + 1, tile_columns(), false}, group);
        together_ = planes_together(builder, policy, static_cast<std::int64_t>(columns_.groups(width_ / 2 + 1).x), most_planes_);
        stride_ = static_cast<std::uint64_t>(columns * geometry_.height);
        const std::size_t bytes = static_cast<std::size_t>(stride_) * 2 * sizeof(float);
        half_ = builder.scratch(bytes);
        plus_ = builder.scratch(static_cast<std::size_t>(most_planes_) * bytes);
        minus_ = builder.scratch(static_cast<std::size_t>(most_planes_) * bytes);
    }

protected:
    void begin(Execution& x, const Bindings& arrays, bool changed) override {
        changed_ = changed;
        if (axes_) axes_->make(x, phases_, changed);
        const host::Buffer* image = &arrays.input("hologram");
        if (intake_) {
            intake_->normalise(x, arrays, x.buffer(h_), true);
            image = &x.buffer(h_);
        }
        const host::Buffer& background = !intake_ && arrays.has_input("background") ? arrays.input("background") : *image;
        const host::Buffer& dark = !intake_ && arrays.has_input("dark") ? arrays.input("dark") : *image;
        x.launch("rows forward", *rows_forward_.kernel, rows_forward_.groups((geometry_.height + 1) / 2),
                 rows_forward_.local(),
                 {*image, background, dark, x.buffer(half_), forward_rows_, forward_rows_, mean(),
                  static_cast<std::uint32_t>(geometry_.height)});
    }

    void planes(Execution& x, const Batch& batch, const Target& target) override {
        if (table_) table_->make(x, phases_, batch.slot, changed_);
        if (kept_) kept_->make(x, phases_, changed_);
        const host::Buffer& table = transfer_buffer(table_, axes_, kept_, x.buffer(half_));
        host::NDRange groups = columns_.groups(width_ / 2 + 1);
        groups.y = static_cast<std::size_t>(divided_up(batch.count, together_));
        x.launch("columns", *columns_.kernel, groups, columns_.local(),
                 {x.buffer(half_), x.buffer(plus_), x.buffer(minus_), forward_columns_, inverse_columns_, table, phases_.turns(),
                  phases_.scale(), phases_.unit(), phases_.limit(), phases_.planes(), mean(), batch.slot, u32(width_),
                  batch.count, u32(together_), stride_});
        const FusedRowsBack::From from{x.buffer(plus_), x.buffer(minus_), forward_rows_, stride_, batch.count};
        if (target.outputs) rows_back_->outputs(x, from, *target.outputs, target.plane);
        if (target.amplitude) rows_back_->amplitude_only(x, from, *target.amplitude);
    }

private:
    static std::int64_t batch_of(const PlanBuilder& builder, const Problem& problem, const Policy& policy) {
        const Geometry g = resolve(problem);
        const std::int64_t columns = g.padded_width / 2 + 1;
        return planes_at_once(builder, problem, g, policy, divided_up(columns, most_columns),
                              static_cast<std::size_t>(columns * g.height) * 4 * sizeof(float));
    }
    /// What stands around the frame; any buffer where that is nothing.
    const host::Buffer& mean() const { return intake_ ? intake_->mean() : forward_rows_; }

    /// Frames are read as the camera gave them, but for those whose mean is needed first.
    void make_rows_forward(PlanBuilder& builder, const Problem& problem, int group) {
        host::Defines defines = tile();
        defines.add("FRAME", geometry_.width).add("MEAN", has_endless_mean());
        if (has_endless_mean()) {
            intake_.emplace(builder, problem, geometry_, false, group);
            h_ = builder.scratch(static_cast<std::size_t>(geometry_.width * geometry_.height) * sizeof(float));
            defines.add("HOLOGRAM_TYPE", "float");
        } else {
            add_frame_types(defines, problem);
        }
        rows_forward_ = fft::build_line_kernel(builder, {"hologram/fused_rows_forward.cl", defines}, "rows_forward", width_,
                                               fft::LineLayout::rows, (geometry_.height + 1) / 2);
        forward_rows_ = builder.constant(fft::line_table(rows_forward_.line));
    }

    host::Defines tile() const {
        host::Defines defines;
        defines.add("TILE", tile_columns());
        return defines;
    }
    int tile_columns() const { return std::max(4, 2 * columns_.line.lines); }   // as fused_columns.cl has it

    int width_, height_;               // of the padded frame
    std::int64_t together_ = 1;        // planes of a work-group
    std::uint64_t stride_ = 0;         // numbers between planes
    bool changed_ = false;
    std::unique_ptr<fft::Transform> transform_;
    std::optional<TransferTable> table_;
    std::optional<KeptTransfer> kept_;
    std::optional<AxisTable> axes_;
    std::optional<Intake> intake_;
    fft::LineKernel rows_forward_, columns_;
    std::optional<FusedRowsBack> rows_back_;
    host::Buffer forward_rows_, forward_columns_, inverse_columns_;
    Scratch h_, half_, plus_, minus_;
};

Support supports_fused(const Problem& problem, host::Context& context) {
    if (Support s = supports_inputs(problem, context); !s) return s;
    if (Support s = supports_half_spectrum(problem); !s) return s;
    const auto& p = problem.parameters.as<HologramParameters>();
    const Geometry g = resolve(problem);
    if (g.mirrored) return Support::no("padding by reflect has a variant of its own, fused_mirrored");
    for (const auto& [n, layout, axis] :
         {std::tuple{g.padded_width, fft::LineLayout::rows, "width"}, {g.padded_height, fft::LineLayout::filter, "height"}}) {
        if (!fft::fits_one_group(context.info(), n, layout)) {
            return Support::no(fmt::format(
                "the padded {} {} does not fit one work-group: it is too long, a prime above {}, or has two such factors", axis,
                n, fft::largest_radix));
        }
    }
    if (has_impulse_response(g))
        return Support::no(fft::why_not(p.fft, {g.padded_width, g.padded_height, 1, fft::Kind::c2c}, context));
    return Support::yes();
}

}  // namespace

Variant fused_variant() {
    return make_variant<FusedPlan>({
        .name = "fused",
        .summary = "three kernels: real rows to a half spectrum, columns forward x H x back, rows back with the modulus",
        .role = Role::best,
        .policy = {{"work_group_size", 256, {32, 64, 128, 256}, "work-items of the kernels that handle one pixel each"},
                   keep_transfer_field(), planes_at_once_field(), planes_together_field()},
        .supports = supports_fused,
    });
}

}  // namespace parallax::engine::hologram
