// A folder that was copied with what a process that was ended had left in it (a backup, mv to another disk), or whose file system
// numbers its files anew when it is mounted (exFAT by FUSE): its files are the same, and their numbers are others.
#pragma once

#include "io/journal.hpp"

namespace parallax::io {

/// Gives moves the numbers that their files and folders have in the copy: each is known by its name and by the time when it was
/// last changed, which most ways to copy keep. False: of a folder nobody can tell which it is.
bool know_again(std::vector<Move>&, const FolderOf&);

/// Of moves that were known again: whether each knows what it would replace. Who makes a journal elsewhere does not.
bool know_what_was_there(const std::vector<Move>&, const FolderOf&);

/// Whether what a journal has the numbers of has others by now, though the journal's own is what it was: small numbers come again
/// where a file system counts anew, and such a one does not know when the journal was made, either.
bool has_other_numbers(const Done&, const FolderOf&);

/// The time of a new store that takes the place of an old one, in ns: another than the old one's by the coarsest clock that keeps
/// times (FAT's, of two seconds), or know_again() could not tell them apart. One that is not is put two seconds later.
std::int64_t keep_apart(const std::filesystem::path& fresh, std::int64_t modified, std::int64_t old_modified);

/// Whether a folder of the copy has what the move is about, in its place or not yet.
bool has_moved_along(const host::Folder&, const Move&);

}   // namespace parallax::io
