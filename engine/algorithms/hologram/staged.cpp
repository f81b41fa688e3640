// `staged`: every method, one kernel a step, on any FFT library. One upload, one download; a stack reuses one forward
// transform, and the best plane is chosen on the device.
#include "algorithms/hologram/propagator.hpp"
#include "algorithms/hologram/variants.hpp"

namespace parallax::engine::hologram {

namespace {

class StagedPlan : public Plan {
public:
    StagedPlan(PlanBuilder& builder, const Problem& problem, int group)
        : parameters_(problem.parameters.as<HologramParameters>()),
          geometry_(resolve(parameters_, problem.inputs.at("hologram").size('x'), problem.inputs.at("hologram").size('y'))),
          single_(geometry_.method == Method::fresnel_single_fft),
          phases_(builder, geometry_.distances.size()),
          transform_(fft::make_transform(builder, {geometry_.padded_width, geometry_.padded_height, 1, fft::Kind::c2c}, parameters_.fft)),
          intake_(builder, problem, geometry_, true, group),
          finish_(builder, problem, output_width(geometry_), output_height(geometry_), geometry_.padded_width, group),
          wants_focus_(problem.wants("focus")), wants_carrier_(problem.wants("carrier")) {
        phases_.set(geometry_, parameters_.band_limit);
        const std::size_t padded = static_cast<std::size_t>(geometry_.padded_width * geometry_.padded_height) * 2 * sizeof(float);
        h_ = builder.scratch(static_cast<std::size_t>(geometry_.width * geometry_.height) * sizeof(float));
        spectrum_ = builder.scratch(padded);
        work_ = builder.scratch(padded);
        if (single_) {
            field_ = builder.scratch(padded);   // the next plane starts from the same frame, so it is not overwritten
            single_propagator_.emplace(builder, geometry_, *transform_, group);
        } else {
            propagator_.emplace(builder, geometry_, *transform_, false, group);
        }

        if (parameters_.off_axis) {
            order_.emplace(builder, *parameters_.off_axis, geometry_, group);
            const bool padded_frame = geometry_.padded_width != geometry_.width || geometry_.padded_height != geometry_.height;
            if (order_->needs_search() && padded_frame) {
                Geometry plain = geometry_;
                plain.padded_width = plain.width;
                plain.padded_height = plain.height;
                search_intake_.emplace(builder, problem, plain, true, group);
                search_transform_ = fft::make_transform(builder, {plain.width, plain.height, 1, fft::Kind::c2c}, parameters_.fft);
            }
        }
        if (parameters_.autofocus) {
            focus_.emplace(builder, *parameters_.autofocus, geometry_.distances.size(), output_width(geometry_), output_height(geometry_));
            amplitude_ = builder.scratch(static_cast<std::size_t>(output_width(geometry_) * output_height(geometry_)) * sizeof(float));
        }
    }

    void update(const Parameters& parameters) override {
        const auto& p = parameters.as<HologramParameters>();
        geometry_.distances = p.distance.values;
        phases_.set(geometry_, p.band_limit);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const bool changed = phases_.upload(x);
        intake_.enqueue(x, arrays, x.buffer(h_), x.buffer(spectrum_));
        if (order_) isolate_order(x, arrays);
        else if (!single_) forward(x, *transform_, x.buffer(spectrum_), x.buffer(spectrum_));

        const std::size_t count = geometry_.distances.size();
        const bool best_only = parameters_.planes == Planes::best && focus_;
        for (std::size_t plane = 0; plane < count; ++plane) {
            const host::Buffer& field = propagate(x, static_cast<std::uint32_t>(plane), changed);
            if (!best_only) finish_.enqueue(x, field, arrays, static_cast<std::int64_t>(plane));
            if (focus_) {
                finish_.amplitude_only(x, field, x.buffer(amplitude_));
                focus_->measure(x, x.buffer(amplitude_), plane);
            }
        }
        if (best_only) {
            focus_->choose(x, phases_);
            finish_.enqueue(x, propagate(x, static_cast<std::uint32_t>(count), changed), arrays, 0);
        }
        if (focus_ && wants_focus_) focus_->record(x, geometry_.distances);
        if (order_ && wants_carrier_) order_->record(x);
    }

private:
    static void forward(Execution& x, fft::Transform& transform, const host::Buffer& in, const host::Buffer& out) {
        const auto scope = x.scope("forward transform");
        transform.enqueue(x, in, out, fft::Direction::forward);
    }

    /// Leaves the isolated order in spectrum_: its spectrum, or for the single transform its field.
    void isolate_order(Execution& x, const Bindings& arrays) {
        if (order_->needs_search() && search_intake_) {
            search_intake_->enqueue(x, arrays, x.buffer(h_), x.buffer(work_));
            forward(x, *search_transform_, x.buffer(work_), x.buffer(work_));
            order_->search(x, x.buffer(work_));
        }
        forward(x, *transform_, x.buffer(spectrum_), x.buffer(work_));
        if (order_->needs_search()) order_->search(x, x.buffer(work_));
        order_->enqueue(x, x.buffer(work_), x.buffer(spectrum_));
        if (single_) {
            const auto scope = x.scope("inverse transform");
            transform_->enqueue(x, x.buffer(spectrum_), x.buffer(spectrum_), fft::Direction::inverse);
        }
    }

    const host::Buffer& propagate(Execution& x, std::uint32_t slot, bool changed) {
        if (!single_) {
            propagator_->enqueue(x, phases_, x.buffer(spectrum_), slot, changed, x.buffer(work_));
            return x.buffer(work_);
        }
        single_propagator_->enqueue(x, phases_, x.buffer(spectrum_), slot, x.buffer(work_), x.buffer(field_));
        return x.buffer(field_);
    }

    HologramParameters parameters_;
    Geometry geometry_;
    bool single_;
    PhaseTable phases_;
    std::unique_ptr<fft::Transform> transform_, search_transform_;
    Intake intake_;
    std::optional<Intake> search_intake_;
    Finish finish_;
    std::optional<SpectrumPropagator> propagator_;
    std::optional<SingleTransformPropagator> single_propagator_;
    std::optional<OrderFilter> order_;
    std::optional<FocusSearch> focus_;
    Scratch h_, spectrum_, work_, field_, amplitude_;
    bool wants_focus_, wants_carrier_;
};

}  // namespace

Variant staged_variant() {
    Variant v;
    v.name = "staged";
    v.summary = "one kernel a step, every method and FFT library; a stack reuses one forward transform";
    v.role = Role::plain;
    v.backends = {host::Backend::opencl, host::Backend::cuda};
    v.kernels = {"hologram/prepare.cl", "hologram/transfer.cl", "hologram/single_transform.cl", "hologram/off_axis.cl",
                 "hologram/focus.cl",   "hologram/finish.cl"};
    v.policy = {{"work_group_size", 256, {32, 64, 128, 256}, "work-items of the kernels that handle one pixel each"}};
    v.supports = [](const Problem& problem, host::Context& context) {
        if (Support s = supports_inputs(problem, context); !s) return s;
        const auto& p = problem.parameters.as<HologramParameters>();
        const Geometry g = resolve(p, problem.inputs.at("hologram").size('x'), problem.inputs.at("hologram").size('y'));
        return Support::no(fft::why_not(p.fft, {g.padded_width, g.padded_height, 1, fft::Kind::c2c}, context));
    };
    v.plan = [](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
        return std::make_unique<StagedPlan>(builder, problem, policy.at("work_group_size"));
    };
    return v;
}

}  // namespace parallax::engine::hologram
