// The pixels of a DICOM file: decoded by GDCM, RLE and plain ones by ourselves, as the elements that we have.
#pragma once

#include "io/readers/dicom_header.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace parallax::io::readers::dicom {

/// Of the elements: "u8", "i16", "f32" where they are rescaled.
std::string type_of(const Header&);
std::size_t bytes_of(const std::string& type);
/// Frames of one file, as our elements. Throws Problem.
void decode(const Header&, std::int64_t first, std::int64_t count, char* to);

}   // namespace parallax::io::readers::dicom
