// `simd`: one launch a step on a CPU.
#include "algorithms/diffusion_lb/steps.hpp"
#include "algorithms/diffusion_lb/variants.hpp"
#include "core/integers.hpp"
#include "core/long_loops.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace parallax::engine::diffusion_lb {
namespace {

constexpr std::int64_t margin = 16;   // as MARGIN in simd.cl

constexpr std::int64_t rows_around = 4;   // that a work-item goes over beside those that it writes

/// Of a work-item's loops, each with a round to find that it is done: over the vectors of a row, which is smoothed down and
/// along, collides and is added up; and over what is mirrored around it, in steps of the smaller side.
std::int64_t rounds_a_row(const Layout& layout, const LbParameters& p) {
    const std::int64_t side = std::min(layout.planes.width, layout.planes.height), radius = radius_of(p),
                       moving = populations(p.lattice) - 1;
    const std::int64_t a_vector = 2 * (radius + 2) + 2 * (moving + 2);
    return divided_up(layout.planes.width, 16) * a_vector + 4 * (radius + 1) * (radius / side + 3) + 3 * (moving + 2) + 8;
}

/// The rows of a work-item, fewer where its loops would be cut.
std::int64_t rows_within(host::Context& context, std::int64_t rows, std::int64_t rounds_a_row) {
    if (too_many_rounds(context, (rows + rows_around) * rounds_a_row).empty()) return rows;
    const std::int64_t fewer = std::max<std::int64_t>(most_rounds(context) / rounds_a_row - rows_around, 1);
    require_rounds(context, (fewer + rows_around) * rounds_a_row);
    return fewer;
}

class SimdSteps final : public Steps {
public:
    SimdSteps(PlanBuilder& builder, const LbParameters& p, const Policy& policy, const Layout& layout,
              const Conversion& conversion)
        : parameters_(p), layout_(layout), conversion_(conversion), stays_(p.update_edges_every > 1) {
        const std::int64_t height = layout_.planes.height,
                           wanted = std::int64_t{builder.device().compute_units} * policy.at("groups_per_unit");
        rows_ = rows_within(builder.context(), std::min(height, std::max<std::int64_t>(16, height * layout_.batch / wanted)),
                            rounds_a_row(layout_, p));
        const std::int64_t parts = divided_up(height, rows_);
        host::Defines d;
        d.add("LATTICE", populations(parameters_.lattice)).add("RADIUS", radius_of(parameters_))
            .add("EDGE", static_cast<std::int64_t>(parameters_.edge_function)).add("WATCH", parameters_.stop_below > 0);
        step_ = builder.kernel({"diffusion_lb/simd.cl", d}, "simd_step");
        const std::vector<double> weights = gaussian(parameters_.sigma);
        gaussian_ = builder.constant(std::vector<float>(weights.begin(), weights.end()));
        const std::size_t plane = layout_.batch_floats() * sizeof(float);
        for (int i = 0; i < 2; ++i) {
            intensity_[i] = builder.scratch(plane);
            populations_[i] = builder.scratch(plane * static_cast<std::size_t>(populations(parameters_.lattice) - 1));
        }
        keep_ = builder.scratch(stays_ ? plane : sizeof(float));
        lines_ = builder.scratch(static_cast<std::size_t>(6 * std::max<std::int64_t>(parts, 2) * layout_.batch * layout_.pitch) *
                                 sizeof(float));
        if (parameters_.stop_below > 0) judge_.emplace(builder, layout_, parameters_, parts);
    }

    void find_edges(Execution&, const Launch&, int, std::int64_t, Rows) override {}

    void advance(Execution& x, const Launch& launch, int number, std::int64_t first, std::int64_t count, Rows written,
                 std::int64_t again_after) override {
        const Chunks chunks(written, rows_, again_after);
        const State from = state(x, number % 2), to = state(x, 1 - number % 2);
        const host::Buffer& sums = judge_ ? judge_->sums(x) : from.intensity;
        const auto edges = static_cast<std::int32_t>(!stays_              ? RowEdges::found
                                                     : launch.finds_edges ? RowEdges::written
                                                                          : RowEdges::read);
        x.launch("step", *step_, {chunks.count, static_cast<std::size_t>(count), 1}, {1, 1, 1},
                 {from.intensity,
                  to.intensity,
                  from.populations,
                  to.populations,
                  x.buffer(keep_),
                  x.buffer(lines_),
                  gaussian_,
                  coupling_of(parameters_),
                  inverse_k2(parameters_),
                  layout_.width(),
                  layout_.height(),
                  layout_.pitch32(),
                  chunks.first_row,
                  chunks.end_row,
                  chunks.apart,
                  chunks.rows,
                  static_cast<std::int32_t>(launch.step == 0),
                  edges,
                  sums,
                  conversion_.states(x),
                  static_cast<std::uint64_t>(first)});
        if (judge_) judge_->enqueue(x, conversion_.states(x), first, count, launch.step + 1);
    }

    State state(Execution& x, int turn) const override { return {x.buffer(intensity_[turn]), x.buffer(populations_[turn])}; }
    const host::Buffer* edges(Execution& x) const override { return stays_ ? &x.buffer(keep_) : nullptr; }

private:
    LbParameters parameters_;
    Layout layout_;
    const Conversion& conversion_;
    bool stays_;
    std::int64_t rows_ = 0;   // of a work-item
    std::unique_ptr<host::Kernel> step_;
    host::Buffer gaussian_;
    std::optional<Judge> judge_;
    Scratch intensity_[2], populations_[2], keep_, lines_;
};

}  // namespace

Variant simd_variant() {
    Variant row{
        .name = "simd",
        .formerly = {"lanes"},
        .summary = "one launch a step for CPUs: rows in vectors of 16, a few chunks a core, no barriers",
        .role = Role::best,
        .backends = {host::Backend::opencl},
        .policy = {{"groups_per_unit", 8, {1, 2, 4, 8, 16}, "chunks of rows for each core"}},
        .supports = [](const Problem& problem, host::Context& context) {
            if (context.info().type != host::DeviceType::cpu) return Support::no("is made for CPUs");
            if (radius_of(problem.parameters.as<LbParameters>()) > margin)
                return Support::no("smooths with sigma below 5.5 only");
            return Support::yes();
        },
    };
    return in_steps(std::move(row), margin, [](const LbParameters& p, const Policy&) { return Pace{p, Pairs::none}; },
                    [](PlanBuilder& builder, const LbParameters& p, const Policy& policy, const Layout& layout, const Layout&,
                       const Conversion& conversion) -> std::unique_ptr<Steps> {
                        return std::make_unique<SimdSteps>(builder, p, policy, layout, conversion);
                    });
}

}  // namespace parallax::engine::diffusion_lb
