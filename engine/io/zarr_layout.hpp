// How an array stands in a Zarr store of ours, and what the store says of it: OME-Zarr 0.4 (ngff.openmicroscopy.org/0.4), which
// is Zarr of version 2 (zarr-specs.readthedocs.io, v2).
//
//   x.ome.zarr/.zgroup
//   x.ome.zarr/.zattrs             multiscales, omero, and what they have no words for
//   x.ome.zarr/0/.zarray           type, shape, chunks, compressor
//   x.ome.zarr/0/.zattrs           names of the axes
//   x.ome.zarr/0/t/c/z/y/x         chunks: rows of one plane, at most 4 MiB of them
#pragma once

#include "io/io.hpp"

#include <array>
#include <string>
#include <vector>

namespace parallax::io::zarr {

struct Layout {
    bool ome = false;                  ///< OME-Zarr has words for its axes; else it is an array of Zarr and nothing more
    std::vector<std::size_t> order;    ///< axes of the array in the order in which they are stored: t, c, z, y, x
    std::size_t lead = 0;              ///< so many axes of the array stand in front of rows and columns: one plane for each index
    std::int64_t rows = 1, columns = 1;
    bool has_rows = true;              ///< false: the array has one axis
    bool has_samples = false;          ///< channels stand side by side in a pixel, if only one
    std::int64_t samples = 1;          ///< so many
    std::array<std::int64_t, 2> chunk{};   ///< rows and columns of one

    std::int64_t chunks_down() const noexcept { return (rows + chunk[0] - 1) / chunk[0]; }
    std::int64_t chunks_across() const noexcept { return (columns + chunk[1] - 1) / chunk[1]; }
};

/// Of an array with at least one axis.
Layout layout_of(const ArrayDesc&);

/// Least and greatest finite element of a channel; the first above the second: there is none.
using Range = std::array<double, 2>;

Json group_attributes(const Layout&, const ArrayDesc&, const Metadata&, const std::vector<Range>&, const std::string& name);
Json array_attributes(const Layout&, const ArrayDesc&, const Metadata&);
/// `compression`: 0 none, else zlib's level.
Json array_header(const Layout&, const ArrayDesc&, int compression);

}   // namespace parallax::io::zarr
