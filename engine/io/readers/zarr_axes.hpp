// Which of our axes those of an OME-Zarr are, by their types and names.
#pragma once

#include <string>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::zarr {

/// A letter for each of OME's axes, no two alike. Those whose names say nothing are taken by their order, from the last one on, with
/// a warning: for what of x, y, z (and t, where they are not said to be of space) no other axis is. Empty: none are left, or two
/// would have one letter.
std::string letters_of(const Json& axes, Json& warnings);

}   // namespace parallax::io::readers::zarr
