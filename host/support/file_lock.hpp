// A file that processes lock: who dies lets go of it.
#pragma once

#include <cstdint>
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
    bool is_held() const noexcept { return file_ != none; }
    FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, none)) {}
    FileLock& operator=(FileLock&&) = delete;
    ~FileLock();

private:
    static constexpr std::intptr_t none = -1;
    explicit FileLock(std::intptr_t file) : file_(file) {}
    std::intptr_t file_;   ///< a descriptor, on Windows a handle
};

}  // namespace parallax::host
