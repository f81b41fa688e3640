// What the axes of a FITS image are, how far its elements lie apart, and when its frames were taken.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/fits_header.hpp"

namespace parallax::io::fits {

/// A letter for each of up to four axes, the fastest first. One of times is t where it is not among the first two, which are those of
/// planes; the others go by their order. With a warning of those that say that they are something else.
std::string name_axes(const Unit&, std::size_t count, std::vector<Warning>&);
/// Distances between pixels, where they are lengths and not angles in the sky, and times between frames.
void describe_space(const Source&, const Unit&, FileInfo&);

}   // namespace parallax::io::fits
