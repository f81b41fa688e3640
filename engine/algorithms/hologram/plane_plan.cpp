#include "algorithms/hologram/plane_plan.hpp"

#include <algorithm>

namespace parallax::engine::hologram {

PlanePlan::PlanePlan(PlanBuilder& builder, const Problem& problem, std::int64_t most_planes)
    : parameters_(parameters_of(problem)),
      geometry_(resolve(problem)),
      phases_(builder, geometry_.distances.size()),
      most_planes_(static_cast<std::uint32_t>(most_planes)),
      wants_focus_(problem.wants("focus")),
      wants_planes_(problem.wants("planes")) {
    phases_.set(geometry_);
    if (!parameters_.autofocus) return;
    const std::int64_t width = output_width(geometry_), height = output_height(geometry_);
    focus_.emplace(builder, *parameters_.autofocus, geometry_.distances.size(), most_planes_, width, height);
    amplitude_ = builder.scratch(static_cast<std::size_t>(most_planes * width * height) * sizeof(float));
}

void PlanePlan::update(const Parameters& parameters) {
    const auto& p = parameters.as<HologramParameters>();
    if (p.distance.values == geometry_.distances) return;
    parameters_.distance = p.distance;
    geometry_ = resolve(parameters_, geometry_.width, geometry_.height);
    phases_.set(geometry_);
}

void PlanePlan::enqueue(Execution& x, const Bindings& arrays) {
    begin(x, arrays, phases_.upload(x));
    const auto count = static_cast<std::uint32_t>(geometry_.distances.size());
    const bool best_only = parameters_.planes == Planes::best && focus_;
    const Bindings* outputs = arrays.outputs.empty() ? nullptr : &arrays;
    for (std::uint32_t i = 0; i < count; i += most_planes_) {
        const Batch batch{i, std::min(most_planes_, count - i)};
        const host::Buffer* amplitude = focus_ ? &x.buffer(amplitude_) : nullptr;
        planes(x, batch, {best_only ? nullptr : outputs, i, amplitude});
        if (focus_) focus_->measure(x, *amplitude, batch.slot, batch.count);
    }
    if (best_only) {
        focus_->choose(x, phases_);
        if (outputs) planes(x, {count, 1}, {outputs, 0, nullptr});
    }
    if (focus_) focus_->report(x, {*parameters_.autofocus, geometry_, !parameters_.off_axis}, wants_focus_);
    if (wants_planes_) x.record("planes", [geometry = geometry_] { return planes_record(geometry); });
    end(x);
}

}  // namespace parallax::engine::hologram
