// What the words of a DICOM header mean together: whether samples, colours and bits fit each other.
#pragma once

#include <cstdint>
#include <optional>

#include "io/readers/dicom_header.hpp"

namespace parallax::io::readers::dicom {

/// As PS3.3 C.7.6.3.1 has it. What cannot be meant throws Problem; what is taken for something is said in the warnings.
void check_meaning(Header&, std::optional<std::int64_t> planar_configuration, std::optional<std::int64_t> high_bit);

}   // namespace parallax::io::readers::dicom
