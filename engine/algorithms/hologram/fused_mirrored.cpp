// `fused_mirrored`: the three kernels of `fused` for padding by reflection, on cosine transforms of the frame itself
// (fft/mirror.clh): 29 bytes a pixel in all, where the padded frame takes four times 32.
#include <fmt/format.h>

#include <algorithm>

#include "algorithms/fft/line_kernel.hpp"
#include "algorithms/fft/quarters.hpp"
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

constexpr int most_pairs = 4;   // of columns in a tile: 8 floats, or 4 complex numbers, are whole memory sectors

class FusedMirroredPlan : public PlanePlan {
public:
    FusedMirroredPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : PlanePlan(builder, problem, batch_of(builder, problem, policy)),
          width_(static_cast<int>(geometry_.width)),
          height_(static_cast<int>(geometry_.height)),
          row_quarters_(builder.constant(fft::quarters(width_, width_))),
          column_quarters_(builder.constant(fft::quarters(height_, height_))) {
        const int group = policy.at("work_group_size");
        if (has_impulse_response(geometry_)) {
            transform_ = fft::make_transform(builder, {geometry_.padded_width, geometry_.padded_height, 1, fft::Kind::c2c},
                                             parameters_.fft);
            table_.emplace(builder, geometry_, transform_.get(), false, false, group, TableExtent{width_, height_});
        }
        const bool of_axes = !table_ && makes_of_axes(builder, geometry_, policy);
        const bool kept = !of_axes && keeps_transfer(builder, geometry_, policy, complex_bytes(geometry_) / 4);
        host::Defines method;
        add_transfer_method(method, builder, geometry_, table_.has_value(), of_axes, kept);
        add_phase_defines(method, geometry_);
        method.add("STACK", most_planes_ > 1);
        columns_ = fft::build_line_kernel(builder, {"hologram/fused_mirrored_columns.cl", method}, "columns", height_,
                                          fft::LineLayout::filter, most_pairs, fft::Pairs::opposites);
        forward_columns_ = builder.constant(fft::line_table(columns_.line));
        inverse_columns_ = builder.constant(fft::line_table(columns_.line, fft::Order::backward));

        host::Defines frames = tile();
        add_frame_types(frames, problem);
        rows_forward_ = fft::build_line_kernel(builder, {"hologram/fused_rows_forward.cl", frames}, "rows_forward", width_,
                                               fft::LineLayout::rows, (height_ + 1) / 2);
        forward_rows_ = builder.constant(fft::line_table(rows_forward_.line));
        rows_back_.emplace(builder, problem, geometry_, width_, height_, height_, tile(), true);

        const std::int64_t columns = divided_up(2 * pairs(), tile_columns()) * tile_columns();
        if (of_axes) axes_.emplace(builder, geometry_, height_, group);
        if (kept) kept_.emplace(builder, geometry_, TransferTiles{columns, height_, tile_columns(), true}, group);
        together_ = planes_together(builder, policy, static_cast<std::int64_t>(columns_.groups(pairs()).x), most_planes_);
        stride_ = static_cast<std::uint64_t>(columns * height_);
        cosines_ = builder.scratch(static_cast<std::size_t>(stride_) * sizeof(float));
        field_ = builder.scratch(static_cast<std::size_t>(most_planes_) * static_cast<std::size_t>(stride_) * 2 * sizeof(float));
    }

protected:
    void begin(Execution& x, const Bindings& arrays, bool changed) override {
        changed_ = changed;
        if (axes_) axes_->make(x, phases_, changed);
        const host::Buffer& image = arrays.input("hologram");
        const host::Buffer& background = arrays.has_input("background") ? arrays.input("background") : image;
        const host::Buffer& dark = arrays.has_input("dark") ? arrays.input("dark") : image;
        x.launch("rows forward", *rows_forward_.kernel, rows_forward_.groups((height_ + 1) / 2), rows_forward_.local(),
                 {image, background, dark, x.buffer(cosines_), forward_rows_, row_quarters_, row_quarters_, u32(height_)});
    }

    void planes(Execution& x, const Batch& batch, const Target& target) override {
        if (table_) table_->make(x, phases_, batch.slot, changed_);
        if (kept_) kept_->make(x, phases_, changed_);
        const host::Buffer& table = transfer_buffer(table_, axes_, kept_, column_quarters_);
        host::NDRange groups = columns_.groups(pairs());
        groups.y = static_cast<std::size_t>(divided_up(batch.count, together_));
        x.launch("columns", *columns_.kernel, groups, columns_.local(),
                 {x.buffer(cosines_), x.buffer(field_), forward_columns_, inverse_columns_, column_quarters_, table,
                  phases_.turns(), phases_.scale(), phases_.unit(), phases_.limit(), phases_.planes(), batch.slot, u32(width_),
                  batch.count, u32(together_), stride_});
        const FusedRowsBack::From from{x.buffer(field_), x.buffer(field_), row_quarters_, stride_, batch.count};
        if (target.outputs) rows_back_->outputs(x, from, *target.outputs, target.plane);
        if (target.amplitude) rows_back_->amplitude_only(x, from, *target.amplitude);
    }

private:
    static std::int64_t batch_of(const PlanBuilder& builder, const Problem& problem, const Policy& policy) {
        const Geometry g = resolve(problem);
        const std::int64_t of_pairs = (g.width + 1) / 2;
        return planes_at_once(builder, problem, g, policy, divided_up(of_pairs, most_pairs),
                              static_cast<std::size_t>(of_pairs * g.height) * 4 * sizeof(float));
    }
    std::int64_t pairs() const { return (geometry_.width + 1) / 2; }

    host::Defines tile() const {
        host::Defines defines;
        defines.add("TILE", tile_columns()).add("MIRRORED", 1);
        return defines;
    }
    int tile_columns() const { return std::max(8, 2 * columns_.line.lines); }   // as fused_mirrored_columns.cl has it

    int width_, height_;
    std::int64_t together_ = 1;   // planes of a work-group
    std::uint64_t stride_ = 0;    // numbers between planes
    bool changed_ = false;
    host::Buffer row_quarters_, column_quarters_;
    std::unique_ptr<fft::Transform> transform_;
    std::optional<TransferTable> table_;
    std::optional<KeptTransfer> kept_;
    std::optional<AxisTable> axes_;
    fft::LineKernel rows_forward_, columns_;
    std::optional<FusedRowsBack> rows_back_;
    host::Buffer forward_rows_, forward_columns_, inverse_columns_;
    Scratch cosines_, field_;
};

Support supports_fused_mirrored(const Problem& problem, host::Context& context) {
    if (Support s = supports_inputs(problem, context); !s) return s;
    if (Support s = supports_half_spectrum(problem); !s) return s;
    const Geometry g = resolve(problem);
    if (!g.mirrored) return Support::no("it is for padding by \"reflect\"");
    for (const auto& [n, layout, pairs, axis] :
         {std::tuple{g.width, fft::LineLayout::rows, fft::Pairs::both, "width"},
          {g.height, fft::LineLayout::filter, fft::Pairs::opposites, "height"}}) {
        if (!fft::fits_one_group(context.info(), n, layout, pairs)) {
            return Support::no(
                fmt::format("the {} {} does not fit one work-group: it is too long, a prime above {}, or has two such "
                            "factors",
                            axis, n, fft::largest_radix));
        }
    }
    if (!has_impulse_response(g)) return Support::yes();
    const auto& p = problem.parameters.as<HologramParameters>();
    return Support::no(fft::why_not(p.fft, {g.padded_width, g.padded_height, 1, fft::Kind::c2c}, context));
}

}  // namespace

Variant fused_mirrored_variant() {
    return make_variant<FusedMirroredPlan>({
        .name = "fused_mirrored",
        .summary = "padding by reflection in three kernels: real rows to cosines, columns forward x H x back, rows back",
        .role = Role::best,
        .policy = {{"work_group_size", 256, {32, 64, 128, 256}, "work-items of the kernels that handle one pixel each"},
                   keep_transfer_field(), planes_at_once_field(), planes_together_field()},
        .supports = supports_fused_mirrored,
    });
}

}  // namespace parallax::engine::hologram
