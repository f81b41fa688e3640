// What is mounted where: a folder that is mounted twice has two paths that no link tells of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace parallax::host {

struct Mount {
    std::string device;             ///< of the file system
    std::filesystem::path top;      ///< the folder in it that is mounted
    std::filesystem::path point;    ///< where
    std::string type, options;      ///< "cgroup", "rw,memory"
};

/// Those that this process sees, the later ones above the earlier. Of systems other than Linux none. `root`: the folder in which
/// proc is.
std::vector<Mount> mounts(const std::filesystem::path& root = "/");

/// What Linux says of a file or folder beside its rights, as STATX_ATTR_...; 0: nothing, or another system.
std::uint64_t marks_of(const std::filesystem::path&, bool follow) noexcept;
/// Whether something is mounted there.
bool is_mount_point(const std::filesystem::path&) noexcept;

/// Of the moment in which it is made.
class Mounts {
public:
    explicit Mounts(std::vector<Mount> all = mounts()) : all_(std::move(all)) {}

    /// The same of all paths to one place, links followed: that by what was mounted first.
    ///
    ///     mount --bind /data/scans /mnt/in     first_path("/mnt/in/a.tif") == "/data/scans/a.tif"
    std::filesystem::path first_path(const std::filesystem::path& real) const;
    /// A place below a folder, links followed, where something is mounted; empty: there is none.
    std::filesystem::path inside(const std::filesystem::path& real) const;

private:
    const Mount* holding(const std::filesystem::path& real) const;

    std::vector<Mount> all_;
};

}   // namespace parallax::host
