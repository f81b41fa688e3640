// A folder for what is needed for a while.
#pragma once

#include "support/file_lock.hpp"

#include <filesystem>
#include <optional>
#include <string_view>

namespace parallax::host {

/// Among the system's temporary files, open to its user alone: what lies there may be somebody's pictures, or is run. It goes with
/// its object, and what processes that were ended have left goes when the next one is made.
class TemporaryFolder {
public:
    /// `purpose`: of its name, "tune" of parallax-tune-… Throws std::filesystem::filesystem_error.
    explicit TemporaryFolder(std::string_view purpose);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
    std::optional<FileLock> in_use_;
};

}  // namespace parallax::host
