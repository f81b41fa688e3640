// A folder as one output: how long it is, what it holds, whether it is as it was, and how it goes. Links in it are not followed.
#pragma once

#include "support/file_identity.hpp"
#include "support/folder.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>

namespace parallax::io {

struct TreeSize {
    std::uint64_t bytes = 0, folders = 0;
};
/// Bytes of a file, or of all files in a folder; and how many folders it has, itself included. Throws std::system_error.
TreeSize size_of_tree(const std::filesystem::path&);

/// host::identity_of() of a file. Of a folder: its number, the bytes of all its files, and as time of change a number that
/// differs where any file or folder in it has another name, length or time. `most`: where a folder turns out to hold more than an
/// output of so many bytes does, no more of it is looked at, and of the numbers only one counts: its bytes, which are more than `most`.
std::optional<host::FileIdentity> identity_of_tree(const std::filesystem::path&,
                                                   std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// hash_file() of a file. Of a folder: XXH3-128 of the lines that `xxhsum -H2` prints for its files, sorted by their names from
/// the folder on:
///     cd FOLDER && find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 xxhsum -H2 | xxhsum -H2
/// Throws IoError and std::system_error.
std::string hash_of_tree(const std::filesystem::path&, const std::stop_token& = {});

/// Syncs its files and folders. Throws std::system_error.
void sync_tree(const std::filesystem::path&);

using MayEnter = std::function<bool(const host::Folder&)>;   ///< empty: all may

/// Removes `name` in a folder, with all that is in it, which first gets another name: so that nobody takes the rest of a folder
/// for the whole where the process ends on its way. `may_enter`: folders that are gone into. `go_on`: asked before each
/// file. False: something is left.
bool remove_tree(const host::Folder&, const std::filesystem::path& name, const MayEnter& may_enter = {},
                 const std::function<bool()>& go_on = {}) noexcept;

}   // namespace parallax::io
