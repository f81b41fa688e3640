// Inputs of a job, a few slices at a time.
#pragma once

#include "core/session.hpp"
#include "core/slabs.hpp"
#include "job/prepare.hpp"
#include "job/work.hpp"

namespace parallax::engine {

/// Of the one file of an input, which is opened anew to go back. Files that are not read in slices (PNG, JPEG, TIFF pictures) are decoded as
/// a whole at the first call. Throws IoError.
ReadSlices slices_of(const InputSpec&, const PreparedInput&, NonFinite);
/// Of a dense array.
ReadSlices slices_of(const HostArray&);

/// Reads, sends and enqueues all of an array's `slices`, as many times as the plan has passes.
void enqueue_slabs(Session&, const PlannedCall&, Work&, const std::string& name, std::int64_t slices, SlabMemory&, const ReadSlices&);

}  // namespace parallax::engine
