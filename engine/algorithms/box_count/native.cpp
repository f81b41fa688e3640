// The variants of the native device.
#include "algorithms/box_count/box_count.hpp"
#include "core/make_variant.hpp"
#include "core/plan.hpp"

#include <memory>
#include <utility>

namespace parallax::engine::box_count {
namespace {

class NativePlan final : public Plan {
public:
    /// `taken`: bytes a voxel, at most, by the counting itself.
    NativePlan(PlanBuilder& builder, const Problem& problem, Counting counting, std::int64_t taken, int threads)
        : problem_(problem), spec_(spec_of(problem)), counting_(counting), threads_(threads) {
        const bool masked = !spec_.as_it_is() || spec_.packed || spec_.extents;   // two masks, one made of the other
        builder.takes((taken + (masked ? 2 : 0)) * spec_.voxels());
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const auto counts = std::make_shared<Counted>();
        x.host_task("count", [this, counts, voxels = arrays.input(spec_.port)] {
            *counts = counts_of(spec_, voxels.host_pointer(), counting_, threads_);
        });
        const auto record = [counts, p = problem_.parameters, spec = spec_] {
            return record_of(p.as<BoxCountParameters>(), spec, *counts);
        };
        x.record("counts", record);
        if (problem_.wants("plot")) x.record("plot", [record] { return Json(plot_of(record())); });
    }

private:
    Problem problem_;
    BoxCountSpec spec_;
    Counting counting_;
    int threads_;
};

/// Two levels of flags, of a shape of which little is joined; numbers of eight bytes where all voxels are set: each thread's, in
/// vectors that grow, those that are merged and those that were.
constexpr std::int64_t flags = 1, numbers = 32;

}  // namespace

Variant reference_variant() {
    return make_variant<NativePlan>(
        native_row("reference", "a pyramid of any and all on one thread: what the others are measured by"), pyramid_counts, flags,
        1);
}
Variant threaded_variant() {
    return make_variant<NativePlan>(native_row("threaded", "the same pyramid on every thread"), pyramid_counts, flags, 0);
}
Variant hou_serial_variant() {
    return make_variant<NativePlan>(
        native_row("hou_serial", "the source paper's baseline: interleave, sort, mask, check, count on one thread"), hou_counts,
        numbers, 1);
}
Variant hou_threaded_variant() {
    return make_variant<NativePlan>(native_row("hou_threaded", "the same on every thread"), hou_counts, numbers, 0);
}

}  // namespace parallax::engine::box_count
