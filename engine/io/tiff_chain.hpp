// The directories of a TIFF file as they are stored, found and bounded before libtiff reads any of them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "io/file.hpp"

namespace parallax::io::tiff {

struct Chain {
    bool big = false;                              ///< BigTIFF
    std::vector<std::uint64_t> directories;        ///< where they stand, in their order
    std::vector<std::uint64_t> links;              ///< where it says where each stands, sorted
    std::map<std::uint16_t, std::uint64_t> tags;   ///< of the first directory, known or not -> how many values
    std::set<std::uint64_t> of_differences;        ///< directories whose samples are differences of neighbours (Predictor)
    std::map<std::uint64_t, std::uint16_t> units;  ///< of the resolution of a directory, where libtiff knows none of that number

    std::size_t link_bytes() const noexcept { return big ? 8 : 4; }
    /// Of bytes that were read from `position` on: zeros, which say that there is no directory, in place of a link.
    void hide_links(std::uint64_t position, void* bytes, std::size_t count) const noexcept;
};

/// Walks from the header to the last directory. Throws IoError for values and directories past the end of the file, for a circle,
/// and for what would cost libtiff out of proportion: thousands of entries or of kinds of tags, and values that many tags share.
Chain walk_chain(File&);
/// Of directories that stand in no chain but in a tag of one of these: bounds them likewise, and notes their links.
void bound_more(File&, Chain&, const std::vector<std::uint64_t>& directories);

}   // namespace parallax::io::tiff
