// A stack in the words of the Open Microscopy Environment, as OME-TIFF carries them.
#pragma once

#include <string>

#include "io/io.hpp"

namespace parallax::io::tiff {

/// Whether a file of such a name is to have OME's words.
bool is_ome_name(const std::string&);
/// Why they cannot be had for such elements, rows, columns and axes of pages; empty: they can.
std::string why_no_ome_words(const ArrayDesc&, const std::vector<Axis>& pages);

/// Why XML does not hold the names of its channels, if they are to be written; empty: it does.
std::string why_no_ome_names(const ArrayDesc&, const Metadata&);

/// `pages`: the axes of the pages, slowest first; `samples`: channels side by side in a pixel. Throws IoError for what OME has no
/// word for; `name` is the file's.
std::string ome_xml(const std::string& name, const HostArray&, const std::vector<Axis>& pages, std::int64_t samples);

}  // namespace parallax::io::tiff
