// Whether a DICOM file has all that its elements before the pixels say: GDCM ends the process for many that are cut off.
#pragma once

#include <cstdint>
#include <filesystem>

namespace parallax::io::readers::dicom {

/// Throws Problem where the file ends inside an element before its pixels, and NoPicture where it has no mark of DICOM either. What is not
/// as the standard has it is left to GDCM, which knows of many such.
void check_header_whole(const std::filesystem::path&, std::uint64_t bytes);

}   // namespace parallax::io::readers::dicom
