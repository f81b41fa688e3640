// A dataset a few chunks at a time: for each chunk that one call reads, the library keeps some 6 KB until the call ends.
#pragma once

#include <hdf5.h>

#include <vector>

namespace parallax::io::readers {

/// Sizes of a dataset's chunks; empty: it has none.
std::vector<hsize_t> chunk_of(hid_t dataset);

/// Parts of a box of elements, in order, each of a thousand chunks or so.
class Slabs {
public:
    /// The box is `many` elements from `from` on.
    Slabs(std::vector<hsize_t> from, std::vector<hsize_t> many, const std::vector<hsize_t>& chunk);
    /// The next one; false: there is none.
    bool next();
    const std::vector<hsize_t>& in_file() const noexcept { return at_; }
    const std::vector<hsize_t>& in_memory() const noexcept { return inside_; }   ///< counted from the box's corner
    const std::vector<hsize_t>& sizes() const noexcept { return sizes_; }

private:
    void measure(std::size_t axis);

    std::vector<hsize_t> from_, many_;
    std::vector<hsize_t> step_;   ///< of each axis, whole chunks
    std::vector<hsize_t> at_, inside_, sizes_;
    bool begun_ = false;
};

}   // namespace parallax::io::readers
