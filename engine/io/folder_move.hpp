// A folder, with all that is in it, goes to its place, and may have to come back: each step a renaming, and after each the names
// and the folder's number tell how far it has come.
//
//   part = new, name = old             before
//   part = old, name = new             exchanged, where the file system can do that in one step
//   part = new,             old = old  else: for this moment nothing has the name
//               name = new, old = old  in its place
#pragma once

#include "io/journal.hpp"

namespace parallax::io {

/// Goes on from wherever it is until the new one has the name; what somebody else has put there meanwhile is replaced if
/// `overwrite` says so. Throws std::system_error.
void folder_forward(const host::Folder&, const Move&, bool overwrite);
/// The old one gets its name back. What somebody else has put there meanwhile stays. Throws std::system_error.
void folder_back(const host::Folder&, const Move&);

/// Removes what is left of it beside its place, whatever has come to bear its names. False: something cannot be removed.
bool remove_moved(const host::Folder&, const std::string& part, const std::string& old);

}   // namespace parallax::io
