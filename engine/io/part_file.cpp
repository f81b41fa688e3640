#include "io/part_file.hpp"

#include "io/hints.hpp"
#include "io/transaction.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace fs = std::filesystem;

namespace parallax::io {

#if defined(_WIN32)

void make_part_as_closed(const fs::path&, const fs::path&) {}
FileForChild::FileForChild(const fs::path& path, const std::string&) : path_(path) {}
FileForChild::~FileForChild() = default;

#else

void make_part_as_closed(const fs::path& old, const fs::path& part) {
    struct stat was{}, is{};
    if (::lstat(old.c_str(), &was) != 0 || !S_ISREG(was.st_mode)) return;
    const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);   // opened when it is whole
    if (file < 0) throw std::system_error(errno, std::generic_category(), part.string());
    const bool ours = ::fstat(file, &is) == 0 && is.st_uid == ::geteuid();
    ::close(file);
    if (!ours) ::unlink(part.c_str());
}

int create_descriptor(const fs::path& path) {
    const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made >= 0 || errno != EEXIST || !Transaction::is_part(path)) return made;
    const int file = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return file;
    struct stat is{};
    const bool known = ::fstat(file, &is) == 0 && S_ISREG(is.st_mode);
    if (known && is.st_size == 0 && is.st_nlink == 1 && is.st_uid == ::geteuid()) return file;
    ::close(file);
    errno = EEXIST;
    return -1;
}

FileForChild::FileForChild(const fs::path& path, const std::string& name)
    : descriptor_(create_descriptor(path)), path_(path) {
    if (descriptor_ < 0) {
        const std::error_code error(errno, std::generic_category());
        throw IoError(name, fmt::format("cannot be created: {}", error.message()), write_hint_for(error));
    }
    const fs::path opened = fmt::format("/proc/self/fd/{}", descriptor_);
    std::error_code missing;
    if (fs::exists(opened, missing)) path_ = opened;
}

FileForChild::~FileForChild() { ::close(descriptor_); }

#endif

}   // namespace parallax::io
