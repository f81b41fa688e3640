// `lanes`: one launch a step on a CPU.
#include "algorithms/diffusion_lb/device.hpp"
#include "algorithms/diffusion_lb/variants.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace parallax::engine::diffusion_lb {
namespace {

constexpr std::int64_t margin = 16;   // as MARGIN in lanes.cl

class LanesPlan final : public Plan {
public:
    LanesPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : parameters_(problem.parameters.as<LbParameters>()), layout_(planes_of(problem.inputs.at("image")), margin), conversion_(builder, layout_),
          wants_iterations_(problem.wants("iterations")) {
        const std::int64_t height = layout_.planes.height, wanted = std::int64_t{builder.device().compute_units} * policy.at("groups_per_unit");
        rows_ = std::min(height, std::max<std::int64_t>(16, height * layout_.batch / wanted));
        parts_ = (height + rows_ - 1) / rows_;
        host::Defines d;
        d.add("LATTICE", populations(parameters_.lattice)).add("RADIUS", radius_of(parameters_))
            .add("EDGE", static_cast<std::int64_t>(parameters_.edge_function)).add("WATCH", parameters_.stop_below > 0);
        step_ = builder.kernel({"diffusion_lb/lanes.cl", d}, "lanes_step");
        const std::vector<double> weights = gaussian(parameters_.sigma);
        gaussian_ = builder.constant(std::vector<float>(weights.begin(), weights.end()));
        const std::size_t plane = layout_.batch_floats() * sizeof(float);
        for (int i = 0; i < 2; ++i) {
            intensity_[i] = builder.scratch(plane);
            populations_[i] = builder.scratch(plane * static_cast<std::size_t>(populations(parameters_.lattice) - 1));
        }
        keep_ = builder.scratch(parameters_.update_edges_every > 1 ? plane : sizeof(float));
        lines_ = builder.scratch(static_cast<std::size_t>(6 * parts_ * layout_.batch * layout_.pitch) * sizeof(float));
        if (parameters_.stop_below > 0) judge_.emplace(builder, layout_, parameters_, parts_);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer &a = x.buffer(intensity_[0]), &b = x.buffer(intensity_[1]);
        for (std::int64_t first = 0; first < layout_.planes.count(); first += layout_.batch) {
            const std::int64_t count = std::min(layout_.batch, layout_.planes.count() - first);
            conversion_.begin(x, arrays.input("image"), a, first, count);
            for (int n = 0; n < parameters_.iterations; ++n) step(x, n, first, count);
            if (arrays.has_output("image")) conversion_.end(x, a, b, arrays.output("image"), first, count, parameters_.iterations);
        }
        if (wants_iterations_) conversion_.record(x, parameters_.iterations);
    }

private:
    void step(Execution& x, int n, std::int64_t first, std::int64_t count) {
        const host::Buffer &in = x.buffer(intensity_[n % 2]), &out = x.buffer(intensity_[1 - n % 2]), &sums = judge_ ? judge_->sums(x) : in;
        const std::int32_t edges = parameters_.update_edges_every == 1 ? 0 : n % parameters_.update_edges_every == 0 ? 1 : 2;
        x.launch("step", *step_, {static_cast<std::size_t>(parts_), static_cast<std::size_t>(count), 1}, {1, 1, 1},
                 {in, out, x.buffer(populations_[n % 2]), x.buffer(populations_[1 - n % 2]), x.buffer(keep_), x.buffer(lines_), gaussian_,
                  coupling_of(parameters_), inverse_k2(parameters_), layout_.width(), layout_.height(), layout_.pitch32(),
                  static_cast<std::int32_t>(rows_), static_cast<std::int32_t>(n == 0), edges, sums, conversion_.states(x), static_cast<std::uint64_t>(first)});
        if (judge_) judge_->enqueue(x, conversion_.states(x), first, count, n + 1);
    }

    LbParameters parameters_;
    Layout layout_;
    Conversion conversion_;
    bool wants_iterations_;
    std::int64_t rows_ = 0, parts_ = 0;
    std::unique_ptr<host::Kernel> step_;
    host::Buffer gaussian_;
    std::optional<Judge> judge_;
    Scratch intensity_[2], populations_[2], keep_, lines_;
};

}  // namespace

Variant lanes_variant() {
    Variant v;
    v.name = "lanes";
    v.summary = "one launch a step for CPUs: rows in vectors of 16, a few chunks a core, no barriers";
    v.role = Role::best;
    v.backends = {host::Backend::opencl};
    v.kernels = {"diffusion_lb/lanes.cl", "diffusion_lb/convert.cl", "diffusion_lb/judge.cl"};
    v.policy = {{"groups_per_unit", 8, {1, 2, 4, 8, 16}, "chunks of rows for each core"}};
    v.supports = [](const Problem& problem, host::Context& context) {
        if (context.info().type != host::DeviceType::cpu) return Support::no("is made for CPUs");
        if (radius_of(problem.parameters.as<LbParameters>()) > margin) return Support::no("smooths with sigma below 5.5 only");
        return Support::yes();
    };
    v.plan = [](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
        return std::make_unique<LanesPlan>(builder, problem, policy);
    };
    return v;
}

}  // namespace parallax::engine::diffusion_lb
