// Which of our axes those of a Zarr array are, by the types and names that OME-Zarr or xarray gives them.
#pragma once

#include <string>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::zarr {

/// A letter for each of a list of axes, no two alike, as io::letters_of() gives them, with its warning. Empty: they are not followed.
std::string letters_of(const Json& axes, Json& warnings);

}   // namespace parallax::io::readers::zarr
