// OME-TIFF over several files: which pages of which files are the planes of the image that is wanted.
#pragma once

#include <optional>

#include "io/ome_read.hpp"
#include "io/tiff_pages.hpp"

namespace parallax::io::tiff {

/// Replaces the document's pages by the planes of one image, where its OME-XML or its planes stand in more than one file, and
/// `text` by that OME-XML. Nothing: the file stands alone, and the document is as it was. Throws IoError for what does not fit
/// together.
std::optional<Description> choose_spread(const Source&, TiffSet&, Document&, std::string& text);

/// Tells what the words of a picture's OME-XML say otherwise than its page: how many pixels, of which type.
void tell_unlike(const Description&, const Page&, FileInfo&);

/// Another image that lays claim to the same pages by saying nothing of pages, as this one does.
std::optional<std::int64_t> shared_with(const OmeWords&, std::int64_t series);
/// Throws where there is one.
void check_unshared(const Source&, const OmeWords&, std::int64_t series);

}   // namespace parallax::io::tiff
