// Chunks that an HDF5 dataset lacks, or has where nothing looks for them.
#pragma once

#include <string>
#include <vector>

#include "io/readers/hdf5_parts.hpp"

namespace parallax::io::readers {

/// What is to be told of chunks that are not there; empty: nothing. Throws Problem where a dataset has no elements at all in the
/// file, and where its index names chunks that are none of its own: the library takes those for not there.
std::string missing_chunks(hid_t dataset, const std::string& path, const std::vector<hsize_t>& sizes, const Type& type);

}   // namespace parallax::io::readers
