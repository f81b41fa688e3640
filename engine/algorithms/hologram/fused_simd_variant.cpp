// `fused_simd`: the three passes of `fused` on a CPU's wide vectors (fused_simd.hpp). H comes from a table of which the
// columns read one quarter only, so one quarter is made: once for a single plane, anew for each plane of a stack.
#include "algorithms/hologram/fused_simd.hpp"
#include "algorithms/hologram/plane_plan.hpp"
#include "algorithms/hologram/propagator.hpp"
#include "algorithms/hologram/variants.hpp"
#include "core/make_variant.hpp"

namespace parallax::engine::hologram {

namespace {

/// What the row pass can read as the camera gave it; null: it must be prepared first.
const char* direct_type(const Problem& problem, const Geometry& geometry) {
    if (is_padded(geometry) || problem.inputs.size() > 1) return nullptr;
    switch (problem.inputs.at("hologram").type) {
        case ElementType::u8: return "uchar";
        case ElementType::u16: return "ushort";
        case ElementType::f32: return "float";
        default: return nullptr;
    }
}

class FusedSimdPlan : public PlanePlan {
public:
    FusedSimdPlan(PlanBuilder& builder, const Problem& problem, int group)
        : PlanePlan(builder, problem),
          other_outputs_(problem.wants("phase") || problem.wants("intensity") ||
                         (problem.wants("field") && problem.wants("amplitude"))),
          simd_(builder, simd_spec(problem)) {
        if (has_impulse_response(geometry_)) {
            transform_ = fft::make_transform(builder, {geometry_.padded_width, geometry_.padded_height, 1, fft::Kind::c2c},
                                             parameters_.fft);
        }
        table_.emplace(builder, geometry_, transform_.get(), false, has_endless_mean(), group,
                       TableExtent{simd_.transfer_width(), geometry_.padded_height / 2 + 1});
        const auto pixels = static_cast<std::size_t>(geometry_.width * geometry_.height);
        if (direct_type(problem, geometry_) == nullptr) {
            intake_.emplace(builder, problem, geometry_, false, group);
            h_ = builder.scratch(pixels * sizeof(float));
            frame_ = builder.scratch(complex_bytes(geometry_) / 2);
        }
        if (other_outputs_) {
            finish_.emplace(builder, problem, Finish::Shape{geometry_.width, geometry_.height, geometry_.width, group});
            field_ = builder.scratch(pixels * 2 * sizeof(float));
        }
    }

protected:
    void begin(Execution& x, const Bindings& arrays, bool changed) override {
        changed_ = changed;
        if (intake_) intake_->enqueue(x, arrays, x.buffer(h_), x.buffer(frame_));
        simd_.forward(x, intake_ ? x.buffer(frame_) : arrays.input("hologram"));
    }

    void planes(Execution& x, const Batch& batch, const Target& target) override {
        table_->make(x, phases_, batch.slot, changed_);
        simd_.columns(x, table_->buffer());
        const std::int64_t first = target.plane * geometry_.width * geometry_.height;
        if (target.outputs) {
            if (other_outputs_) {
                simd_.field(x, x.buffer(field_), 0);
                finish_->enqueue(x, x.buffer(field_), *target.outputs, target.plane);
            } else if (target.outputs->has_output("field")) {
                simd_.field(x, target.outputs->output("field"), first);
            } else if (target.outputs->has_output("amplitude")) {
                simd_.modulus(x, target.outputs->output("amplitude"), first);
            }
        }
        if (target.amplitude) simd_.modulus(x, *target.amplitude, 0);
    }

private:
    FusedSimdSpec simd_spec(const Problem& problem) const {
        const char* const type = direct_type(problem, geometry_);
        return {.width = geometry_.padded_width,
                .height = geometry_.padded_height,
                .out_width = geometry_.width,
                .out_height = geometry_.height,
                .input_type = type != nullptr ? type : "float",
                .modulus = parameters_.autofocus.has_value() || (problem.wants("amplitude") && !other_outputs_),
                .field = other_outputs_ || problem.wants("field")};
    }

    bool other_outputs_;               // they are made of the field
    bool changed_ = false;
    FusedSimd simd_;
    std::unique_ptr<fft::Transform> transform_;
    std::optional<TransferTable> table_;
    std::optional<Intake> intake_;
    std::optional<Finish> finish_;
    Scratch h_, frame_, field_;
};

Support supports_fused_simd(const Problem& problem, host::Context& context) {
    if (Support s = supports_inputs(problem, context); !s) return s;
    if (Support s = supports_half_spectrum(problem); !s) return s;
    const Geometry g = resolve(problem);
    return {FusedSimd::why_not(g.padded_width, g.padded_height, context.info())};
}

}  // namespace

Variant fused_simd_variant() {
    return make_variant<FusedSimdPlan>({
        .name = "fused_simd",
        .formerly = {"fused_lanes"},
        .summary = "the three passes of fused on wide vectors, 16 lines at once: for CPUs",
        .role = Role::best,
        .backends = {host::Backend::opencl},
        .policy = {{"work_group_size", 64, {16, 32, 64, 128, 256}, "work-items of the kernels that handle one pixel each"}},
        .supports = supports_fused_simd,
    });
}

}  // namespace parallax::engine::hologram
