// Files that a series keeps in the folder of its manifest, in which others may have a hand: a link there could lead anywhere, and a
// series makes none. What cannot be looked at is not the same as what is not there.
#pragma once

#include "support/folder.hpp"

#include <filesystem>
#include <optional>
#include <vector>

namespace parallax::engine::series {

/// Held open, so that what is looked at is what is read. Nothing where no file of a series' can be: nobody, a link, a folder, a pipe.
/// Throws IoError where it is not known.
std::optional<host::OpenedFile> open_kept(const std::filesystem::path&);
/// One that must be there. Throws IoError.
host::OpenedFile kept(const std::filesystem::path&);
/// Paths of all that a folder holds, in no order; nothing where there is no such folder. Throws IoError.
std::vector<std::filesystem::path> kept_in(const std::filesystem::path& folder);

}  // namespace parallax::engine::series
