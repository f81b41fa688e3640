// A folder that was copied with what a process that was ended had left in it (a backup, mv to another disk): its files are the
// same, and their numbers are others.
#pragma once

#include "io/journal.hpp"

namespace parallax::io {

/// Gives moves the numbers that their files and folders have in the copy: each is known by its name and by the time when it was
/// last changed, which most ways to copy keep. False: of a folder nobody can tell which it is.
bool know_again(std::vector<Move>&, const FolderOf&);

/// Whether a folder of the copy has what the move is about, in its place or not yet.
bool has_moved_along(const host::Folder&, const Move&);

}   // namespace parallax::io
