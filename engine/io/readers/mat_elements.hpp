// The elements of which MATLAB's files of version 5 to 7.2 are made. matio takes their lengths on trust: what a variable lacks
// stays in its memory as it was, and it looks at no checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace parallax::io::readers::mat {

/// What matio makes out of a variable of numbers.
struct Shape {
    std::string name;
    std::size_t number = 0;   ///< of the variable in its file, from 0
    std::size_t rank = 0;
    std::uint64_t elements = 0;
    bool complex = false;
};

/// How many variables a file of so many bytes has, up to `most`. Throws Problem where one goes beyond the file.
std::size_t count_variables(const std::string& path, std::uint64_t bytes, std::size_t most);

/// Throws Problem where a variable has other bytes than its elements take. Of one that is compressed, without `to_the_end`, only
/// its beginning is unpacked.
void check_variable(const std::string& path, const Shape& shape, bool to_the_end);

}   // namespace parallax::io::readers::mat
