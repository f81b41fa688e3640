// Which pages of a TIFF file are wanted: of which image, at which level of its pyramid.
#pragma once

#include "io/tiff_pages.hpp"

namespace parallax::io::tiff {

/// The pages of the image that is wanted alone. OME-XML says which they are; else pages that are alike, one behind the other, are
/// an image.
void choose_series(const Source&, Document&, const std::string& description);
/// Each page at another level of its pyramid: in its sub-directories, or the reduced images that follow it.
void choose_level(const Source&, const TiffSet&, Document&);
/// The series that is asked for is none of so many.
[[noreturn]] void fail_of_series(const Source&, std::int64_t there);

}  // namespace parallax::io::tiff
