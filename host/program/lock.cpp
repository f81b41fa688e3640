#include "program/lock.hpp"

#include <filesystem>
#include <thread>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace parallax::host {

#if defined(_WIN32)

BuildLock::BuildLock(const ProgramCache*, const std::string&, std::chrono::duration<double>) {}
BuildLock::~BuildLock() = default;
void BuildLock::remove_left(const std::filesystem::path&) noexcept {}

#else

namespace {

enum class Named { yes, no, unknown };

/// Whether the open file is still the one of that name: who had it before has taken it away when it let go.
Named is_named(int file, const char* path) {
    struct stat open{}, named{};
    if (fstat(file, &open) != 0) return Named::unknown;
    if (stat(path, &named) != 0) return errno == ENOENT ? Named::no : Named::unknown;
    return open.st_dev == named.st_dev && open.st_ino == named.st_ino ? Named::yes : Named::no;
}

}  // namespace

BuildLock::BuildLock(const ProgramCache* cache, const std::string& key, std::chrono::duration<double> limit) {
    if (cache == nullptr || cache->folder().empty()) return;
    path_ = (std::filesystem::path(cache->folder()) / (key + ".lock")).string();
    const auto until = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const int file = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0) return;
        int status = 0;
        while ((status = flock(file, LOCK_EX | LOCK_NB)) != 0 && (errno == EWOULDBLOCK || errno == EINTR) &&
               std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        const Named named = status == 0 ? is_named(file, path_.c_str()) : Named::unknown;
        if (named == Named::yes) {
            file_ = file;
            return;
        }
        close(file);
        // A file system that never finds it to be the same would have this go on for ever.
        if (named == Named::unknown || std::chrono::steady_clock::now() >= until) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void BuildLock::remove_left(const std::filesystem::path& path) noexcept {
    const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    struct stat found{};
    if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_size == 0 && flock(file, LOCK_EX | LOCK_NB) == 0 &&
        is_named(file, path.c_str()) == Named::yes)
        unlink(path.c_str());
    close(file);
}

BuildLock::~BuildLock() {
    if (file_ < 0) return;
    unlink(path_.c_str());
    close(file_);
}

#endif

}  // namespace parallax::host
