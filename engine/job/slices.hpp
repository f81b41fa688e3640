// The array of an input, a few slices at a time, from its file.
#pragma once

#include "core/slabs.hpp"
#include "job/prepare.hpp"

namespace parallax::engine {

/// Of the one file of an input, which is opened anew to go back. Files that are not read in slices (PNG, JPEG, TIFF pictures) are
/// decoded as a whole at the first call. Throws IoError.
ReadSlices slices_of(const InputSpec&, const PreparedInput&, NonFinite);

}  // namespace parallax::engine
