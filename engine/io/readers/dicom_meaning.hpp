// What the words of a DICOM header mean together: whether samples, colours and bits fit each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/readers/dicom_header.hpp"

namespace parallax::io::readers::dicom {

/// A Photometric Interpretation as it may be repeated: only DICOM's own words, since whatever else stands there may tell of a
/// patient.
std::string shown(const std::string& photometric);

/// Throws Problem where pixels are stored in a way that is not read, whatever they are: not damage, then.
void check_syntax(const std::string& transfer_syntax);

/// As PS3.3 C.7.6.3.1 has it. What cannot be meant throws Problem; what is taken for something is said in the warnings.
void check_meaning(Header&, std::optional<std::int64_t> planar_configuration, std::optional<std::int64_t> high_bit);

}   // namespace parallax::io::readers::dicom
