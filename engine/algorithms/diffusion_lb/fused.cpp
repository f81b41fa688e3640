// `fused` and `half`: one launch a step.
#include "algorithms/diffusion_lb/device.hpp"
#include "algorithms/diffusion_lb/variants.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace parallax::engine::diffusion_lb {
namespace {

constexpr std::int64_t halo = 8;            // as HALO in fused.cl
constexpr std::int64_t largest_radius = 6;  // that it leaves room for

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

class FusedPlan final : public Plan {
public:
    FusedPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy, bool half)
        : parameters_(problem.parameters.as<LbParameters>()), layout_(planes_of(problem.inputs.at("image"))), conversion_(builder, layout_),
          wants_iterations_(problem.wants("iterations")) {
        group_ = std::min<std::int64_t>(policy.at("work_group_size"), builder.device().max_work_group);
        const std::int64_t items = items_of(policy.at("items_per_work_item"), builder.device());
        const std::int64_t span = group_ * items - 2 * halo;
        strips_ = divided_up(layout_.planes.width, span);
        rows_ = rows_of(policy.at("rows_per_group"), builder.device().compute_units);
        chunks_ = divided_up(layout_.planes.height, rows_);

        pairs_ = !half && policy.at("steps_at_once") == 2 && parameters_.update_edges_every % 2 == 0 && parameters_.stop_below == 0;
        const std::int64_t every = pairs_ ? parameters_.update_edges_every / 2 : parameters_.update_edges_every;
        const bool passes = every > 1 || radius_of(parameters_) > largest_radius - (pairs_ ? 1 : 0);
        host::Defines d;
        d.add("LATTICE", populations(parameters_.lattice)).add("GROUP", group_).add("PX", items).add("EDGES_GIVEN", passes)
            .add("AHEAD", policy.at("rows_ahead")).add("HALF_STORAGE", half).add("WATCH", parameters_.stop_below > 0);
        if (!passes) d.add("RADIUS", radius_of(parameters_)).add("EDGE", static_cast<std::int64_t>(parameters_.edge_function));
        if (parameters_.iterations > 0 && (!pairs_ || parameters_.iterations % 2 == 1)) step_ = builder.kernel({"diffusion_lb/fused.cl", d}, "fused_step");
        d.add("STEPS", 2);
        if (pairs_ && parameters_.iterations > 1) two_steps_ = builder.kernel({"diffusion_lb/fused.cl", d}, "fused_step");
        const std::size_t plane = layout_.batch_floats() * sizeof(float);
        const std::size_t moving = layout_.batch_floats() * static_cast<std::size_t>(populations(parameters_.lattice) - 1) * (half ? 2 : 4);
        for (int i = 0; i < 2; ++i) {
            intensity_[i] = builder.scratch(plane);
            populations_[i] = builder.scratch(parameters_.iterations > 1 ? moving : sizeof(float));
        }
        if (passes) {
            edges_.emplace(builder, layout_, parameters_);
            keep_ = builder.scratch(plane);
        }
        if (parameters_.stop_below > 0) judge_.emplace(builder, layout_, parameters_, strips_ * chunks_);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer intensity[2] = {x.buffer(intensity_[0]), x.buffer(intensity_[1])};
        for (std::int64_t first = 0; first < layout_.planes.count(); first += layout_.batch) {
            const std::int64_t count = std::min(layout_.batch, layout_.planes.count() - first);
            conversion_.begin(x, arrays.input("image"), intensity[0], first, count);
            int launches = 0;
            for (int n = 0; n < parameters_.iterations; ++launches) {
                const int steps = pairs_ && n + 1 < parameters_.iterations ? 2 : 1;
                step(x, n, steps, launches, first, count);
                n += steps;
            }
            if (arrays.has_output("image")) conversion_.end(x, intensity[0], intensity[1], arrays.output("image"), first, count, launches);
        }
        if (wants_iterations_) conversion_.record(x, parameters_.iterations);
    }

private:
    /// Wide accesses where there are pixels enough for every compute unit.
    std::int64_t items_of(std::int64_t wanted, const host::DeviceInfo& device) const {
        const std::int64_t pixels = layout_.planes.pixels() * layout_.batch, unit = std::int64_t{device.compute_units} * 4096;
        if (wanted != 0) return wanted;
        if (device.type == host::DeviceType::cpu) return 1;
        return pixels >= 4 * unit ? 4 : pixels >= unit ? 2 : 1;
    }

    /// Short enough that every compute unit has several work-groups, long enough that the rows read twice are few.
    std::int64_t rows_of(std::int64_t wanted, std::uint32_t units) const {
        const std::int64_t height = layout_.planes.height, columns = strips_ * layout_.batch;
        std::int64_t rows = wanted;
        if (rows == 0) rows = std::clamp<std::int64_t>(height * columns / (std::int64_t{units} * 12), 4, 128);
        return std::clamp(rows, divided_up(height, 65535), std::max<std::int64_t>(height, 1));
    }

    /// Steps n to n + steps - 1 in launch number `launch`.
    void step(Execution& x, int n, int steps, int launch, std::int64_t first, std::int64_t count) {
        const host::Buffer &in = x.buffer(intensity_[launch % 2]), &out = x.buffer(intensity_[1 - launch % 2]);
        const host::Buffer &keep = edges_ ? x.buffer(keep_) : in, &sums = judge_ ? judge_->sums(x) : in;
        if (edges_ && n % parameters_.update_edges_every == 0) edges_->enqueue(x, in, keep, count);
        const auto gaussian = gaussian_arguments(parameters_);
        // A plane that stops early ends with the step that nobody knows beforehand.
        const bool last = n + steps == parameters_.iterations;
        x.launch(steps == 2 ? "two steps" : "step", steps == 2 ? *two_steps_ : *step_, {static_cast<std::size_t>(strips_), static_cast<std::size_t>(chunks_), static_cast<std::size_t>(count)},
                 {static_cast<std::size_t>(group_), 1, 1},
                 {in, out, x.buffer(populations_[launch % 2]), x.buffer(populations_[1 - launch % 2]), keep, gaussian[0], gaussian[1], coupling_of(parameters_),
                  inverse_k2(parameters_), layout_.width(), layout_.height(), layout_.pitch32(), static_cast<std::int32_t>(rows_),
                  static_cast<std::int32_t>(n == 0), static_cast<std::int32_t>(last), sums, conversion_.states(x), static_cast<std::uint64_t>(first)});
        if (judge_) judge_->enqueue(x, conversion_.states(x), first, count, n + 1);
    }

    LbParameters parameters_;
    Layout layout_;
    Conversion conversion_;
    bool wants_iterations_;
    std::int64_t group_ = 0, strips_ = 0, rows_ = 0, chunks_ = 0;
    bool pairs_ = false;
    std::unique_ptr<host::Kernel> step_, two_steps_;
    std::optional<EdgePasses> edges_;
    std::optional<Judge> judge_;
    Scratch intensity_[2], populations_[2], keep_;
};

Variant fused_like(std::string name, std::string summary, Role role, bool half) {
    Variant v;
    v.name = std::move(name);
    v.summary = std::move(summary);
    v.role = role;
    v.backends = {host::Backend::opencl, host::Backend::cuda};
    v.kernels = {"diffusion_lb/fused.cl", "diffusion_lb/convert.cl", "diffusion_lb/smooth.cl", "diffusion_lb/judge.cl"};
    v.policy = {{"work_group_size", 64, {32, 64, 128, 256}, "work-items of a group, side by side in a row"},
                {"items_per_work_item", 0, {0, 1, 2, 4}, "pixels side by side of a work-item, a group writes 16 fewer than it reads; 0: 1 on CPUs, else by the size of the image"},
                {"rows_per_group", 0, {0, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256}, "rows that a group walks down; 0: so that every compute unit has 12 groups"},
                {"rows_ahead", 0, {0, 1}, "rows that are loaded before they are needed"}};
    if (!half)
        v.policy.push_back({"steps_at_once", 2, {1, 2}, "where update_edges_every is even: steps of a launch, which halve the bytes a step"});
    v.supports = [](const Problem&, host::Context& context) {
        return context.info().local_memory < 32768 ? Support::no("needs 32 KiB of local memory") : Support::yes();
    };
    v.plan = [half](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
        return std::make_unique<FusedPlan>(builder, problem, policy, half);
    };
    return v;
}

}  // namespace

Variant fused_variant() {
    return fused_like("fused", "one launch a step; the smoothing, gradient and streaming of a strip pass through registers and local memory", Role::best, false);
}

Variant half_variant() {
    return fused_like("half", "fused, with populations stored as halves of their distance from equilibrium: 40 bytes a pixel and step for D2Q9, 24 for D2Q5",
                      Role::plain, true);
}

}  // namespace parallax::engine::diffusion_lb
