// What cannot be seen for a moment (a disk that fails, a network drive that is away, too many open files) is not what is not there:
// whoever takes the one for the other removes the wrong file.
#pragma once

#include "support/file_identity.hpp"

#include <filesystem>
#include <optional>
#include <system_error>

namespace parallax::io {

/// What the system says of a path at which there is nothing.
inline bool says_absent(const std::error_code& error) {
    return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

/// Or whose links end nowhere.
inline bool leads_nowhere(const std::error_code& error) {
    return says_absent(error) || error == std::errc::too_many_symbolic_link_levels;
}

/// What is at a path, a link not followed. Throws std::system_error where nobody can tell.
inline std::filesystem::file_status known_status(const std::filesystem::path& path) {
    std::error_code unknown;
    const std::filesystem::file_status status = std::filesystem::symlink_status(path, unknown);
    if (!std::filesystem::status_known(status)) throw std::system_error(unknown, path.filename().string());
    return status;
}

inline bool is_known_to_be_there(const std::filesystem::path& path) { return std::filesystem::exists(known_status(path)); }

/// Whether something is seen at a path, be it a link that leads nowhere. Where nobody can tell it is not: for whoever is refused all the
/// same when it is there.
inline bool is_seen(const std::filesystem::path& path) {
    std::error_code unknown;
    return std::filesystem::exists(std::filesystem::symlink_status(path, unknown));
}

/// Of what is there and no link; nothing: it is not there, or is a link. Throws std::system_error where nobody can tell.
inline std::optional<host::FileIdentity> known_identity(const std::filesystem::path& path) {
    const std::filesystem::file_status status = known_status(path);
    if (!std::filesystem::exists(status) || std::filesystem::is_symlink(status)) return std::nullopt;
    const std::optional<host::FileIdentity> identity = host::identity_of(path);
    if (!identity && is_known_to_be_there(path)) throw std::system_error(std::make_error_code(std::errc::io_error), path.filename().string());
    return identity;
}

}  // namespace parallax::io
