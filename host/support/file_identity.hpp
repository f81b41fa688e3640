// Which file a name means at a moment, and in which state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace parallax::host {

/// Of a file on FAT or exFAT, or on FUSE or another machine's disk where the two times are one: what is told as the time of change
/// may be the time that programs set.
inline constexpr std::int64_t no_time_of_change = -1;

/// Differs for another file under the same name, and for the same with other contents.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0;   ///< 0 where the system has no such numbers
    std::uint64_t bytes = 0;
    std::int64_t modified = 0;             ///< as finely as the system counts
    /// When its contents, its name, its rights or the number of its names last changed, which no program can set back; 0: not known;
    /// no_time_of_change: its file system keeps none.
    /// Of two that are the same but for this, which == leaves out, it takes the contents to tell.
    std::int64_t changed = 0;
    bool operator==(const FileIdentity& other) const noexcept {
        return device == other.device && inode == other.inode && bytes == other.bytes && modified == other.modified;
    }
};

/// Links followed. Nothing where there is no such file.
std::optional<FileIdentity> identity_of(const std::filesystem::path&) noexcept;
#if !defined(_WIN32)
/// Of what a descriptor stands for.
std::optional<FileIdentity> identity_of(int descriptor) noexcept;
#endif

/// Whether what is written from now on may leave a file with the time that it has: some file systems count whole seconds, or two
/// of them (FAT), others the ticks of the system's clock, and where there is no time of
/// change any time may have been set back. Where the file system counts seconds in its own time of change, it always may: its clock may
/// be a server's that is behind, or have come to the last time that there is room for.
bool may_keep_its_time(const FileIdentity&) noexcept;

/// The same of a file that other programs write, perhaps through a mapping: to that Linux gives a time at the first write to a page, and
/// none more until the page is on the disk, half a minute later.
bool may_change_unseen(const FileIdentity&) noexcept;

/// Of a file's contents: one, or one as a file system keeps it that counts seconds, or two of them.
bool may_be_one_time(std::int64_t, std::int64_t) noexcept;

}  // namespace parallax::host
