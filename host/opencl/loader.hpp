// The OpenCL loader, asked for the first time.
#pragma once

#include "opencl/api.hpp"
#include "opencl/registration.hpp"

#include <vector>

namespace parallax::host::opencl {

/// Tries the registered drivers once in this process (trial.hpp) and lets the loader load the others; gives those that were left
/// out. The loader reads its variables and files at its first call, and never again. Where a driver is left out, OCL_ICD_VENDORS
/// and OCL_ICD_FILENAMES are changed for the time of that call, and POCL_CACHE_DIR for good where PoCL needs it: a host application
/// that sets variables in another thread then, or has called OpenCL before, has to see to its drivers itself (PARALLAX_DRIVER=off).
const std::vector<LeftOut>& load_drivers();
/// The process ends, and so do the objects of the drivers: PoCL crashes where it is given a program after that.
bool drivers_have_ended() noexcept;

}  // namespace parallax::host::opencl
