// Which of our axes those of an HDF5 dataset are.
#pragma once

#include <hdf5.h>

#include <string>

#include "io/readers/serve.hpp"

namespace parallax::io::readers {

/// A letter for each axis of the dataset: by the names that Parallax (axes), h5py (DIMENSION_LABELS), netCDF-4 (the scales of
/// DIMENSION_LIST) or ilastik (axistags) give them, as io::letters_of() follows names, with its warning; else by their order, with
/// a warning where they have names.
std::string letters_of_axes(hid_t dataset, const std::string& path, std::size_t rank, Json& warnings);
/// x, y, z, t, n from the last on. Throws Problem where there are more axes.
std::string letters_by_order(const std::string& path, std::size_t rank);

}   // namespace parallax::io::readers
