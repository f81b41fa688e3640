// Formats that are known and not read: what a file is can be said, and what to do with it.
#pragma once

#include <span>
#include <string>

namespace parallax::io {

struct Foreign {
    std::string name;   ///< "a DICOM file"; empty: nothing that is known
    std::string hint;   ///< what to do
};

/// By the first bytes: 132 or more, where the file has so many.
Foreign foreign_format(std::span<const unsigned char> head);

}  // namespace parallax::io
