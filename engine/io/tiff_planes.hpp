// Which of a TIFF's pages are which planes, where OME-XML says so.
#pragma once

#include <functional>

#include "io/tiff_describe.hpp"
#include "io/tiff_pages.hpp"

namespace parallax::io::tiff {

struct Planes {
    std::vector<Page> pages{};   ///< those that are planes, in the order of the planes
    std::vector<std::int64_t> numbers{};   ///< which planes they are
    std::string missing{};       ///< in words, where the file has not all planes; empty: it has
};

/// A plane that is missing (acquisitions are aborted, and their OME-XML promises all) leaves the others readable, and is told.
/// `pages`: of a file by its number, in their order; null: it is not there. Throws where a page or a plane has two places, or a
/// run begins beyond the sizes: whichever were taken, values could be in a wrong place.
Planes planes_of(const Source&, const Description&, const std::function<const std::vector<Page>*(std::uint32_t file)>& pages);

}  // namespace parallax::io::tiff
