// How far apart the pixels and pages of a TIFF file lie.
#pragma once

#include "io/tiff_pages.hpp"

namespace parallax::io::tiff {

/// Gives the document's array what the description says of distances, else what the resolution tags say.
void describe_space(const Source&, Document&, const TiffFile&, Description);
/// By how much a level of so many pixels is smaller than the whole: a whole number where the size is what every second, third ...
/// pixel of the whole makes, or blocks.
double reduced_by(std::uint32_t whole, std::uint32_t here);

}  // namespace parallax::io::tiff
