// Compressed variables of MATLAB's files of version 5 and 7.
#pragma once

#include <cstddef>
#include <string>

namespace parallax::io::readers::mat {

/// Whether a variable, by its number from 0, unpacks to its end and to its checksum, which matio does not look at. True of one
/// that is not compressed, or not found by that number.
bool unpacks(const std::string& path, std::size_t number);

}   // namespace parallax::io::readers::mat
