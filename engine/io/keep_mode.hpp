// What replaces a file or a folder is as open to others as that was. The owner's rights are those of a new one. It gets the old one's
// group where this user may give it; elsewhere what was that group's alone is no other's.
#pragma once

#include <filesystem>

namespace parallax::io {

/// Of a file, or of a folder without what is in it: its mode, and on Linux its list of users and groups (ACL), or none where it
/// had none, whatever its folder gives to new files. Nothing where `old` is not there.
void keep_mode(const std::filesystem::path& old, const std::filesystem::path& part);

/// Nobody but its owner may go into it until it has its mode. The one that it had.
std::filesystem::perms close_to_others(const std::filesystem::path& folder);

/// Of a folder that was closed and what is in it: each as that of its name was. What has none is no more open than any of the old
/// ones. `given`: what it had before, and has again where the old one has gone.
void keep_modes_of_tree(const std::filesystem::path& old, const std::filesystem::path& part, std::filesystem::perms given);

}   // namespace parallax::io
