// `paper`: the source paper's pipeline as it was printed (Luo et al. 2021, convolution after Schnars & Jueptner), each
// step a kernel: g(x, y) centred in the frame, transforms of hologram and g, product, inverse transform, quadrant
// swap, modulus. For odd sizes the swap is one pixel off, as it is in the paper; it is kept so that the paper's
// comparison can be repeated.
#include "algorithms/hologram/plane_plan.hpp"
#include "algorithms/hologram/propagator.hpp"
#include "algorithms/hologram/variants.hpp"
#include "core/make_variant.hpp"

namespace parallax::engine::hologram {

namespace {

class PaperPlan : public PlanePlan {
public:
    PaperPlan(PlanBuilder& builder, const Problem& problem, int group)
        : PlanePlan(builder, problem),
          group_(group),
          transform_(fft::make_transform(builder, {geometry_.padded_width, geometry_.padded_height, 1, fft::Kind::c2c},
                                         parameters_.fft)),
          intake_(builder, problem, geometry_, true, group),
          propagator_(builder, geometry_, *transform_, true, has_endless_mean(), group),
          swap_(builder.kernel({"hologram/finish.cl", {}}, "swap_quadrants", static_cast<std::size_t>(group))),
          finish_(builder, problem, {geometry_.width, geometry_.height, geometry_.padded_width, group}) {
        h_ = builder.scratch(static_cast<std::size_t>(geometry_.width * geometry_.height) * sizeof(float));
        spectrum_ = builder.scratch(complex_bytes(geometry_));
        work_ = builder.scratch(complex_bytes(geometry_));
    }

protected:
    void begin(Execution& x, const Bindings& arrays, bool changed) override {
        changed_ = changed;
        intake_.enqueue(x, arrays, x.buffer(h_), x.buffer(spectrum_));
        const auto scope = x.scope("forward transform");
        transform_->enqueue(x, x.buffer(spectrum_), x.buffer(spectrum_), fft::Direction::forward);
    }

    void planes(Execution& x, const Batch& batch, const Target& target) override {
        propagator_.enqueue(x, phases_, x.buffer(spectrum_), batch.slot, changed_, x.buffer(work_));
        const PixelGrid grid(geometry_.padded_width, geometry_.padded_height, group_);
        x.launch("swap quadrants", *swap_, grid.groups, grid.local,
                 {x.buffer(work_), x.buffer(spectrum_), static_cast<std::uint32_t>(geometry_.padded_width),
                  static_cast<std::uint32_t>(geometry_.padded_height)});
        finish_.enqueue(x, x.buffer(spectrum_), *target.outputs, target.plane);
    }

private:
    int group_;
    bool changed_ = false;
    std::unique_ptr<fft::Transform> transform_;
    Intake intake_;
    SpectrumPropagator propagator_;
    KernelPtr swap_;
    Finish finish_;
    Scratch h_, spectrum_, work_;
};

}  // namespace

Variant paper_variant() {
    return make_variant<PaperPlan>({
        .name = "paper",
        .summary = "Luo et al. 2021: centred g, two transforms, product, inverse, quadrant swap, modulus",
        .role = Role::baseline,
        .policy = {{"work_group_size", 256, {32, 64, 128, 256}, "work-items of the kernels that handle one pixel each"}},
        .supports = [](const Problem& problem, host::Context& context) {
            if (Support s = supports_inputs(problem, context); !s) return s;
            const auto& p = problem.parameters.as<HologramParameters>();
            if (p.method != Method::convolution) return Support::no("the paper's pipeline is method \"convolution\" only");
            if (p.distance.values.size() != 1 || p.autofocus)
                return Support::no("the paper's pipeline has one distance and no autofocus");
            if (!problem.wants("amplitude") && !problem.wants("phase") && !problem.wants("intensity") &&
                !problem.wants("field")) {
                return Support::no("no image is wanted");
            }
            if (p.off_axis) return Support::no("the paper's pipeline is for in-line holograms");
            const Geometry g = resolve(problem);
            return Support::no(fft::why_not(p.fft, {g.padded_width, g.padded_height, 1, fft::Kind::c2c}, context));
        },
    });
}

}  // namespace parallax::engine::hologram
