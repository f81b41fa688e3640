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

#else

namespace {

/// Whether the open file is still the one of that name: who had it before has taken it away when it let go.
bool is_there(int file, const std::string& path) {
    struct stat open{}, named{};
    return fstat(file, &open) == 0 && stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
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
        if (status == 0 && is_there(file, path_)) {
            file_ = file;
            return;
        }
        close(file);
        if (status != 0) return;
    }
}

BuildLock::~BuildLock() {
    if (file_ < 0) return;
    unlink(path_.c_str());
    close(file_);
}

#endif

}  // namespace parallax::host
