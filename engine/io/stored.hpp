// Arrays whose header says where their elements stand and nothing more of them: NRRD, MetaImage, FITS.
#pragma once

#include "io/input.hpp"
#include "io/parts.hpp"

namespace parallax::io {

struct StoredArray {
    FileInfo file;                          ///< desc is of what is delivered
    ElementType stored = ElementType::u8;   ///< as the elements stand in the file
    bool swap = false;                      ///< their byte order is not this machine's
    Packing packing = Packing::none;
    std::uint64_t at = 0;        ///< bytes before them; of several files, in each
    bool at_end = false;         ///< they are the last bytes, of each file its own; before `at` none of them stands
    std::vector<Part> parts{};   ///< where they stand; empty: in the file itself
    /// Stored elements -> delivered ones; empty: they are the same.
    std::function<void(const std::byte* from, std::byte* to, std::int64_t count)> convert{};
};

/// Throws where the files are shorter than the array, or packed ones cannot hold it. Notes the parts.
void check_stored(const Source&, StoredArray&);
HostArray read_stored(const Source&, const StoredArray&);
SliceStream stream_stored(const Source&, const StoredArray&);

}   // namespace parallax::io
