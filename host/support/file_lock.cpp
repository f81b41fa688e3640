#include "support/file_lock.hpp"

#include <thread>

#if defined(_WIN32)
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace parallax::host {

namespace {

template <class Take>
std::optional<FileLock> patiently(std::chrono::milliseconds patience, const Take& take) {
    const auto end = std::chrono::steady_clock::now() + patience;
    for (;;) {
        if (auto lock = take()) return lock;
        if (std::chrono::steady_clock::now() >= end) return std::nullopt;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

}  // namespace

std::optional<FileLock> FileLock::take(const std::filesystem::path& path, Kind kind, std::chrono::milliseconds patience) {
    return patiently(patience, [&] { return take(path, kind); });
}

#if defined(_WIN32)

std::optional<FileLock> FileLock::take(const std::filesystem::path& path, Kind kind) {
    const HANDLE file =
        CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                    OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
    const auto told = [](DWORD error) { return std::error_code(static_cast<int>(error), std::system_category()); };
    if (file == INVALID_HANDLE_VALUE) return FileLock(told(GetLastError()));
    OVERLAPPED from_the_first_byte{};
    const DWORD how = LOCKFILE_FAIL_IMMEDIATELY | (kind == Kind::exclusive ? LOCKFILE_EXCLUSIVE_LOCK : 0);
    if (LockFileEx(file, how, 0, 1, 0, &from_the_first_byte)) return FileLock(reinterpret_cast<std::intptr_t>(file));
    const DWORD error = GetLastError();
    CloseHandle(file);
    const bool busy = error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING;
    return busy ? std::nullopt : std::optional<FileLock>(FileLock(told(error)));
}

FileLock::~FileLock() {
    if (file_ != none) CloseHandle(reinterpret_cast<HANDLE>(file_));   // and with it the lock
}

std::optional<FileLock> FileLock::take_folder(const std::filesystem::path&, Kind, std::chrono::milliseconds) {
    return FileLock(std::make_error_code(std::errc::not_supported));
}

FileLock::FileLock(std::intptr_t file) : file_(file) {}

unsigned rights_of_lock(const std::filesystem::path&) noexcept { return 0600; }
unsigned rights_of_record(const std::filesystem::path&) noexcept { return 0600; }

#else

namespace {

/// 0: it is had; else why not.
int lock_of(int file, FileLock::Kind kind) {
    while (::flock(file, (kind == FileLock::Kind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

}  // namespace

FileLock::FileLock(std::intptr_t file) : file_(file), owner_(static_cast<int>(::getpid())) {}

unsigned rights_of_lock(const std::filesystem::path& folder) noexcept {
    struct stat found{};
    if (::stat(folder.empty() ? "." : folder.c_str(), &found) != 0) return 0600;
    const bool others = (found.st_mode & S_IWOTH) != 0 && (found.st_mode & S_ISVTX) == 0;
    return 0600 | ((found.st_mode & S_IWGRP) != 0 ? 0060u : 0u) | (others ? 0006u : 0u);
}

unsigned rights_of_record(const std::filesystem::path& folder) noexcept {
    struct stat found{};
    const bool sticky = ::stat(folder.empty() ? "." : folder.c_str(), &found) != 0 || (found.st_mode & S_ISVTX) != 0;
    return sticky ? 0600 : rights_of_lock(folder);
}

std::optional<FileLock> FileLock::take(const std::filesystem::path& path, Kind kind) {
    const auto rights = static_cast<mode_t>(rights_of_lock(path.parent_path()));
    return locked(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, rights), kind);
}

std::optional<FileLock> FileLock::take_folder(const std::filesystem::path& path, Kind kind, std::chrono::milliseconds patience) {
    return patiently(patience, [&] { return locked(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), kind); });
}

std::optional<FileLock> FileLock::locked(int file, Kind kind) {
    if (file < 0) return FileLock(std::error_code(errno, std::generic_category()));
    const std::error_code trouble(lock_of(file, kind), std::generic_category());
    if (!trouble) return FileLock(file);
    ::close(file);
    return trouble == std::errc::operation_would_block ? std::nullopt : std::optional<FileLock>(FileLock(trouble));
}

FileLock::~FileLock() {
    if (file_ == none) return;
    const int file = static_cast<int>(file_);
    if (owner_ == ::getpid()) ::flock(file, LOCK_UN);   // a process that was forked meanwhile would keep it
    ::close(file);
}

#endif

}  // namespace parallax::host
