// `mirrored`: a hologram among its mirror images by cosine transforms of the frame itself (fft/mirror.clh): a quarter of the
// points of the padded frame, equal to it up to rounding. Any size, any FFT library, in-line and off-axis.
#include "algorithms/hologram/order_filter.hpp"
#include "algorithms/hologram/plane_plan.hpp"
#include "algorithms/hologram/propagator.hpp"
#include "algorithms/hologram/variants.hpp"
#include "core/integers.hpp"
#include "core/make_variant.hpp"

namespace parallax::engine::hologram {

namespace {

class MirroredPlan : public PlanePlan {
public:
    MirroredPlan(PlanBuilder& builder, const Problem& problem, int group)
        : PlanePlan(builder, problem),
          grid_(geometry_.width, geometry_.height, group),
          quarter_(geometry_.width / 2 + 1, geometry_.height / 2 + 1, group),
          has_background_(problem.inputs.count("background") > 0),
          has_dark_(problem.inputs.count("dark") > 0),
          wants_carrier_(problem.wants("carrier")),
          transform_(fft::make_transform(builder, {geometry_.width, geometry_.height, 1, fft::Kind::c2c}, parameters_.fft)),
          finish_(builder, problem, {geometry_.width, geometry_.height, geometry_.width, group, true}) {
        if (has_impulse_response(geometry_)) {
            whole_ = fft::make_transform(builder, {geometry_.padded_width, geometry_.padded_height, 1, fft::Kind::c2c},
                                         parameters_.fft);
            table_.emplace(builder, geometry_, whole_.get(), false, false, group, TableExtent{geometry_.width, geometry_.height});
        }
        host::Defines defines;
        add_frame_types(defines, problem);
        defines.add("METHOD", table_ ? method_table : method_define(geometry_.methods.front()))
            .add("DISC", parameters_.off_axis.has_value());
        add_phase_defines(defines, geometry_);
        const host::ProgramSpec spec{"hologram/mirrored.cl", defines};
        const auto items = static_cast<std::size_t>(group);
        fold_ = builder.kernel(spec, parameters_.off_axis ? "fold_field" : "fold", items);
        propagate_ = builder.kernel(spec, "propagate", items);
        const std::size_t bytes = static_cast<std::size_t>(geometry_.width * geometry_.height) * 2 * sizeof(float);
        spectrum_ = builder.scratch(bytes);
        work_ = builder.scratch(bytes);
        if (parameters_.off_axis) {
            intake_.emplace(builder, problem, geometry_, true, group);
            order_.emplace(builder, parameters_, geometry_, group);
            h_ = builder.scratch(bytes / 2);
        }
    }

protected:
    void begin(Execution& x, const Bindings& arrays, bool changed) override {
        changed_ = changed;
        const host::Buffer& spectrum = x.buffer(spectrum_);
        const std::uint32_t width = u32(geometry_.width), height = u32(geometry_.height);
        if (order_) {
            intake_->normalise(x, arrays, x.buffer(h_), true);
            const host::Buffer& field = order_->demodulate(x, x.buffer(h_), intake_->mean());
            x.launch("fold", *fold_, grid_.groups, grid_.local, {field, spectrum, width, height});
        } else {
            const host::Buffer& image = arrays.input("hologram");
            x.launch("fold", *fold_, grid_.groups, grid_.local,
                     {image, has_background_ ? arrays.input("background") : image, has_dark_ ? arrays.input("dark") : image,
                      spectrum, width, height});
        }
        const auto scope = x.scope("forward transform");
        transform_->enqueue(x, spectrum, spectrum, fft::Direction::forward);
    }

    void planes(Execution& x, const Batch& batch, const Target& target) override {
        const host::Buffer &spectrum = x.buffer(spectrum_), &work = x.buffer(work_);
        if (table_) table_->make(x, phases_, batch.slot, changed_);
        x.launch("propagate", *propagate_, quarter_.groups, quarter_.local,
                 {spectrum, work, table_ ? table_->buffer() : spectrum, phases_.turns(), phases_.scale(), phases_.unit(),
                  phases_.limit(), phases_.planes(), batch.slot, order_ ? order_->found() : phases_.scale(), u32(geometry_.width),
                  u32(geometry_.height), quarter_turn(geometry_.width), quarter_turn(geometry_.height)});
        {
            const auto scope = x.scope("inverse transform");
            transform_->enqueue(x, work, work, fft::Direction::inverse);
        }
        if (target.outputs) finish_.enqueue(x, work, *target.outputs, target.plane);
        if (target.amplitude) finish_.amplitude_only(x, work, *target.amplitude);
    }

    void end(Execution& x) override {
        if (order_) order_->report(x, wants_carrier_);
    }

private:
    /// Divided by the size.
    static std::uint64_t quarter_turn(std::int64_t n) { return fixed_turns(0.25L / static_cast<long double>(n)); }

    PixelGrid grid_, quarter_;
    bool has_background_, has_dark_, wants_carrier_;
    bool changed_ = false;
    std::unique_ptr<fft::Transform> transform_, whole_;
    Finish finish_;
    std::optional<TransferTable> table_;
    std::optional<Intake> intake_;
    std::optional<OrderFilter> order_;
    KernelPtr fold_, propagate_;
    Scratch h_, spectrum_, work_;
};

Support supports_mirrored(const Problem& problem, host::Context& context) {
    if (Support s = supports_inputs(problem, context); !s) return s;
    const Geometry g = resolve(problem);
    if (!g.mirrored) return Support::no("it is for padding by \"reflect\", of methods with an even transfer function");
    const auto& p = problem.parameters.as<HologramParameters>();
    const fft::TransformSpec frame{g.width, g.height, 1, fft::Kind::c2c};
    if (std::string reason = fft::why_not(p.fft, frame, context); !reason.empty()) return Support::no(std::move(reason));
    if (!has_impulse_response(g)) return Support::yes();
    return Support::no(fft::why_not(p.fft, {g.padded_width, g.padded_height, 1, fft::Kind::c2c}, context));
}

}  // namespace

Variant mirrored_variant() {
    return make_variant<MirroredPlan>({
        .name = "mirrored",
        .summary = "padding by reflection as cosine transforms of the frame itself, on any FFT library",
        .role = Role::plain,
        .policy = {{"work_group_size", 256, {32, 64, 128, 256}, "work-items of the kernels that handle one pixel each"}},
        .supports = supports_mirrored,
    });
}

}  // namespace parallax::engine::hologram
