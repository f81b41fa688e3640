// `global` and `local`: the source paper's, for comparison.
#include "algorithms/diffusion_lb/device.hpp"
#include "algorithms/diffusion_lb/variants.hpp"
#include "core/integers.hpp"
#include "core/make_variant.hpp"

#include <algorithm>
#include <memory>

namespace parallax::engine::diffusion_lb {
namespace {


class BaselinePlan final : public Plan {
public:
    BaselinePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy, bool local)
        : parameters_(problem.parameters.as<LbParameters>()),
          layout_(planes_of(problem.inputs.at("image"))),
          conversion_(builder, layout_),
          edges_(builder, layout_, parameters_),
          wants_iterations_(problem.wants("iterations")),
          local_(local),
          group_x_(policy.at("work_group_size_x")),
          group_y_(local ? 1 : policy.at("work_group_size_y")),
          groups_x_(divided_up(layout_.planes.width, group_x_)) {
        host::Defines d;
        d.add("LATTICE", populations(parameters_.lattice)).add("GROUP_X", group_x_).add("GROUP_Y", group_y_);
        const host::ProgramSpec spec{"diffusion_lb/baselines.cl", d};
        start_ = builder.kernel(spec, "start");
        intensity_kernel_ = builder.kernel(spec, "intensity");
        step_ = builder.kernel(spec, local ? "local_step" : "global_step");
        if (local) crossing_ = builder.kernel(spec, "local_edges");
        const std::size_t plane = layout_.batch_floats() * sizeof(float), moving = populations(parameters_.lattice) == 5 ? 2 : 6;
        intensity_ = builder.scratch(plane);
        keep_ = builder.scratch(plane);
        for (Scratch& f : f_) f = builder.scratch(plane * size(populations(parameters_.lattice)));
        if (local) crossings_ = builder.scratch(moving * size(layout_.batch * layout_.planes.height * groups_x_) * sizeof(float));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer& intensity = x.buffer(intensity_);
        for (std::int64_t first = 0; first < layout_.planes.count(); first += layout_.batch) {
            const std::int64_t count = std::min(layout_.batch, layout_.planes.count() - first);
            conversion_.begin(x, arrays.input("image"), intensity, first, count);
            if (parameters_.iterations > 0)
                x.launch("start", *start_, layout_.pixels(count), pixel_group,
                         {intensity, x.buffer(f_[0]), layout_.width(), layout_.height(), layout_.pitch32()});
            for (int n = 0; n < parameters_.iterations; ++n) {
                if (n % parameters_.update_edges_every == 0) {
                    if (n > 0) sum_up(x, n, count);
                    edges_.enqueue(x, intensity, x.buffer(keep_), count);
                }
                step(x, n, count);
            }
            if (parameters_.iterations > 0) sum_up(x, parameters_.iterations, count);
            if (arrays.has_output("image")) conversion_.end(x, intensity, intensity, arrays.output("image"), first, count, 0);
        }
        if (wants_iterations_) conversion_.record(x, parameters_.iterations);
    }

private:
    void sum_up(Execution& x, int n, std::int64_t count) {
        x.launch("intensity", *intensity_kernel_, layout_.pixels(count), pixel_group,
                 {x.buffer(f_[n % 2]), x.buffer(intensity_), layout_.width(), layout_.height(), layout_.pitch32()});
    }

    void step(Execution& x, int n, std::int64_t count) {
        const host::Buffer &in = x.buffer(f_[n % 2]), &out = x.buffer(f_[1 - n % 2]), &keep = x.buffer(keep_);
        const std::int64_t height = layout_.planes.height;
        if (!local_) {
            x.launch("step", *step_,
                     {size(groups_x_), size(std::min<std::int64_t>(divided_up(height, group_y_), 65535)), size(count)},
                     {size(group_x_), size(group_y_), 1}, {in, out, keep, layout_.width(), layout_.height(), layout_.pitch32()});
            return;
        }
        const host::Buffer& crossings = x.buffer(crossings_);
        const std::size_t rows = size(std::min<std::int64_t>(height, 65535));
        x.launch("step", *step_, {size(groups_x_), rows, size(count)}, {size(group_x_), 1, 1},
                 {in, out, keep, crossings, layout_.width(), layout_.height(), layout_.pitch32()});
        if (groups_x_ > 1)
            x.launch("edges of groups", *crossing_, {size(divided_up(groups_x_ - 1, 32)), rows, size(count)}, {32, 1, 1},
                     {crossings, out, static_cast<std::int32_t>(groups_x_), layout_.height(), layout_.pitch32()});
    }

    LbParameters parameters_;
    Layout layout_;
    Conversion conversion_;
    EdgePasses edges_;
    bool wants_iterations_, local_;
    std::int64_t group_x_, group_y_, groups_x_;
    std::unique_ptr<host::Kernel> start_, intensity_kernel_, step_, crossing_;
    Scratch intensity_, keep_, f_[2], crossings_;
};

Variant seed(std::string name, std::string summary) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .role = Role::baseline,
        .policy = {{"work_group_size_x", 128, {32, 64, 128, 256}, "columns of a work-group"}},
        .supports =
            [](const Problem& problem, host::Context&) {
                return problem.parameters.as<LbParameters>().stop_below > 0
                           ? Support::no("does not stop early: leave out stop_below")
                           : Support::yes();
            },
    };
}

}  // namespace

Variant global_variant() {
    Variant row = seed("global", "the source paper's: collides and streams in one kernel from one array to the other");
    row.policy.push_back({"work_group_size_y", 1, {1, 2, 4}, "rows of a work-group"});
    return make_variant<BaselinePlan>(std::move(row), false);
}

Variant local_variant() {
    return make_variant<BaselinePlan>(
        seed("local", "the source paper's: shifts along rows in local memory, a second kernel for the edges of groups"), true);
}

}  // namespace parallax::engine::diffusion_lb
