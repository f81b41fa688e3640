// What the axes of an NRRD file are, and in which units they go.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/format.hpp"
#include "io/nrrd_header.hpp"

namespace parallax::io::nrrd {

/// What each axis is by its label, else by its kind, else by its place: a list of numbers a voxel comes first or last, and has no
/// direction. Warnings of labels that are not followed. `pairs`: the first holds the two parts of complex numbers, and has no name.
std::vector<char> name_axes(const Source&, const Header&, std::size_t count, const std::vector<std::string>& directions, bool pairs,
                            std::vector<Warning>&);

/// Distances are told in one unit, that of the first of x, y and z that names one; where axes have others of their own, how many of it
/// one of theirs is.
struct Units {
    std::string said, ours;                  ///< that unit; ours is empty where it is none that is known
    double factor = 1;                       ///< of ours in one of those said
    std::vector<double> of_axes{};           ///< in one of those said; 1 where nothing else is
    std::array<double, 3> of_space{1, 1, 1};   ///< likewise, along the three directions of the space
    double seconds = 1;                      ///< of the unit of time; 0: it is none that is known
    bool in_time = false;                    ///< a unit of time is said
};

Units units_of(const Header&, const std::vector<char>& names, std::vector<Warning>&);

}   // namespace parallax::io::nrrd
