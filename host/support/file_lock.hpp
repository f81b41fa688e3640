// A file that processes lock: who dies lets go of it.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

namespace parallax::host {

class FileLock {
public:
    enum class Kind { shared, exclusive };
    /// Nothing while another process has it. Where the file cannot be made or the file system knows no locks it is had without
    /// being held: then nobody is kept out.
    static std::optional<FileLock> take(const std::filesystem::path&, Kind);
    FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    FileLock& operator=(FileLock&&) = delete;
    ~FileLock();

private:
    explicit FileLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;
};

}  // namespace parallax::host
