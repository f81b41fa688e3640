// Where PoCL keeps what it compiles.
#pragma once

#include "opencl/registration.hpp"

#include <string>
#include <vector>

namespace parallax::host::opencl {

/// PoCL has no devices where the folder of its cache cannot be made, and compiles nothing where that is full. If that is so with the
/// user's folder (a container's user without a home), POCL_CACHE_DIR names one for temporary files from now on; and where PoCL would
/// take a relative path, a folder with an absolute one. To be called before PoCL is asked for devices; does nothing where PoCL is not
/// registered, or where POCL_CACHE_DIR names a folder already.
void place_pocl_cache(const std::vector<Registration>&);

/// Why PoCL compiles nothing, where that is for its cache: it then fails without a word of its own. Else empty.
std::string pocl_cache_trouble();

}  // namespace parallax::host::opencl
