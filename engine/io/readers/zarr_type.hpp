// Elements of a Zarr array as they are stored.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::zarr {

struct Type {
    const char* name;
    std::size_t bytes;
    std::size_t part;   ///< what is turned round where the byte order differs
    bool half = false;   ///< stored in 16 bits, and widened: `bytes` are those of the file
    std::size_t read_bytes() const { return half ? 4 : bytes; }
};

/// By NumPy's name ("<f4"). Throws Problem for one that is not read.
Type type_of(const std::string& dtype);

/// What stands for elements of chunks that are not there.
struct Fill {
    std::vector<char> element;
    std::string why_none;   ///< why the header gives none
};
Fill fill_of(const Json& value, const Type&);

}   // namespace parallax::io::readers::zarr
