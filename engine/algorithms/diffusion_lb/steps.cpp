#include "algorithms/diffusion_lb/steps.hpp"

#include "algorithms/diffusion_lb/part.hpp"
#include "core/make_variant.hpp"

#include <algorithm>

namespace parallax::engine::diffusion_lb {
namespace {

/// The steps of a whole image.
class StepsPlan final : public Plan {
public:
    StepsPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy, PaceOf pace, const MakeSteps& make,
              std::int64_t margin)
        : pace_(pace(problem.parameters.as<LbParameters>(), policy)),
          layout_(planes_of(problem.inputs.at("image")), margin),
          conversion_(builder, layout_),
          steps_(make(builder, pace_.parameters, policy, layout_, layout_, conversion_)),
          wants_iterations_(problem.wants("iterations")) {}

    void enqueue(Execution& x, const Bindings& arrays) override {
        const State a = steps_->state(x, 0), b = steps_->state(x, 1);
        const Rows all = layout_.all_rows();
        for (std::int64_t first = 0; first < layout_.planes.count(); first += layout_.batch) {
            const std::int64_t count = std::min(layout_.batch, layout_.planes.count() - first);
            conversion_.begin(x, arrays.input("image"), a.intensity, first, count);
            int launches = 0;
            auto chain = x.chain(steps_->edges(x) == nullptr && !(pace_.parameters.stop_below > 0));
            for (int n = 0; n < pace_.parameters.iterations; ++launches) {
                const Launch launch = pace_.launch_at(n);
                const int next = n + launch.steps;
                if (next >= pace_.parameters.iterations || pace_.launch_at(next).steps != launch.steps) chain.before_last();
                steps_->find_edges(x, launch, launches, count, all);
                steps_->advance(x, launch, launches, first, count, all);
                n = next;
            }
            chain.close();
            if (arrays.has_output("image"))
                conversion_.end(x, a.intensity, b.intensity, arrays.output("image"), first, count, launches);
        }
        if (wants_iterations_) conversion_.record(x, pace_.parameters.iterations);
    }

private:
    Pace pace_;
    Layout layout_;
    Conversion conversion_;
    std::unique_ptr<Steps> steps_;
    bool wants_iterations_;
};

}  // namespace

// A step sends a row's populations to the rows beside it, so they must be right a row further out; a collision needs the
// gradient of its row, that needs the smoothed rows beside it, and those the Gaussian's radius more.
Launch Pace::launch_at(int n) const {
    const std::int64_t radius = radius_of(parameters);
    Launch l;
    l.step = n;
    l.steps = pairs != Pairs::none && n + 1 < parameters.iterations ? 2 : 1;
    l.finds_edges = n % parameters.update_edges_every == 0;
    const bool own = l.steps == 2 && pairs == Pairs::own_edges;
    l.population_rows = own ? radius + 3 : l.steps;
    l.intensity_rows = l.finds_edges ? l.population_rows + radius + 1 : l.population_rows;
    l.edge_rows = l.finds_edges ? 0 : l.steps;
    return l;
}

Variant in_steps(Variant row, std::int64_t margin, PaceOf pace, MakeSteps make) {
    row.part = [=](PlanBuilder& builder, const Problem& problem, const Policy& policy, int rank) {
        return make_part(builder, problem, policy, rank, margin, pace, make);
    };
    return make_variant<StepsPlan>(std::move(row), pace, make, margin);
}

}  // namespace parallax::engine::diffusion_lb
