// Other files that a file names: detached voxels, the slices of a volume.
#pragma once

#include "io/format.hpp"

namespace parallax::io {

struct Part {
    FilePart part;
    host::OpenedFile opened{};   ///< held for as long as it is read
    std::uint64_t bytes = 0;     ///< its length
};

/// A file in the folder of the source or below it, by the name that the source gives. Throws IoError for one that leads
/// elsewhere, or is not there.
Part open_part(const Source&, std::string_view name);

}   // namespace parallax::io
