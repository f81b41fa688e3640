// A file that processes lock: who dies lets go of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace parallax::host {

/// For a file that processes lock, in this folder: rights for those who may write into it. Who may only read the file could lock it
/// as well, and keep them out.
unsigned rights_of_lock(const std::filesystem::path& folder) noexcept;
/// Those of a file that says what is to be done in a folder: for who may rename and remove there what is another's.
unsigned rights_of_record(const std::filesystem::path& folder) noexcept;

class FileLock {
public:
    enum class Kind { shared, exclusive };
    /// Nothing while another process has it. Where the file cannot be made or the file system knows no locks it is had without
    /// being held: then nobody is kept out.
    static std::optional<FileLock> take(const std::filesystem::path&, Kind);
    /// The same of one that another process has for a moment only: tried again until the time is over.
    static std::optional<FileLock> take(const std::filesystem::path&, Kind, std::chrono::milliseconds patience);
    bool is_held() const noexcept { return file_ != none; }
    /// Why it is not held.
    std::error_code trouble() const noexcept { return trouble_; }
    /// The same of a folder itself, in which nothing is made for it.
    static std::optional<FileLock> take_folder(const std::filesystem::path&, Kind, std::chrono::milliseconds patience = {});
    FileLock(FileLock&& other) noexcept
        : file_(std::exchange(other.file_, none)), owner_(other.owner_), trouble_(other.trouble_) {}
    FileLock& operator=(FileLock&&) = delete;
    ~FileLock();

private:
    static constexpr std::intptr_t none = -1;
    explicit FileLock(std::intptr_t file);
#if !defined(_WIN32)
    static std::optional<FileLock> locked(int file, Kind);
#endif
    explicit FileLock(std::error_code trouble) : file_(none), trouble_(trouble) {}
    std::intptr_t file_;   ///< a descriptor, on Windows a handle
    int owner_ = 0;        ///< the process: one that it has forked has the descriptor, too, and the lock is not its
    std::error_code trouble_;
};

}  // namespace parallax::host
