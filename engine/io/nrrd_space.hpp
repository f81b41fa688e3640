// Where the elements of an NRRD file lie.
#pragma once

#include <string>
#include <vector>

#include "io/nrrd_header.hpp"

namespace parallax::io::nrrd {

/// Axes of the file, the fastest first, by our names.
struct FileAxes {
    std::vector<char> names;
    std::vector<std::int64_t> sizes;
    std::vector<double> spacing;   ///< NaN: not said
};

/// Spacing of the axes, the unit of length, and the affine where the header says one; warnings of what it leaves open.
void describe_space(const Source&, const Header&, const std::vector<std::string>& directions, FileAxes&, FileInfo&);

}   // namespace parallax::io::nrrd
