// How far apart the elements of an OME-Zarr lie, and where the first one is.
#pragma once

#include <string>
#include <vector>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::zarr {

/// A list of numbers in an object; empty where it has none, or something else among them.
std::vector<double> numbers_of(const Json& object, const char* key);

/// Lengths of steps, and where the first element lies, along each axis and in its unit.
struct Placed {
    std::vector<double> spacing, place;   ///< a spacing of 0: none is told
    std::vector<double> way;              ///< -1: its scale is below 0, and the axis goes the other way
    std::vector<bool> zero;               ///< its scale is 0, which is no distance
    bool unfit = false;                   ///< some numbers are not one for each axis, and are left out
    bool elsewhere = false;               ///< some are in an array of their own
};

/// By the transformations of a level and those of all levels, for `n` axes.
Placed placed_by(const Json& level, const Json& scales, std::size_t n);

/// Warnings of scales that are no distances above 0, or not there, for axes of these names and sizes, lengths in `unit`. A unit in
/// which no length is told is left out: 1 of it would be a size that nobody measured.
void tell_scales(const Placed&, const std::string& names, const std::vector<std::int64_t>& sizes, std::string& unit, Json& warnings);

/// Whether one of OME's axes names its unit.
bool has_unit(const Json& axes, std::size_t axis);

/// Turns spacings and places of axes that say their unit into seconds, and into one unit of length, which it returns: that of the
/// columns where they have one. What cannot be turned is left out, with a warning.
std::string in_one_unit(const Json& axes, const std::string& names, Placed&, Json& warnings);

/// What of a level says where it lies.
struct Level {
    Placed own;      ///< as the level and the whole say it
    Placed finest;   ///< of level 0, where there is an affine of ours; empty else
};
/// Gives a description that has its axes an affine in mm, towards right, anterior, superior: our own, as it stands in `ours`,
/// else by `place`, where the first element lies along each axis. `level`: null where the array is no image's.
void place_axes(Json& said, const Json& ours, const std::string& names, const std::vector<double>& place, const Level* level);

}   // namespace parallax::io::readers::zarr
