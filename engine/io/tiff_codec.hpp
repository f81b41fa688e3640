// What methods of compression a TIFF file may have.
#pragma once

#include "io/tiff_pages.hpp"

namespace parallax::io::tiff {

/// For messages: "lzw".
const char* name_of(std::uint16_t compression);
/// The largest factor by which a method of compression can shrink pictures.
std::uint64_t ratio_of(std::uint16_t compression);
/// Throws for what cannot be decoded here, or not at a bounded cost.
void check_codec(const Source&, const Page&);

}  // namespace parallax::io::tiff
