// The OpenCL headers, once. Handles are owned by the RAII types of CL/opencl.hpp; calls go through the C API with
// check(), so that every error names the call that failed.
#pragma once

#include "opencl/entries.hpp"

#include <CL/opencl.hpp>
