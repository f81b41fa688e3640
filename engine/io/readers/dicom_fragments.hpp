// The fragments in which a DICOM file keeps compressed pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "io/readers/dicom_header.hpp"

namespace parallax::io::readers::dicom {

/// Where its bytes lie in the file.
struct Fragment {
    std::uint64_t at = 0, length = 0;
};

struct Fragments {
    std::uint64_t begin = 0;   ///< behind the head of the element of pixels
    /// Of each frame those that are its stream. None: they are in one piece, not as DICOM has it.
    std::vector<std::vector<Fragment>> frames;
};

/// Throws Problem where they do not reach to their ends, or are the streams of more or fewer frames than the header tells. GDCM
/// decodes what is there of a fragment that is cut off, and of a stream that is cut off inside a whole one it may look for the
/// end for a long time.
Fragments find_fragments(const Header&);

/// The file up to the end of its pixels, with one fragment for each frame: GDCM decodes no others of several frames. Without a
/// table of where they begin, which it does not look at.
std::string with_whole_frames(const Header&, const Fragments&);

}   // namespace parallax::io::readers::dicom
