#include "io/keep_mode.hpp"

#include <string>
#include <system_error>

#if defined(__linux__)
#include <cerrno>
#include <sys/xattr.h>
#endif

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

constexpr fs::perms of_others = fs::perms::group_all | fs::perms::others_all;

#if defined(__linux__)
constexpr const char* access_list = "system.posix_acl_access";
#endif

/// False: the old one had a list, and the new one cannot have it.
bool keep_list([[maybe_unused]] const fs::path& old, [[maybe_unused]] const fs::path& part) {
#if defined(__linux__)
    std::string text(1 << 16, '\0');
    const ssize_t length = ::lgetxattr(old.c_str(), access_list, text.data(), text.size());
    if (length >= 0) return ::lsetxattr(part.c_str(), access_list, text.data(), static_cast<std::size_t>(length), 0) == 0;
    if (errno != ENODATA) return errno == ENOTSUP || errno == ENOSYS;
    ::lremovexattr(part.c_str(), access_list);   // of the folder's own giving
#endif
    return true;
}

/// To others no more than these rights.
void restrict_to(const fs::path& part, fs::perms rights) {
    std::error_code ignored;
#if defined(__linux__)
    ::lremovexattr(part.c_str(), access_list);
#endif
    const fs::file_status is = fs::symlink_status(part, ignored);
    fs::permissions(part, is.permissions() & (~of_others | rights), ignored);
}

}   // namespace

void keep_mode(const fs::path& old, const fs::path& part) {
    std::error_code ignored;
    const fs::file_status was = fs::symlink_status(old, ignored);
    if (!fs::exists(was) || fs::is_symlink(was)) return;
    const fs::perms own = fs::symlink_status(part, ignored).permissions() & ~of_others;
    // The group's bits of a file with a list are the most that the list gives to anybody.
    const fs::perms others = keep_list(old, part) ? of_others : fs::perms::others_all;
    const fs::perms wanted = own | (was.permissions() & others);
    if (wanted != fs::symlink_status(part, ignored).permissions()) fs::permissions(part, wanted, ignored);
}

void keep_modes_of_tree(const fs::path& old, const fs::path& part, fs::perms given) {
    std::error_code ignored;
    if (!fs::is_directory(fs::symlink_status(old, ignored))) return fs::permissions(part, given, ignored);
    fs::perms of_files = of_others, of_folders = of_others;
    for (fs::recursive_directory_iterator at(old, ignored), end; !ignored && at != end; at.increment(ignored)) {
        const fs::file_status was = at->symlink_status(ignored);
        if (fs::is_directory(was)) of_folders &= was.permissions();
        else if (fs::is_regular_file(was)) of_files &= was.permissions();
    }
    if (ignored) of_files = of_folders = fs::perms::none;   // not all were seen
    for (fs::recursive_directory_iterator at(part, ignored), end; !ignored && at != end; at.increment(ignored)) {
        const fs::path same = old / at->path().lexically_relative(part);
        std::error_code unknown;
        const fs::file_status was = fs::symlink_status(same, unknown);
        if (fs::exists(was) && !fs::is_symlink(was)) keep_mode(same, at->path());
        else restrict_to(at->path(), at->is_directory(unknown) ? of_folders : of_files);
    }
    keep_mode(old, part);
}

fs::perms close_to_others(const fs::path& folder) {
    std::error_code ignored;
    const fs::perms given = fs::symlink_status(folder, ignored).permissions();
    fs::permissions(folder, of_others, fs::perm_options::remove, ignored);
    return given;
}

}   // namespace parallax::io
