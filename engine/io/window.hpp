// From values to the greys of a picture.
#pragma once

#include "io/io.hpp"

namespace parallax::io {

/// What is wrong with the window of the options; empty: nothing.
std::string window_problem(const WriteOptions&);
/// The percentiles of the finite elements, by linear interpolation between the two nearest as numpy.percentile has it.
/// {0, 0} where no element is finite.
std::array<double, 2> percentiles(const HostArray& dense, std::array<double, 2> percent);
/// What a picture at this path would not show, and what to do; empty: nothing, or no picture.
std::string display_loss(const std::filesystem::path&, const HostArray&, const WriteOptions&);
/// u8 or u16 elements for a PNG: u8 and u16 as they are where no window is asked for, all else through the window
/// (default: from the least to the largest finite value). Values below are 0, above white, NaN 0.
HostArray for_display(const HostArray&, const WriteOptions&);

}  // namespace parallax::io
