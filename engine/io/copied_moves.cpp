#include "io/copied_moves.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

/// Archives and some file systems keep times to a second or two.
constexpr std::int64_t close_enough = 2'000'000'000;

/// How far a file's time is from that of what was moved; the largest number: it is not there, or another.
std::int64_t distance(const std::optional<host::FileIdentity>& there, const Move& move) {
    constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
    if (!there || (!move.folder_of_files && there->bytes != move.bytes)) return far;
    const auto [before, after] = std::minmax(there->modified, move.modified);
    const std::uint64_t apart = static_cast<std::uint64_t>(after) - static_cast<std::uint64_t>(before);
    return apart <= close_enough ? static_cast<std::int64_t>(apart) : far;
}

std::optional<host::FileIdentity> found(const host::Folder& folder, const fs::path& name, const Move& move) {
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(folder / name, ignored);
    const bool is_of_its_kind = move.folder_of_files ? fs::is_directory(status) : fs::is_regular_file(status);
    return is_of_its_kind ? host::identity_of(folder / name) : std::nullopt;
}

}   // namespace

bool know_again(std::vector<Move>& moves, const FolderOf& folder_of) {
    for (Move& move : moves) {
        std::optional<host::Folder> opened;
        try {
            opened = folder_of(move.folder);
        } catch (const std::system_error&) {   // it has gone, and what was in it needs no number
            continue;
        }
        const host::Folder& folder = *opened;
        const auto part = found(folder, move.part, move), there = found(folder, name_of(move), move);
        move.was.reset();
        if (!move.folder_of_files || !part || !there) {   // no two that were exchanged
            if (part) move.inode = part->inode;
            else if (there && distance(there, move) <= close_enough) move.inode = there->inode;
            continue;
        }
        const std::int64_t of_part = distance(part, move), of_there = distance(there, move);
        if (of_part == of_there) return false;
        move.inode = of_part < of_there ? part->inode : there->inode;
    }
    return true;
}

}   // namespace parallax::io
