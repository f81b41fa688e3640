// An array that goes to a plan slab by slab: one is read while the device has the one before.
#pragma once

#include "core/session.hpp"
#include "job/prepare.hpp"
#include "job/work.hpp"

#include <functional>
#include <span>

namespace parallax::engine {

/// Fills an array with the slices from `first` on, in order, from 0 again as often as wanted: of a file, or of an array that is there.
using NextSlices = std::function<void(HostArray&, std::int64_t first)>;

/// Of an input's file, which is opened anew for slice 0. Throws IoError.
NextSlices slices_of(const InputSpec&, const PreparedInput&, NonFinite);

/// Memory of two slabs of `slab` slices on either side; commands use it until the queue has finished.
struct SlabMemory {
    std::span<HostArray, 2> host;
    std::span<const host::Buffer, 2> device;
    std::int64_t slab;
};

/// Reads, sends and enqueues all of an array's `slices`, as many times as the plan has passes.
void enqueue_slabs(Session&, const PlannedCall&, Work&, const std::string& name, std::int64_t slices, const SlabMemory&, const NextSlices&);

}  // namespace parallax::engine
