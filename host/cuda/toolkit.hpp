// Libraries of the CUDA toolkit (NVRTC, cuFFT, NPP), opened at run time.
#pragma once

#include "support/platform.hpp"

#include <string>

namespace parallax::host::cuda {

/// A library by its file name ("libcufft.so.12"): on the system's search path, then in the toolkit's folders, since toolkits
/// are often unpacked and never registered. Empty where it is in none; `problem` then says what the system said.
platform::SharedLibrary open_toolkit_library(const std::string& file, std::string& problem);

/// File name of a library whose major version is part of its name: "cufft", 12 -> "libcufft.so.12" or "cufft64_12.dll".
std::string toolkit_library_name(const std::string& library, int major);

}  // namespace parallax::host::cuda
