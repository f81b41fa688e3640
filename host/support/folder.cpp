#include "support/folder.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#if defined(_WIN32)
#include <direct.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#endif

namespace parallax::host {

namespace fs = std::filesystem;

namespace {

[[maybe_unused]] constexpr std::string_view ways = "/proc/self/fd/";

[[noreturn]] void fail(std::error_code code, const fs::path& path) {
    throw std::system_error(code, path.string());
}

/// The parts of a path that leads down and nowhere else.
void check_part(const fs::path& part, const fs::path& whole) {
    if (part == ".." || part.has_root_path()) fail(std::make_error_code(std::errc::invalid_argument), whole);
}

}  // namespace

Folder Folder::open_strictly(const fs::path& path, const Making& making) {
    const fs::path absolute = fs::absolute(path.empty() ? fs::path(".") : path).lexically_normal(), root = absolute.root_path();
    const Folder top = open(root);
    const fs::path relative = absolute.relative_path();
    return making ? top.make(relative, [&](const fs::path& part) { making(root / part); }) : top.below(relative);
}

std::optional<int> descriptor_of([[maybe_unused]] const fs::path& path) noexcept {
#if defined(__linux__)
    const std::string& text = path.native();
    if (!text.starts_with(ways)) return std::nullopt;
    int descriptor = -1;
    const char *const first = text.data() + ways.size(), *const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, descriptor);
    if (error == std::errc() && end == last && descriptor >= 0) return descriptor;
#endif
    return std::nullopt;
}

fs::path without_descriptor(const fs::path& path) {
#if defined(__linux__)
    const std::string& text = path.native();
    if (!text.starts_with(ways)) return path;
    const std::size_t end = std::min(text.find('/', ways.size()), text.size());
    std::error_code error;
    const fs::path place = fs::read_symlink(text.substr(0, end), error);
    return error ? path : end == text.size() ? place : place / text.substr(end + 1);
#else
    return path;
#endif
}

#if defined(_WIN32)

struct Folder::Held {};

OpenedFile Folder::file(const fs::path& relative) const {
    const Folder folder = below(relative.parent_path());
    OpenedFile file;
    file.way_ = folder.way_ / relative.filename();
    if (fs::is_symlink(file.way_)) fail(std::make_error_code(std::errc::too_many_symbolic_link_levels), relative);
    if (!fs::exists(file.way_)) fail(std::make_error_code(std::errc::no_such_file_or_directory), relative);
    if (!fs::is_regular_file(file.way_)) fail(std::make_error_code(std::errc::is_a_directory), relative);
    return file;
}

Folder Folder::open(const fs::path& path) {
    Folder folder;
    folder.way_ = fs::absolute(path);
    if (!fs::is_directory(folder.way_)) fail(std::make_error_code(std::errc::not_a_directory), path);
    return folder;
}

Folder Folder::make(const fs::path& relative, const Making& making) const {
    Folder folder = *this;
    fs::path so_far;
    for (const fs::path& part : relative) {
        check_part(part, relative);
        so_far /= part;
        const fs::path next = folder.way_ / part;
        if (fs::is_symlink(next)) fail(std::make_error_code(std::errc::too_many_symbolic_link_levels), so_far);
        if (!fs::is_directory(next)) {
            if (!making) fail(std::make_error_code(std::errc::no_such_file_or_directory), so_far);
            making(so_far);
            std::error_code error;
            fs::create_directory(next, error);
            if (error && !fs::is_directory(next)) fail(error, so_far);
        }
        folder.way_ = next;
    }
    return folder;
}

Folder Folder::below(const fs::path& relative) const { return make(relative); }
void Folder::sync() const {}
std::optional<unsigned> Folder::owner() const { return std::nullopt; }
bool Folder::makes_for(unsigned) const { return false; }
bool Folder::is_of(unsigned) const { return false; }
bool Folder::has_gone() const noexcept {
    std::error_code unknown;
    return fs::status(way_, unknown).type() == fs::file_type::not_found;
}

bool Folder::is_held() const noexcept { return false; }
void sync_file(const fs::path&) {}   // the C library has no call for it by name; io::File syncs what it writes

#else

namespace {

std::error_code last_error() { return {errno, std::generic_category()}; }

/// Some file systems cannot sync a folder (or, of a network, a file): that is no failure of ours.
bool cannot_sync(int code) { return code == EINVAL || code == ENOTSUP || code == EBADF || code == EROFS || code == ENOSYS; }

}  // namespace

struct Folder::Held {
    explicit Held(int number) : descriptor(number) {}
    ~Held() { ::close(descriptor); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    int descriptor;
};

namespace {

/// A network drive may be interrupted while it waits for its server.
int fsync_to_its_end(int descriptor) noexcept {
    int status = 0;
    do status = ::fsync(descriptor);
    while (status != 0 && errno == EINTR);
    return status;
}

int made_without_name(const fs::path& folder) noexcept {
#if defined(O_TMPFILE)
    return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
    return static_cast<void>(folder), -1;
#endif
}

fs::path way_through(int descriptor, const fs::path& otherwise) {
#if defined(__linux__)
    static const bool there = ::access("/proc/self/fd", X_OK) == 0;
    if (there) return std::string(ways) + std::to_string(descriptor);
#endif
    static_cast<void>(descriptor);
    return otherwise;
}

/// To go through a folder asks for no right to list it.
#if defined(O_PATH)
constexpr int passing = O_PATH;
#else
constexpr int passing = O_RDONLY;
#endif

/// What lies at the end of a way down without links, by one call. -1: the system has none, or the way is not so; whoever goes it
/// part by part learns why.
int open_beneath(int folder, const fs::path& relative, int flags) {
    for (const fs::path& part : relative) check_part(part, relative);
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
    open_how how{};
    how.flags = static_cast<unsigned>(flags);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    return static_cast<int>(::syscall(SYS_openat2, folder, relative.c_str(), &how, sizeof how));
#else
    static_cast<void>(folder), static_cast<void>(flags);
    return -1;
#endif
}

}  // namespace

OpenedFile Folder::file(const fs::path& relative) const {
    constexpr int how = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;   // not to wait for a pipe's other end
    int descriptor = open_beneath(held_->descriptor, relative, how);
    if (descriptor < 0) {
        const Folder folder = walk(relative.parent_path(), {}, passing);
        const fs::path name = relative.has_filename() ? relative.filename() : ".";
        descriptor = ::openat(folder.held_->descriptor, name.c_str(), how);
        if (descriptor < 0) fail(last_error(), relative);
    }
    OpenedFile file;
    file.held_ = std::make_shared<const Held>(descriptor);
    file.way_ = way_through(descriptor, way_ / relative);
    struct stat status{};
    if (::fstat(descriptor, &status) != 0) fail(last_error(), relative);
    if (!S_ISREG(status.st_mode)) fail(std::make_error_code(std::errc::is_a_directory), relative);
    return file;
}

Folder Folder::open(const fs::path& path) {
    const int descriptor = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) fail(last_error(), path);
    Folder folder;
    folder.held_ = std::make_shared<const Held>(descriptor);
    folder.way_ = way_through(descriptor, fs::absolute(path));
    return folder;
}

Folder Folder::walk(const fs::path& relative, const Making& making, int last) const {
    Folder folder = *this;
    fs::path so_far;
    for (auto at = relative.begin(); at != relative.end(); ++at) {
        const fs::path& part = *at;
        check_part(part, relative);
        if (part.empty() || part == ".") continue;
        so_far /= part;
        const int how = (std::next(at) == relative.end() ? last : passing) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        int descriptor = ::openat(folder.held_->descriptor, part.c_str(), how);
        if (descriptor < 0 && errno == ENOENT && making) {
            making(so_far);
            if (::mkdirat(folder.held_->descriptor, part.c_str(), 0777) != 0 && errno != EEXIST) fail(last_error(), so_far);
            descriptor = ::openat(folder.held_->descriptor, part.c_str(), how);
        }
        if (descriptor < 0) fail(last_error(), so_far);
        folder.held_ = std::make_shared<const Held>(descriptor);
        folder.way_ = way_through(descriptor, folder.way_ / part);
    }
    return folder;
}

Folder Folder::make(const fs::path& relative, const Making& making) const { return walk(relative, making, O_RDONLY); }

Folder Folder::below(const fs::path& relative) const {
    const int descriptor = open_beneath(held_->descriptor, relative, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return make(relative);
    Folder folder;
    folder.held_ = std::make_shared<const Held>(descriptor);
    folder.way_ = way_through(descriptor, way_ / relative);
    return folder;
}

void Folder::sync() const {
    if (fsync_to_its_end(held_->descriptor) != 0 && !cannot_sync(errno)) fail(last_error(), way_);
}

std::optional<unsigned> Folder::owner() const {
    struct stat status{};
    return ::stat((way_ / ".").c_str(), &status) == 0 ? std::optional<unsigned>(status.st_uid) : std::nullopt;
}

bool Folder::is_of(unsigned user) const { return owner() == user || makes_for(user); }

bool Folder::makes_for(unsigned user) const {
    std::string name = (way_ / ".parallax-whose-XXXXXX").native();
    const int made = made_without_name(way_ / "."), file = made >= 0 ? made : ::mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) return false;
    if (made < 0) ::unlink(name.c_str());
    struct stat status{};
    const bool known = ::fstat(file, &status) == 0;
    ::close(file);
    return known && status.st_uid == user;
}

bool Folder::has_gone() const noexcept {
    struct stat status{};
    if (::fstat(held_->descriptor, &status) != 0) return errno == ESTALE;
    return status.st_nlink == 0;
}

bool Folder::is_held() const noexcept { return way_.native().starts_with(ways); }

void sync_file(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(last_error(), path);
    const int status = fsync_to_its_end(descriptor), code = errno;
    ::close(descriptor);
    if (status != 0 && !cannot_sync(code)) fail({code, std::generic_category()}, path);
}

#endif

namespace {

/// Of a call that the system or the file system does not have.
[[maybe_unused]] bool is_missing(int code) { return code == EINVAL || code == ENOSYS; }

}  // namespace

void remove_empty_folder(const fs::path& path) noexcept {
#if defined(_WIN32)
    ::_wrmdir(path.c_str());
#else
    ::rmdir(path.c_str());
#endif
}

std::error_code rename_to_free(const fs::path& from, const fs::path& to) noexcept {
    std::error_code error;
#if defined(__linux__) && defined(SYS_renameat2)
    if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 1u /* RENAME_NOREPLACE */) == 0) return {};
    const int code = errno;
    if (code == EPERM) {   // of a container that does not give the call; else of a folder to which names can only be added
        if (fs::exists(fs::symlink_status(to, error))) return std::make_error_code(std::errc::file_exists);
        fs::rename(from, to, error);
        return error;
    }
    if (!is_missing(code)) return {code, std::generic_category()};
#endif
    // A second name for the file is made in one step, and fails where the name exists: no gap for another process.
    fs::create_hard_link(from, to, error);
    if (!error) {
        fs::remove(from, error);
        return {};
    }
    // Some file systems know neither: then look and rename.
    if (error == std::errc::file_exists || fs::exists(fs::symlink_status(to, error)))
        return std::make_error_code(std::errc::file_exists);
    fs::rename(from, to, error);
    return error;
}

std::error_code exchange(const fs::path& a, const fs::path& b) noexcept {
#if defined(__linux__) && defined(SYS_renameat2)
    if (::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), 2u /* RENAME_EXCHANGE */) == 0) return {};
    if (!is_missing(errno) && errno != EPERM) return last_error();   // EPERM: of a container
#endif
    static_cast<void>(a), static_cast<void>(b);
    return std::make_error_code(std::errc::not_supported);
}

}  // namespace parallax::host
