// Which of a TIFF's pages are which planes, where OME-XML says so.
#pragma once

#include "io/tiff_describe.hpp"
#include "io/tiff_pages.hpp"

namespace parallax::io::tiff {

struct Planes {
    std::vector<Page> pages{};   ///< those that are planes, in the order of the planes
    std::string missing{};       ///< in words, where the file has not all planes; empty: it has
};

/// A plane that is missing (acquisitions are aborted, and their OME-XML promises all) leaves the others readable, and is told.
/// Throws where a page or a plane has two places, or a run begins beyond the sizes: whichever were taken, values could be in a
/// wrong place.
Planes planes_of(const Source&, const Description&, const std::vector<Page>&);

}  // namespace parallax::io::tiff
