// How a picture is to be held when it is looked at: cameras and scanners say so beside the pixels.
#pragma once

#include <span>

#include "io/io.hpp"

namespace parallax::io {

/// Of an EXIF block, which begins as a TIFF file does: 1 to 8, 1 where it says nothing.
int exif_orientation(std::span<const unsigned char> block) noexcept;
/// Rows and columns stay as they are stored; a picture that is to be turned or mirrored gets a warning that says so.
void warn_of_orientation(FileInfo&, int orientation);

}  // namespace parallax::io
