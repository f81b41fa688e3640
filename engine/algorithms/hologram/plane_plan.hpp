// What the device plans of `hologram` have in common: planes one batch after another, focus measured on the device, the best
// plane made once more. How planes are made is the variant's own.
#pragma once

#include "algorithms/hologram/steps.hpp"

#include <optional>

namespace parallax::engine::hologram {

class PlanePlan : public Plan {
public:
    PlanePlan(PlanBuilder&, const Problem&, std::int64_t most_planes = 1);
    void update(const Parameters&) override;
    void enqueue(Execution&, const Bindings&) final;

protected:
    /// Planes that PhaseTable::planes() names from `slot` on; 1 but for variants that make more at once.
    struct Batch {
        std::uint32_t slot, count;
    };
    /// Where a batch goes: the outputs of the job from index `plane` on, or `amplitude` (one output size after the other) for the
    /// focus metric, or both; what is null is not wanted.
    struct Target {
        const Bindings* outputs = nullptr;
        std::int64_t plane = 0;
        const host::Buffer* amplitude = nullptr;
    };
    /// All that every plane shares. `changed`: the phase constants are new.
    virtual void begin(Execution&, const Bindings&, bool changed) = 0;
    virtual void planes(Execution&, const Batch&, const Target&) = 0;
    virtual void end(Execution&) {}

    /// What stands around the hologram is its mean.
    bool has_endless_mean() const noexcept { return padding_of(parameters_) == Padding::mean && is_padded(geometry_); }
    static std::size_t complex_bytes(const Geometry& g) {
        return static_cast<std::size_t>(g.padded_width * g.padded_height) * 2 * sizeof(float);
    }

    HologramParameters parameters_;
    Geometry geometry_;
    PhaseTable phases_;
    const std::uint32_t most_planes_;   ///< of a batch

private:
    std::optional<FocusSearch> focus_;
    Scratch amplitude_;
    bool wants_focus_, wants_planes_;
};

}  // namespace parallax::engine::hologram
