// What netCDF says of a variable's values.
#pragma once

#include <hdf5.h>

#include "io/readers/serve.hpp"

namespace parallax::io::readers {

/// Integers that stand for unsigned ones are such; of values to be scaled, and of those that stand for none, a warning tells.
void follow_netcdf(hid_t dataset, Json& said);
/// A warning of values that stand for none because they lie beyond a range.
void tell_valid_range(hid_t dataset, Json& said);

}   // namespace parallax::io::readers
