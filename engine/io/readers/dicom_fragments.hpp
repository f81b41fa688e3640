// The fragments in which a DICOM file keeps compressed pixels.
#pragma once

#include "io/readers/dicom_header.hpp"

namespace parallax::io::readers::dicom {

/// Throws Problem where they do not reach to their ends. GDCM decodes what is there of a fragment that is cut off, and of a
/// stream that is cut off inside a whole one it may look for the end for a long time.
void check_fragments(const Header&);

}   // namespace parallax::io::readers::dicom
