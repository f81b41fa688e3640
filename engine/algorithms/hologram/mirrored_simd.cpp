// `mirrored_simd`: padding by reflection on a CPU's wide vectors, in three passes over the frame itself
// (hologram/mirrored_simd.cl) between two that change the order of its pixels.
#include "algorithms/fft/line.hpp"
#include "algorithms/fft/quarters.hpp"
#include "algorithms/fft/simd.hpp"
#include "algorithms/hologram/plane_plan.hpp"
#include "algorithms/hologram/propagator.hpp"
#include "algorithms/hologram/variants.hpp"
#include "core/integers.hpp"
#include "core/make_variant.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::hologram {

namespace {

using namespace fft::simd;

class MirroredSimdPlan : public PlanePlan {
public:
    MirroredSimdPlan(PlanBuilder& builder, const Problem& problem, int group)
        : PlanePlan(builder, problem),
          width_(geometry_.width),
          height_(geometry_.height),
          panels_(static_cast<std::int32_t>((width_ / 2 + 16) / 16)),
          pixels_(width_ / 16, height_, std::min(group, 16)),
          has_background_(problem.inputs.count("background") > 0),
          has_dark_(problem.inputs.count("dark") > 0),
          by_field_(problem.wants("phase") || problem.wants("intensity") || problem.wants("field")) {
        if (has_impulse_response(geometry_)) {
            transform_ = fft::make_transform(builder, {geometry_.padded_width, geometry_.padded_height, 1, fft::Kind::c2c},
                                             parameters_.fft);
        }
        table_.emplace(builder, geometry_, transform_.get(), false, false, group, TableExtent{width_ + 1, height_ + 1});
        rows_.emplace(builder, LongRowsSpec{width_, height_, height_, Layout::real, Layout::halves, 0, "float"});
        if (by_field_) {
            field_rows_.emplace(builder,
                                LongRowsSpec{width_, height_, height_, Layout::folded, Layout::complex, width_, "float"});
            finish_.emplace(builder, problem, Finish::Shape{width_, height_, width_, group, true});
        }
        if (!by_field_ || parameters_.autofocus)
            modulus_rows_.emplace(builder,
                                  LongRowsSpec{width_, height_, height_, Layout::folded, Layout::modulus, width_, "float"});

        const std::vector<int> radices = fft::simd::radices(height_);
        host::Defines defines;
        define_length(defines, radices);
        add_frame_types(defines, problem);
        const std::int64_t panel_bytes = panel_floats(16, height_, 1) * static_cast<std::int64_t>(sizeof(float));
        defines.add("SIMD_STREAM", std::int64_t{2 * panels_ * panel_bytes > streaming_bytes});
        const host::ProgramSpec spec{"hologram/mirrored_simd.cl", defines};
        columns_ = builder.kernel(spec, "columns");
        fold_ = builder.kernel(spec, "fold", pixels_.local.x);
        unfold_ = builder.kernel(spec, "unfold", pixels_.local.x);
        twiddles_ = builder.constant(twiddles(radices));
        order_ = builder.constant(order(radices));
        quarters_ = builder.constant(fft::quarters(height_, height_));
        row_quarters_ = builder.constant(fft::quarters(width_, std::int64_t{16} * panels_));
        groups_ = group_count(builder.device(), panels_);
        image_ = builder.scratch(static_cast<std::size_t>(width_ * height_) * sizeof(float) * (by_field_ ? 2 : 1));
        half_ = builder.scratch(static_cast<std::size_t>(panels_ * panel_bytes));
        folded_ = builder.scratch(static_cast<std::size_t>(2 * panels_ * panel_bytes));
        scratch_ = builder.scratch(groups_ * static_cast<std::size_t>(3 * panel_bytes));
        // With nothing to do: drivers compile at the first launch.
        const host::Arg args[]{twiddles_, twiddles_,     twiddles_,     twiddles_,       twiddles_,
                               order_,    quarters_, row_quarters_, std::int32_t{32}, std::int32_t{0}};
        builder.queue()
            .launch({.kernel = *columns_, .groups = {groups_}, .local = {}, .args = args, .step = "hologram/columns"})
            .wait();
    }

protected:
    void begin(Execution& x, const Bindings& arrays, bool changed) override {
        changed_ = changed;
        const host::Buffer &image = arrays.input("hologram"), &folded = x.buffer(image_);
        x.launch("fold", *fold_, pixels_.groups, pixels_.local,
                 {image, has_background_ ? arrays.input("background") : image, has_dark_ ? arrays.input("dark") : image, folded,
                  u32(width_), u32(height_)});
        rows_->enqueue(x, "rows forward", folded, x.buffer(half_), false);
    }

    void planes(Execution& x, const Batch& batch, const Target& target) override {
        table_->make(x, phases_, batch.slot, changed_);
        x.launch("columns", *columns_, {groups_}, {},
                 {x.buffer(half_), table_->buffer(), x.buffer(folded_), x.buffer(scratch_), twiddles_, order_, quarters_,
                  row_quarters_, static_cast<std::int32_t>(width_), panels_});
        const host::Buffer& image = x.buffer(image_);
        if (target.outputs && by_field_) {
            field_rows_->enqueue_at(x, "rows inverse", x.buffer(folded_), image, true, 0);
            finish_->enqueue(x, image, *target.outputs, target.plane);
        } else if (target.outputs && target.outputs->has_output("amplitude")) {
            modulus(x, target.outputs->output("amplitude"), target.plane * width_ * height_);
        }
        if (target.amplitude) modulus(x, *target.amplitude, 0);
    }

private:
    void modulus(Execution& x, const host::Buffer& out, std::int64_t first) {
        const host::Buffer& image = x.buffer(image_);
        modulus_rows_->enqueue_at(x, "rows inverse", x.buffer(folded_), image, true, 0);
        x.launch("unfold", *unfold_, pixels_.groups, pixels_.local,
                 {image, out, u32(width_), u32(height_), static_cast<std::uint64_t>(first)});
    }

    std::int64_t width_, height_;
    std::int32_t panels_;
    PixelGrid pixels_;   // of 16 pixels
    bool has_background_, has_dark_, by_field_;
    bool changed_ = false;
    std::unique_ptr<fft::Transform> transform_;
    std::optional<TransferTable> table_;
    std::optional<LongRows> rows_, modulus_rows_, field_rows_;
    std::optional<Finish> finish_;
    KernelPtr columns_, fold_, unfold_;
    host::Buffer twiddles_, order_, quarters_, row_quarters_;
    std::size_t groups_ = 1;
    Scratch image_, half_, folded_, scratch_;
};

Support supports_mirrored_simd(const Problem& problem, host::Context& context) {
    if (Support s = supports_inputs(problem, context); !s) return s;
    if (Support s = supports_half_spectrum(problem); !s) return s;
    const Geometry g = resolve(problem);
    if (!g.mirrored) return Support::no("it is for padding by \"reflect\"");
    if (std::string reason = simd_why_not(context.info(), OnMesa::never); !reason.empty()) return Support::no(std::move(reason));
    if (!rows_have_panels(g.width))
        return Support::no(
            fmt::format("it takes widths of 256 and more that are 16 times a number without prime factors above 17; the "
                        "hologram is {} wide",
                        g.width));
    if (radices(g.height).empty() || g.height > line_limit)
        return Support::no(fmt::format("it takes heights without prime factors above 17, up to {}; the hologram is {} high",
                                       line_limit, g.height));
    return Support::yes();
}

}  // namespace

Variant mirrored_simd_variant() {
    return make_variant<MirroredSimdPlan>({
        .name = "mirrored_simd",
        .summary =
            "padding by reflection on wide vectors, 16 columns at once, by cosine transforms of the frame itself: for CPUs",
        .role = Role::best,
        .backends = {host::Backend::opencl},
        .policy = {{"work_group_size", 64, {16, 32, 64, 128, 256}, "work-items of the kernels that handle one pixel each"}},
        .supports = supports_mirrored_simd,
    });
}

}  // namespace parallax::engine::hologram
