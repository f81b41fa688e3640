#include "support/file_lock.hpp"

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace parallax::host {

#if defined(_WIN32)

std::optional<FileLock> FileLock::take(const std::filesystem::path&, Kind) { return FileLock(-1); }
FileLock::~FileLock() = default;

#else

std::optional<FileLock> FileLock::take(const std::filesystem::path& path, Kind kind) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0) return FileLock(-1);
    int status = 0;
    while ((status = ::flock(file, (kind == Kind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB)) != 0 && errno == EINTR) {
    }
    const bool busy = status != 0 && errno == EWOULDBLOCK;
    if (status == 0) return FileLock(file);
    ::close(file);
    return busy ? std::nullopt : std::optional<FileLock>(FileLock(-1));
}

FileLock::~FileLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

#endif

}  // namespace parallax::host
