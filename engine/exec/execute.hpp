// A pipeline on one device, once, whichever way its arrays go through the device's memory.
#pragma once

#include "exec/device_work.hpp"
#include "exec/memory_plan.hpp"
#include "exec/step_report.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace parallax::engine {

struct Executed {
    std::vector<StepReport> steps;
    std::uint64_t peak_bytes = 0;
};

struct ExecuteOptions {
    /// Puts the inputs into the work, but for those of which `in_slabs` says that they are read slab by slab
    /// (DeviceWork::slices).
    std::function<void(const std::function<bool(std::size_t input)>& in_slabs)> read;
    /// Asked before each command and while steps run; true ends the work with CancelledError. May be empty.
    std::function<bool()> cancelled;
};

/// Leaves arrays and records in the work. Plans the memory first: all on the device together where that fits, else step by step,
/// in slabs or in tiles; results are the same to the bit. Throws UnsupportedError where a step cannot be cut so that it fits, and
/// what steps throw.
Executed execute(DeviceWork&, Engine&, const ExecuteOptions&);

}  // namespace parallax::engine
