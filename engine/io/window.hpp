// From values to the greys of a picture.
#pragma once

#include "io/io.hpp"

namespace parallax::io {

/// Whether a file of this name is to be looked at: .png, .jpg, .jpeg, .gif, .mp4.
bool is_picture(const std::filesystem::path&);
/// Whether what is asked for is drawn, or told to be in 8 bits, so that a picture has 8 bits whatever its format could hold.
bool asks_eight_bits(const WriteOptions&);
/// What is wrong with the window of the options; empty: nothing.
std::string window_problem(const WriteOptions&);
/// The percentiles of the finite elements, by linear interpolation between the two nearest as numpy.percentile has it.
/// {0, 0} where no element is finite.
std::array<double, 2> percentiles(const HostArray& dense, std::array<double, 2> percent);
/// What a picture at this path would not show, and what to do; empty: nothing, or no picture. The elements' range, where it was
/// looked at, stays in the options, and so do greys that were made meanwhile: for write() of the same array.
std::string display_loss(const std::filesystem::path&, const HostArray&, WriteOptions&);
/// Whether its channels are what readers take so many channels for: red, green, blue, with alpha behind them or not, or grey and
/// alpha; so are those without names.
bool are_colours(const HostArray&);
/// Whether its channels are named as colours, and are others than readers take so many channels for: green and blue are two, as
/// grey and alpha are.
bool has_other_colours(const HostArray&);
/// The window that a dense array is shown through: as asked, else from the least to the largest finite value, of bool from false to
/// true. None where the elements are greys already: u8, and u16 unless `eight` bits are wanted, where no window is asked for.
std::optional<std::array<double, 2>> display_window(const HostArray&, const WriteOptions&, bool eight);
/// Greys of 8 or 16 bits: black at the window's first value and below, white at its second and above, NaN black.
HostArray through_window(const HostArray& dense, std::array<double, 2> window, int bits);

}  // namespace parallax::io
