// From the bytes of a chunk's file to its elements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::io::readers::zarr {

/// Whether a method of compression is read; "" is none.
bool is_known_codec(const std::string&);
/// Fills `elements`, and returns how many bytes came: another number than theirs where the file is damaged.
std::size_t unpack(const std::string& codec, const std::string& stored, std::vector<char>& elements);
/// Of a chunk in Fortran's order, with elements of so many bytes. The order of the chunks themselves is C's in any case.
void last_axis_fastest(std::vector<char>& elements, const std::vector<std::int64_t>& chunk, std::size_t bytes);

}   // namespace parallax::io::readers::zarr
