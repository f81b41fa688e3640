// The slices of a job's input that one rank needs, and no others.
#pragma once

#include "distributed/part.hpp"
#include "job/read.hpp"

#include <functional>

namespace parallax::engine::distributed {

/// Reads from the one file of an input, fastest in order. Files that have no slices to pick (PNG, JPEG, TIFF pictures) are decoded as a
/// whole at the first call.
std::function<void(Range, std::byte* to)> slices_of(const InputSpec&, const PreparedInput&, NonFinite);

}  // namespace parallax::engine::distributed
