// The pixels of a DICOM file: decoded by GDCM, RLE and plain ones by ourselves, as the elements that we have.
#pragma once

#include "io/readers/dicom_header.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parallax::io::readers::dicom {

/// Of the elements: "u8", "i16", "f32" where they are rescaled.
std::string type_of(const Header&);
std::size_t bytes_of(const std::string& type);
/// What a file holds, decoded: elements side by side or in planes, and whether colours are YCbCr.
struct Decoded {
    std::vector<char> bytes;
    bool planes = false, ybr = false;
    std::int64_t bits = 0;   ///< of a sample, as the streams of compressed pixels say
};
/// All frames of one file. Throws Problem.
Decoded decode(const Header&);
/// Some of them, as our elements. Throws Problem.
void deliver(const Header&, const Decoded&, std::int64_t first, std::int64_t count, char* to);

}   // namespace parallax::io::readers::dicom
