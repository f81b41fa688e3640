// In each folder that has parts of a transaction whose journal is elsewhere: where that is. Of folders below the journal's how
// many levels up ("2"), so that all may be moved together; of others its path. And which folder that is: under the same path
// another process may see another folder (containers, disks of the nodes of a cluster), and an older one may have been moved away.
// And which names the parts are to get: where others may write the journal, what it says of this folder counts only if its pointer says it, too.
#pragma once

#include "support/folder.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace parallax::io {

/// Which of all machines, until it starts again; the same for its containers. Empty where that cannot be told.
std::string which_machine();

/// Differs for folders that are two, whoever of a machine looks, and for all of another machine (its numbers may be the same).
/// Empty where that cannot be told.
std::string which_folder(const host::Folder&);

/// A lock on a pointer, by which others that share its folder see that the process lives, also where they do not see the journal.
using PointerLock = std::shared_ptr<const void>;

/// `place`: the folder, relative to the base or absolute. Throws IoError, std::system_error.
PointerLock write_pointer(const host::Folder&, const std::string& transaction, const std::filesystem::path& place,
                          const host::Folder& base, bool synced);
/// What a part in the folder of a pointer is to be called, and whether in the place of something. Throws std::system_error.
void add_to_pointer(const PointerLock&, const std::string& part, const std::string& name, bool overwrite, bool synced);

bool has_pointer(const host::Folder&, const std::string& transaction);
/// What add_to_pointer() has noted, as said_in_pointer() says it, if this user has made the pointer, and nobody else in his name.
std::optional<std::set<std::string>> noted_in_own_pointer(const host::Folder&, const std::string& transaction);
std::string said_in_pointer(const std::string& part, const std::string& name, bool overwrite);

/// Whether it is ours, and its process was ended before it had written it: then nothing else of the transaction is there yet.
bool is_begun(const host::Folder&, const std::string& transaction);

struct Pointed {
    std::filesystem::path path;   ///< of the folder of the journal, for its process; relative: from here
    std::string which;            ///< which_folder() of that; empty: unknown
    bool lives = false;           ///< its process does
    bool may_live = false;        ///< or nobody can tell: the file system has no locks
    bool is_as_mine = false;      ///< this user's, or nobody can tell it from that; else it is of the user of the folder
};
/// Where the journal is. Nothing where that is none of ours: its process is writing the pointer at this moment; or another user
/// has, in a folder that is not his. A path of another user's is not to be followed with our rights.
std::optional<Pointed> pointed_to(const host::Folder&, const std::string& transaction);
/// Whether an absolute pointer means this folder, which may have been moved since; a copy of that is another.
bool means(const Pointed&, const host::Folder&);

}  // namespace parallax::io
