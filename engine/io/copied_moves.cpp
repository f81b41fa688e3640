#include "io/copied_moves.hpp"

#include "io/known_status.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <optional>
#include <system_error>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#endif

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t coarsest = 2'000'000'000;

/// Archives and some file systems cut times off: at 100 ns, at a second, at two.
bool is_time(std::int64_t copied, std::int64_t original) {
    constexpr std::array<std::int64_t, 6> steps{1, 100, 1000, 1'000'000, 1'000'000'000, coarsest};
    return original != 0 && std::any_of(steps.begin(), steps.end(), [&](std::int64_t step) {
               return copied % step == 0 && copied / step == original / step;
           });
}

using Found = std::optional<host::FileIdentity>;

Found found(const host::Folder& folder, const fs::path& name, bool folder_of_files) {
    if (name.empty()) return std::nullopt;
    const fs::file_status status = known_status(folder / name);
    const bool is_of_its_kind = folder_of_files ? fs::is_directory(status) : fs::is_regular_file(status);
    return is_of_its_kind ? known_identity(folder / name) : std::nullopt;
}

bool is_new(const Found& there, const Move& move) {
    return there && (move.folder_of_files || there->bytes == move.bytes) && is_time(there->modified, move.modified);
}

void know_file(Move& move, const host::Folder& folder) {
    const Found part = found(folder, move.part, false), there = found(folder, name_of(move), false),
                old = found(folder, move.old, false);
    move.inode = part ? part->inode : is_new(there, move) ? there->inode : 0;
    move.old_inode = old ? old->inode : 0;
    // What is neither the new one nor the one of before, somebody has written since.
    if (move.was && move.was->inode != 0 && there && is_time(there->modified, move.was->modified))
        move.was = {there->inode, there->modified};
}

bool know_folder(Move& move, const host::Folder& folder) {
    const Found part = found(folder, move.part, true), there = found(folder, name_of(move), true);
    const auto is_old = [&](const Found& one) { return one && is_time(one->modified, move.old_modified); };
    move.was.reset();
    if (part && there) {   // exchanged, or not yet
        const bool before = is_new(part, move) && is_old(there), after = is_old(part) && is_new(there, move);
        move.inode = before ? part->inode : there->inode;
        return before != after;
    }
    if (part && !is_new(part, move) && move.old_modified != 0) return false;   // the old one, of which the new one has gone?
    move.inode = part ? part->inode : is_new(there, move) ? there->inode : 0;
    return true;
}

}   // namespace

bool know_again(std::vector<Move>& moves, const FolderOf& folder_of) {
    return std::all_of(moves.begin(), moves.end(), [&](Move& move) {
        try {
            const host::Folder folder = folder_of(move.folder);
            if (move.folder_of_files) return know_folder(move, folder);
            know_file(move, folder);
        } catch (const std::system_error&) {   // the folder has gone, and what was in it needs no number
        }
        return true;
    });
}

bool know_what_was_there(const std::vector<Move>& moves, const FolderOf& folder_of) {
    return std::all_of(moves.begin(), moves.end(), [&](const Move& move) {
        if (move.folder_of_files || move.was) return true;   // by their times
        try {
            const host::Folder folder = folder_of(move.folder);
            const fs::path to = folder / name_of(move);
            const bool brings_new = is_known_to_be_there(folder / move.part),
                       brings_old = !move.old.empty() && is_known_to_be_there(folder / move.old);
            return !(brings_new || brings_old) || !is_known_to_be_there(to) || is_in_place(to, move);
        } catch (const std::system_error&) {   // the folder has gone, and nothing is replaced there
            return true;
        }
    });
}

bool has_other_numbers(const Done& done, const FolderOf& folder_of) {
    if (!done.moves || !done.number.ends_with(" 0")) return false;   // when it was made tells a journal from all others
    return std::any_of(done.moves->begin(), done.moves->end(), [&](const Move& move) {
        try {
            const Found part = found(folder_of(move.folder), move.part, move.folder_of_files);
            return part && part->inode != move.inode && !(move.folder_of_files && move.was && part->inode == move.was->inode);
        } catch (const std::system_error&) {   // the folder has gone
            return false;
        }
    });
}

std::int64_t keep_apart(const fs::path& fresh, std::int64_t modified, std::int64_t old_modified) {
    if (modified / coarsest != old_modified / coarsest) return modified;
#if !defined(_WIN32)   // where no folders are written
    const std::int64_t later = modified + coarsest;
    const timespec at{static_cast<std::time_t>(later / 1'000'000'000), static_cast<long>(later % 1'000'000'000)};
    const timespec times[] = {at, at};   // both: libfuse 2 does nothing where one is to stay
    ::utimensat(AT_FDCWD, fresh.c_str(), times, AT_SYMLINK_NOFOLLOW);
#endif
    const auto identity = host::identity_of(fresh);
    return identity ? identity->modified : modified;
}

bool has_moved_along(const host::Folder& folder, const Move& move) {
    return found(folder, move.part, move.folder_of_files) || is_new(found(folder, name_of(move), move.folder_of_files), move);
}

}   // namespace parallax::io
