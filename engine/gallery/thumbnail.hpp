// Files as small pictures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "io/io.hpp"

namespace parallax::engine::gallery {

/// HTML of one file: a picture, several planes of a volume, a curve of a line of numbers, a film, a drawing; or its name with the
/// reason why nothing is shown. `side`: pixels that a picture may have at most. `at`: where it stands now, if that is elsewhere.
std::string shown(const std::filesystem::path&, const io::ReadOptions&, std::int64_t side, const std::filesystem::path& at = {});

/// Planes of an array as one picture of 8 bits: at most `planes` of them, evenly taken, made smaller by means of squares until a
/// side has no more than `side` pixels. Complex numbers by their amplitude. Greys go from the 0.5th to the 99.5th percentile;
/// bytes are as they are.
HostArray small_picture(const HostArray&, std::int64_t planes, std::int64_t side);

}   // namespace parallax::engine::gallery
