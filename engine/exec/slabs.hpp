// An array that goes to a step a few slices at a time.
#pragma once

#include "core/session.hpp"
#include "core/slabs.hpp"
#include "exec/device_work.hpp"

namespace parallax::engine {

/// Of a dense array.
ReadSlices slices_of(const HostArray&);

/// Reads, sends and enqueues all of an array's `slices`, as many times as the plan has passes.
void enqueue_slabs(Session&, const PlannedCall&, DeviceWork&, const std::string& name, std::int64_t slices, SlabMemory&,
                   const ReadSlices&);

}  // namespace parallax::engine
