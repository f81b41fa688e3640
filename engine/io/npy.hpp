// A NumPy array as it stands in a file of its own or in an archive.
#pragma once

#include "io/format.hpp"
#include "io/input.hpp"

namespace parallax::io::npy {

struct Header {
    FileInfo file;
    bool swap = false, fortran = false, half = false;   ///< half: 16-bit floats, widened to f32
    std::uint64_t end = 0;   ///< of the elements, from the first byte of the header
};

/// From the first byte on, of so many; the elements come next.
Header read_header(const Source&, Input&, std::uint64_t bytes);
/// `count` elements from where the input is.
void read_elements(Input&, const Header&, std::int64_t count, std::byte* to);
HostArray read_array(const Source&, Input&, const Header&);
SliceStream stream_array(const Source&, const std::shared_ptr<Input>&, const Header&);

}   // namespace parallax::io::npy
