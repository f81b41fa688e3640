// A folder that was copied with what a process that was ended had left in it (a backup, mv to another disk): its files are the same,
// their numbers are others.
#pragma once

#include "io/journal.hpp"

namespace parallax::io {

/// Gives moves the numbers that their files and folders have in the copy: what is new is known by its name and by the time when it
/// was last changed, which most ways to copy keep. False: of a folder nobody can tell.
bool know_again(std::vector<Move>&, const FolderOf&);

}   // namespace parallax::io
