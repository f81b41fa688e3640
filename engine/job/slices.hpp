// The array of an input, a few slices at a time, from its file.
#pragma once

#include "core/slabs.hpp"
#include "job/read.hpp"

namespace parallax::engine {

/// Of the one file of an input, which is opened anew to go back. Files that are not read in slices (PNG, JPEG, TIFF pictures) are
/// decoded as a whole at the first call. Throws IoError. The warnings live as long as what is returned.
ReadSlices slices_of(const InputSpec&, const PreparedInput&, NonFinite, InputWarnings&);

}  // namespace parallax::engine
