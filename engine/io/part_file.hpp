// The file of a transaction that is about to be written: by us, or by another process.
#pragma once

#include <filesystem>
#include <string>

namespace parallax::io {

/// Closed to others before anything is in it, where it is to replace the regular file `old`. None is made where there is no such file, and where new
/// files belong to somebody else (vfat, NFS that maps root), who is then the one to say who may read them. Throws std::system_error.
void make_part_as_closed(const std::filesystem::path& old, const std::filesystem::path& part);

#if !defined(_WIN32)
/// A descriptor of a new file, or of a part that is there already, empty and ours: of nothing else that stands under the name, a
/// link included. -1 and errno as of open().
int create_descriptor(const std::filesystem::path&);
#endif

/// A new file that another process writes, by path(), while this is there: in the very file, whatever gets its name meanwhile.
class FileForChild {
public:
    /// Throws IoError that speaks of `name`.
    FileForChild(const std::filesystem::path&, const std::string& name);
    ~FileForChild();
    FileForChild(const FileForChild&) = delete;
    FileForChild& operator=(const FileForChild&) = delete;
    /// Absolute. Where the system has no such paths, the name itself.
    const std::filesystem::path& path() const noexcept { return path_; }

private:
    int descriptor_ = -1;
    std::filesystem::path path_;
};

}   // namespace parallax::io
