// A pipeline that does not fit a device as a whole: its arrays wait in host memory, and each step has the device to itself, as a
// whole, slab by slab or tile by tile.
//
//   host    image . . . . . . . . . . . . . . . . . . . . .    blurred . . . . . . . . . . .
//   device         [up 1][step 1][down 1][up 2][step 2][down 2]
//
// Every array crosses once a step, where one that fits moves it once; results are the same to the bit.
#pragma once

#include "exec/device_work.hpp"
#include "exec/memory_plan.hpp"
#include "exec/step_report.hpp"

#include <functional>
#include <vector>

namespace parallax::engine {

class OutOfCore {
public:
    OutOfCore(Engine&, const Resolved&, MemoryPlan);
    /// Asked before each command and while steps run; true ends compute() with CancelledError.
    void cancel_when(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }

    /// An input that compute() reads slab by slab.
    bool in_slabs(std::size_t input) const { return plan_.slabs.by_input[input] > 0; }
    /// Takes the inputs of the work, and leaves arrays and records in it. When it throws, nothing is under way any more.
    void compute(DeviceWork&);

    const std::vector<StepReport>& steps() const noexcept { return steps_; }
    std::uint64_t peak_bytes() const noexcept { return peak_; }

private:
    class Turn;
    void note(const PlannedCall&, std::size_t step, Profiler&);

    Engine& engine_;
    const Resolved& resolved_;
    MemoryPlan plan_;
    std::function<bool()> cancelled_;
    std::vector<StepReport> steps_;
    std::uint64_t peak_ = 0;
};

}  // namespace parallax::engine
