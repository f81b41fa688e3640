// Strips and tiles that a TIFF file leaves out: GDAL does so with those that hold one value alone.
#pragma once

#include "io/tiff_pages.hpp"

namespace parallax::io::tiff {

/// How much a file may declare that leaves some out, for each of its bytes: as much as a Zarr store.
inline constexpr std::uint64_t sparse_ratio = 1000000;

/// Of the directory that the file stands at.
bool is_missing(TIFF*, std::uint32_t index);
bool lacks_some(TIFF*);
/// Finds what stands for them, and warns; false: all are there. Throws where none is, or where they are too many to be counted.
bool describe_missing(const Source&, const TiffSet&, Document&);

}   // namespace parallax::io::tiff
