#include "algorithms/box_filter/planes.hpp"

namespace parallax::engine::box_filter {
namespace {

class PlanesPlan final : public Plan {
public:
    PlanesPlan(PlanBuilder& builder, const BoxSpec& spec, const MakePlaneKernel& make) {
        for (const PlanePass& pass : plane_passes_of(spec)) kernels_.push_back(make(pass));
        if (kernels_.size() == 2) sums_ = builder.scratch(static_cast<std::size_t>(spec.count()) * sum_bytes(spec));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer &in = arrays.input("image"), &out = arrays.output("image");
        if (kernels_.size() == 1) {
            kernels_[0]->enqueue(x, "x and y", in, out);
            return;
        }
        kernels_[0]->enqueue(x, "x and y", in, x.buffer(sums_));
        kernels_[1]->enqueue(x, "z", x.buffer(sums_), out);
    }

private:
    std::vector<std::unique_ptr<PlaneKernel>> kernels_;
    Scratch sums_;
};

}  // namespace

std::vector<PlanePass> plane_passes_of(const BoxSpec& spec) {
    const std::int64_t slab = spec.middle * spec.height * spec.width * spec.channels;
    const bool flat = spec.window[2] == 1;
    std::vector<PlanePass> passes;
    if (flat || spec.window[0] > 1 || spec.window[1] > 1)
        passes.push_back({spec.outer * spec.depth * spec.middle, spec.width, spec.height, spec.channels, spec.window[0],
                          spec.window[1], 1, true, flat});
    if (!flat)
        passes.push_back(
            {spec.outer, slab, spec.depth, 1, 1, spec.window[2], spec.window[0] * spec.window[1], passes.empty(), true});
    return passes;
}

std::unique_ptr<Plan> make_planes_plan(PlanBuilder& builder, const BoxSpec& spec, const MakePlaneKernel& make) {
    return std::make_unique<PlanesPlan>(builder, spec, make);
}

}  // namespace parallax::engine::box_filter
