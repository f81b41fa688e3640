// `reference` and `threaded`: the native device.
#include "algorithms/diffusion_lb/grid.hpp"
#include "core/make_variant.hpp"
#include "algorithms/diffusion_lb/reference.hpp"
#include "algorithms/diffusion_lb/variants.hpp"

#include <memory>

namespace parallax::engine::diffusion_lb {
namespace {

class NativePlan final : public Plan {
public:
    NativePlan(PlanBuilder& builder, const Problem& problem, int threads)
        : parameters_(problem.parameters.as<LbParameters>()), planes_(planes_of(problem.inputs.at("image"))), threads_(threads),
          wants_iterations_(problem.wants("iterations")) {
        builder.takes(bytes_taken(planes_) + diffusion_bytes(parameters_, planes_.width, planes_.height));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        auto taken = std::make_shared<std::vector<int>>();
        x.host_task("diffuse", [this, in = arrays.input("image"),
                                out = arrays.has_output("image") ? arrays.output("image") : host::Buffer(), taken] {
            each_plane(planes_, in.host_pointer(), out.host_pointer(), [&](double* plane) {
                taken->push_back(diffuse(parameters_, planes_.width, planes_.height, plane, threads_));
            });
        });
        if (wants_iterations_) x.record("iterations", [taken] { return Json(*taken); });
    }

private:
    LbParameters parameters_;
    Planes planes_;
    int threads_;
    bool wants_iterations_;
};

}  // namespace

Variant reference_variant() {
    return make_variant<NativePlan>(native_row("reference", "as it is written down, one thread, double precision: the oracle"),
                                    1);
}
Variant threaded_variant() {
    return make_variant<NativePlan>(native_row("threaded", "the same with rows shared out among the processor's threads"), 0);
}

}  // namespace parallax::engine::diffusion_lb
