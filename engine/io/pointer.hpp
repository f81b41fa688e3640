// In each folder that has parts of a transaction whose journal is elsewhere: where that is. Of folders below the journal's how
// many levels up ("2"), so that all may be moved together; of others its path.
#pragma once

#include "support/folder.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace parallax::io {

/// `place`: the folder, relative to the base or absolute. Throws IoError, std::system_error.
void write_pointer(const host::Folder&, const std::string& transaction, const std::filesystem::path& place,
                   const host::Folder& base, bool synced);
bool has_pointer(const host::Folder&, const std::string& transaction);
/// Where the journal is. Nothing where the pointer is being written at this moment, or is a path that another user has written:
/// it would be followed with our rights.
std::optional<std::filesystem::path> pointed_to(const host::Folder&, const std::string& transaction);

}  // namespace parallax::io
