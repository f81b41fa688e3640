// What is under a name, by one look: its kind, and which file it is.
#pragma once

#include "support/file_identity.hpp"

#include <filesystem>
#include <optional>
#include <system_error>

namespace parallax::host {

struct FileState {
    std::filesystem::file_type type = std::filesystem::file_type::none;
    std::optional<FileIdentity> identity{};
};

/// Links followed. Where there is no such file, and where the system does not say, the type is not_found or none, as
/// std::filesystem::status() has it, and `error` says why. What is neither a regular file nor a folder may be `unknown`.
FileState state_of(const std::filesystem::path&, std::error_code& error) noexcept;

}  // namespace parallax::host
