// Which drivers the OpenCL loader is told of, and those that are registered but broken, or there but not registered: the loader
// says nothing about either.
#pragma once

#include "parallax/host/device.hpp"

#include <string>
#include <vector>

namespace parallax::host::opencl {

struct Registration {
    std::string source;    ///< the .icd file, or the variable that names the library
    std::string library;   ///< as it is written there, without blanks around it; empty: the file names none
    bool padded = false;   ///< with blanks or a carriage return around it, which loaders take for a part of the name
};

/// A driver that this process does not load, and what it did when a child loaded it.
struct LeftOut {
    Registration registration;
    std::string reason, hint;
};

/// As ocl-icd and Khronos' loader look for drivers: in OCL_ICD_VENDORS (a folder, an .icd file, for ocl-icd also a library), else
/// OPENCL_VENDOR_PATH, else the system's folder; and the libraries of OCL_ICD_FILENAMES. In order of their sources.
std::vector<Registration> registrations();

/// Loads none of those that were left out.
void add_registration_problems(Inventory&, const std::vector<LeftOut>& left_out = {});

}  // namespace parallax::host::opencl
