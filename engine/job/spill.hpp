// A job that does not fit a device as a whole: its arrays wait in host memory, and each step has the device to itself, as a
// whole, slab by slab or tile by tile.
//
//   host    image . . . . . . . . . . . . . . . . . . . . .    blurred . . . . . . . . . . .
//   device         [up 1][step 1][down 1][up 2][step 2][down 2]
//
// Every array crosses once a step, where a job that fits moves it once; results are the same to the bit.
#pragma once

#include "job/fit.hpp"
#include "job/work.hpp"

#include <functional>
#include <vector>

namespace parallax::engine {

class Spill {
public:
    Spill(Engine&, const Prepared&, Fit);
    /// Asked before each command and while steps run; true ends compute() with CancelledError.
    void cancel_when(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }

    /// An input that compute() reads from its file itself.
    bool in_slabs(std::size_t input) const { return fit_.slabs.by_input[input] > 0; }
    /// Takes the inputs of the work, and leaves arrays and records in it. When it throws, nothing is under way any more.
    void compute(Work&);

    const std::vector<StepReport>& steps() const noexcept { return steps_; }
    std::uint64_t peak_bytes() const noexcept { return peak_; }

private:
    class Turn;
    void note(const PlannedCall&, std::size_t step, Profiler&);

    Engine& engine_;
    const Prepared& prepared_;
    Fit fit_;
    std::function<bool()> cancelled_;
    std::vector<StepReport> steps_;
    std::uint64_t peak_ = 0;
};

}  // namespace parallax::engine
