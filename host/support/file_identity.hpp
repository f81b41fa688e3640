// Which file a name means at a moment, and in which state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace parallax::host {

/// Differs for another file under the same name, and for the same with other contents.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0;   ///< 0 where the system has no such numbers
    std::uint64_t bytes = 0;
    std::int64_t modified = 0;             ///< as finely as the system counts
    bool operator==(const FileIdentity&) const = default;
};

/// Links followed. Nothing where there is no such file.
std::optional<FileIdentity> identity_of(const std::filesystem::path&) noexcept;
#if !defined(_WIN32)
/// Of what a descriptor stands for.
std::optional<FileIdentity> identity_of(int descriptor) noexcept;
#endif

/// Whether what is written from now on may leave a file with the time that it has: some file systems count whole seconds, or two
/// of them (FAT), others the ticks of the system's clock. A clock that is behind that of a server is not seen through.
bool may_keep_its_time(const FileIdentity&) noexcept;

}  // namespace parallax::host
