// Units of the distances that attributes of an HDF5 dataset tell.
#pragma once

#include <string>
#include <vector>

#include "io/readers/serve.hpp"

namespace parallax::io::readers {

/// How many millimetres one of a unit is, by the names that programs write; 0: it is not known.
double millimetres_in(const std::string& unit);

/// Turns distances into one of our units, which it returns. Empty, with a warning: the unit is missing or not known, and they stay
/// as they are. Empty, too, where no distance is told in it: of a dataset without any it is the unit of the values, say.
std::string in_our_unit(const std::string& unit, const std::string& names, std::vector<double>& spacing, Json& warnings);

}   // namespace parallax::io::readers
