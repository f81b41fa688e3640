// `device`: a voxel a work-item, from its coordinates alone.
#include "algorithms/phantom/phantom.hpp"
#include "core/make_variant.hpp"
#include "core/plan.hpp"

#include <algorithm>
#include <memory>

namespace parallax::engine::phantom {
namespace {

class DevicePlan final : public Plan {
public:
    DevicePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : parameters_(problem.parameters.as<PhantomParameters>()) {
        const auto side = static_cast<std::size_t>(parameters_.size);
        count_ = is_flat(parameters_.kind) ? side * side : side * side * side;
        const std::vector<Vessel> vessels = vessels_of(parameters_);
        vessel_count_ = static_cast<std::uint32_t>(vessels.size());
        vessels_ = builder.constant(vessels.empty() ? std::vector<Vessel>(1) : vessels);
        group_ = std::min<std::size_t>(static_cast<std::size_t>(policy.at("work_group_size")), builder.device().max_work_group);
        kernel_ = builder.kernel({"phantom/phantom.cl", {}}, "phantom", group_);
        groups_ = std::min<std::size_t>((count_ + group_ - 1) / group_, std::size_t{1} << 20);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        if (!arrays.has_output("volume")) return;
        x.launch("phantom", *kernel_, {groups_, 1, 1}, {group_, 1, 1},
                 {arrays.output("volume"), vessels_, static_cast<std::uint32_t>(parameters_.kind), vessel_count_,
                  static_cast<std::uint32_t>(parameters_.size), static_cast<std::uint64_t>(count_),
                  static_cast<std::uint64_t>(parameters_.seed), density_threshold(parameters_)});
    }

private:
    PhantomParameters parameters_;
    std::size_t count_, group_, groups_;
    std::uint32_t vessel_count_;
    std::unique_ptr<host::Kernel> kernel_;
    host::Buffer vessels_;
};

}  // namespace

Variant device_variant() {
    return make_variant<DevicePlan>({
        .name = "device",
        .summary = "every voxel from its coordinates, in integers",
        .role = Role::best,
        .policy = {{"work_group_size", 64, {32, 64, 128, 256}, "work-items of a group"}},
    });
}

}  // namespace parallax::engine::phantom
