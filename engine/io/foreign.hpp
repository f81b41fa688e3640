// Formats that are not read, by their first bytes: what a file is can be said although it is not read.
#pragma once

#include "io/format.hpp"

namespace parallax::io {

/// How many bytes of a file tell its format: DICOM's mark stands behind 128 others.
inline constexpr std::size_t head_bytes = 520;

struct Foreign {
    const char* what = nullptr;   ///< "a DICOM file"; null: none that is known
    const char* hint = "";        ///< what makes one of it that is read
};
Foreign foreign_format(Head);

}  // namespace parallax::io
