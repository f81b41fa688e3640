// How far the elements of a FITS image lie apart, and when its frames were taken.
#pragma once

#include <cstddef>

#include "io/fits_header.hpp"

namespace parallax::io::fits {

/// Whether an axis, counting from 1, is one of time.
bool is_time(const Unit&, std::size_t axis);
/// Distances between pixels, where they are lengths and not angles in the sky, and times between frames.
void describe_space(const Source&, const Unit&, FileInfo&);

}   // namespace parallax::io::fits
