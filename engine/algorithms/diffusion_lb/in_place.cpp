// `in_place`: one array of populations instead of two, where edges stay for two steps.
#include "algorithms/diffusion_lb/device.hpp"
#include "algorithms/diffusion_lb/variants.hpp"
#include "core/integers.hpp"
#include "core/make_variant.hpp"

#include <algorithm>
#include <memory>

namespace parallax::engine::diffusion_lb {
namespace {

class InPlacePlan final : public Plan {
public:
    InPlacePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : parameters_(problem.parameters.as<LbParameters>()),
          layout_(planes_of(problem.inputs.at("image"))),
          conversion_(builder, layout_),
          edges_(builder, layout_, parameters_),
          wants_iterations_(problem.wants("iterations")),
          group_(policy.at("work_group_size")) {
        host::Defines d;
        d.add("LATTICE", populations(parameters_.lattice)).add("GROUP", group_);
        start_ = builder.kernel({"diffusion_lb/baselines.cl", host::Defines().add("LATTICE", populations(parameters_.lattice))},
                                "start");
        for (int across = 0; across < 2; ++across) {
            host::Defines kind = d;
            const host::ProgramSpec spec{"diffusion_lb/in_place.cl", kind.add("ACROSS", across)};
            step_[across] = builder.kernel(spec, "in_place_step");
            intensity_kernel_[across] = builder.kernel(spec, "in_place_intensity");
        }
        const std::size_t plane = layout_.batch_floats() * sizeof(float);
        intensity_ = builder.scratch(plane);
        keep_ = builder.scratch(plane);
        populations_ = builder.scratch(plane * static_cast<std::size_t>(populations(parameters_.lattice)));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer &intensity = x.buffer(intensity_), &f = x.buffer(populations_), &keep = x.buffer(keep_);
        for (std::int64_t first = 0; first < layout_.planes.count(); first += layout_.batch) {
            const std::int64_t count = std::min(layout_.batch, layout_.planes.count() - first);
            conversion_.begin(x, arrays.input("image"), intensity, first, count);
            if (parameters_.iterations > 0)
                x.launch("start", *start_, layout_.pixels(count), pixel_group,
                         {intensity, f, layout_.width(), layout_.height(), layout_.pitch32()});
            for (int n = 0; n < parameters_.iterations; ++n) {
                if (n % parameters_.update_edges_every == 0) {
                    if (n > 0) sum_up(x, n, count);
                    edges_.enqueue(x, intensity, keep, count);
                }
                x.launch("step", *step_[n % 2], groups(count), local(),
                         {f, keep, layout_.width(), layout_.height(), layout_.pitch32()});
            }
            if (parameters_.iterations > 0) sum_up(x, parameters_.iterations, count);
            if (arrays.has_output("image")) conversion_.end(x, intensity, intensity, arrays.output("image"), first, count, 0);
        }
        if (wants_iterations_) conversion_.record(x, parameters_.iterations);
    }

private:
    host::NDRange groups(std::int64_t count) const {
        return {static_cast<std::size_t>(divided_up(layout_.planes.width, group_)), layout_.pixels(count).y,
                static_cast<std::size_t>(count)};
    }
    host::NDRange local() const { return {static_cast<std::size_t>(group_), 1, 1}; }

    /// I before step n.
    void sum_up(Execution& x, int n, std::int64_t count) {
        x.launch("intensity", *intensity_kernel_[n % 2], groups(count), local(),
                 {x.buffer(populations_), x.buffer(intensity_), layout_.width(), layout_.height(), layout_.pitch32()});
    }

    LbParameters parameters_;
    Layout layout_;
    Conversion conversion_;
    EdgePasses edges_;
    bool wants_iterations_;
    std::int64_t group_;
    std::unique_ptr<host::Kernel> start_, step_[2], intensity_kernel_[2];   // of even and of odd steps
    Scratch intensity_, keep_, populations_;
};

}  // namespace

Variant in_place_variant() {
    return make_variant<InPlacePlan>({
        .name = "in_place",
        .summary = "one array of populations, streamed in place: half the memory, where update_edges_every is above 1",
        .role = Role::plain,
        .policy = {{"work_group_size", 256, {32, 64, 128, 256}, "work-items of a group, side by side in a row"}},
        .supports = [](const Problem& problem, host::Context&) {
            const LbParameters& p = problem.parameters.as<LbParameters>();
            if (p.update_edges_every < 2)
                return Support::no("streams in place only where edges stay for two steps: set update_edges_every above 1");
            return p.stop_below > 0 ? Support::no("does not stop early: leave out stop_below") : Support::yes();
        },
    });
}

}  // namespace parallax::engine::diffusion_lb
