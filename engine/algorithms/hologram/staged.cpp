// `staged`: every method, one kernel a step, on any FFT library. One upload, one download; a stack reuses one forward
// transform, and the best plane is chosen on the device.
#include "algorithms/hologram/order_filter.hpp"
#include "algorithms/hologram/plane_plan.hpp"
#include "algorithms/hologram/propagator.hpp"
#include "algorithms/hologram/variants.hpp"
#include "core/make_variant.hpp"

namespace parallax::engine::hologram {

namespace {

class StagedPlan : public PlanePlan {
public:
    StagedPlan(PlanBuilder& builder, const Problem& problem, int group)
        : PlanePlan(builder, problem),
          single_(is_single_transform(geometry_)),
          wants_carrier_(problem.wants("carrier")),
          transform_(fft::make_transform(builder, {geometry_.padded_width, geometry_.padded_height, 1, fft::Kind::c2c},
                                         parameters_.fft)),
          intake_(builder, problem, geometry_, true, group),
          finish_(builder, problem, {output_width(geometry_), output_height(geometry_), geometry_.padded_width, group}) {
        h_ = builder.scratch(static_cast<std::size_t>(geometry_.width * geometry_.height) * sizeof(float));
        spectrum_ = builder.scratch(complex_bytes(geometry_));
        work_ = builder.scratch(complex_bytes(geometry_));
        if (single_) {
            field_ = builder.scratch(complex_bytes(geometry_));   // the next plane starts from the same frame
            single_propagator_.emplace(builder, geometry_, *transform_, group);
        } else {
            propagator_.emplace(builder, geometry_, *transform_, false, has_endless_mean(), group);
        }
        if (parameters_.off_axis) order_.emplace(builder, parameters_, geometry_, group);
    }

protected:
    void begin(Execution& x, const Bindings& arrays, bool changed) override {
        changed_ = changed;
        if (order_) {
            intake_.normalise(x, arrays, x.buffer(h_), true);
            order_->enqueue(x, x.buffer(h_), intake_.mean(), *transform_, x.buffer(spectrum_));
            if (single_) transform(x, "inverse transform", fft::Direction::inverse);
            return;
        }
        intake_.enqueue(x, arrays, x.buffer(h_), x.buffer(spectrum_));
        if (!single_) transform(x, "forward transform", fft::Direction::forward);
    }

    void planes(Execution& x, const Batch& batch, const Target& target) override {
        const host::Buffer& field = x.buffer(single_ ? field_ : work_);
        if (single_) single_propagator_->enqueue(x, phases_, x.buffer(spectrum_), batch.slot, x.buffer(work_), field);
        else propagator_->enqueue(x, phases_, x.buffer(spectrum_), batch.slot, changed_, field);
        if (target.outputs) finish_.enqueue(x, field, *target.outputs, target.plane);
        if (target.amplitude) finish_.amplitude_only(x, field, *target.amplitude);
    }

    void end(Execution& x) override {
        if (order_) order_->report(x, wants_carrier_);
    }

private:
    /// Of spectrum_, in place.
    void transform(Execution& x, const char* stage, fft::Direction direction) {
        const auto scope = x.scope(stage);
        transform_->enqueue(x, x.buffer(spectrum_), x.buffer(spectrum_), direction);
    }

    bool single_, wants_carrier_;
    bool changed_ = false;
    std::unique_ptr<fft::Transform> transform_;
    Intake intake_;
    Finish finish_;
    std::optional<SpectrumPropagator> propagator_;
    std::optional<SingleTransformPropagator> single_propagator_;
    std::optional<OrderFilter> order_;
    Scratch h_, spectrum_, work_, field_;
};

}  // namespace

Variant staged_variant() {
    return make_variant<StagedPlan>({
        .name = "staged",
        .summary = "one kernel a step, every method and FFT library; a stack reuses one forward transform",
        .role = Role::plain,
        .policy = {{"work_group_size", 256, {32, 64, 128, 256}, "work-items of the kernels that handle one pixel each"}},
        .supports = [](const Problem& problem, host::Context& context) {
            if (Support s = supports_inputs(problem, context); !s) return s;
            const auto& p = problem.parameters.as<HologramParameters>();
            const Geometry g = resolve(problem);
            if (p.off_axis && p.off_axis->is_searched()) {
                if (std::string reason = fft::why_not(p.fft, {g.width, g.height, 1, fft::Kind::c2c}, context); !reason.empty())
                    return Support::no(std::move(reason));
            }
            return Support::no(fft::why_not(p.fft, {g.padded_width, g.padded_height, 1, fft::Kind::c2c}, context));
        },
    });
}

}  // namespace parallax::engine::hologram
