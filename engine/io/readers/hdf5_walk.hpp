// The datasets of an HDF5 file, wherever its groups have them.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

namespace parallax::io::readers {

struct Found {
    std::string path, sizes;
    bool numbers = false;   ///< which are read
    std::string what;       ///< its elements are
    std::string closed{};   ///< why it cannot be opened; empty: it can
};

struct Listing {
    std::vector<Found> all;   ///< in the order of their paths
    bool whole = true;        ///< no object was left out
};

constexpr std::size_t most_objects = 4096;   ///< that are looked at

/// Each object once, by a path of the fewest links. Links to other places, in the file or not, are not followed.
Listing list_datasets(hid_t file);

}   // namespace parallax::io::readers
