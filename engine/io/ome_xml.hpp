// A stack in the words of the Open Microscopy Environment, as OME-TIFF carries them.
#pragma once

#include <string>

#include "io/io.hpp"

namespace parallax::io::tiff {

/// `pages`: the axes of the pages, slowest first; `samples`: channels side by side in a pixel. Throws IoError for what OME has no
/// word for; `name` is the file's.
std::string ome_xml(const std::string& name, const HostArray&, const std::vector<Axis>& pages, std::int64_t samples);

}  // namespace parallax::io::tiff
